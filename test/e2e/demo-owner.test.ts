import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openStandIn, prepareDemo } from '../../src/app/commands/demo/demo.ts';
import { importSample, sampleTime } from '../../src/app/commands/sample.ts';
import { readConfig } from '../../src/app/config/config.ts';
import { createTestDatabase } from '../database.ts';
import { bearer, tokenIn } from '../integration/access/owner.ts';
import { sharedBrowser } from '../service/cards/browser.ts';
import { startTestService, type TestService } from './service.ts';

const offline = { url: 'http://127.0.0.1:9', apiUrl: 'http://127.0.0.1:9/api', tokens: {} as never };
/** Accounts that the person who signs in may publish, and a private repository of each. */
const owners = [
  { name: 'sample-ada', repository: 'greenprint' },
  { name: 'sample-garden', repository: 'potting-shed' },
] as const;
const privateName = /greenprint|logbook|potting-shed/;
const cards = ['contributions', 'calendar', 'languages'] as const;

/** The response and the cards that any visitor gets about an account. */
interface Seen {
  includesPrivate: boolean | undefined;
  commits: number;
  /** The texts of the cards, in their order. */
  cards: string[];
}

describe('private numbers in the demonstration', () => {
  const stack = new AsyncDisposableStack();
  let service: TestService = {} as never;
  before(async () => {
    const { url } = stack.use(await createTestDatabase({ withTables: false }));
    const config = readConfig({ DATABASE_URL: url, DATA_DIR: '/nonexistent' }, () => '');
    const people = await importSample(config, { warn: () => {} }, prepareDemo);
    const now = (): Date => new Date(sampleTime + 1000);
    const { changeProvider } = stack.use(await openStandIn(people, now));
    const options = { simulator: offline, tokens: [], databaseUrl: url, now, changeProvider };
    service = stack.use(await startTestService(options));
  });
  after(() => stack.disposeAsync());

  const see = async (name: string, query: string): Promise<Seen> => {
    const path = `${name}/contributions?${query}`;
    const { body } = await service.get(path);
    const images = await Promise.all(cards.map((card) => service.get(`${path}&card=${card}&format=svg`)));
    return {
      includesPrivate: body.meta_data.includes_private,
      commits: Number(Object(body.data[0]?.['contributions']).commits),
      cards: images.map(({ status, text }) => {
        assert.equal(status, 200);
        return text;
      }),
    };
  };

  it('change counters, calendar and cards once their owner publishes them, until the owner withdraws them', async () => {
    const browser = await sharedBrowser();
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${service.url}/sign-in/github?organization=sample-garden`);
    await page.click('a[href*="person=sample-ada"]');
    await page.waitForURL('**/settings');
    const publish = async (name: string, isPublished: boolean): Promise<void> => {
      await page.goto(`${service.url}/settings/github/${name}/privacy`);
      await page.setChecked('input[name=publish_private_contributions]', isPublished);
      await page.click('.section form button');
      await page.waitForURL('**/privacy?done');
    };
    for (const { name } of owners) {
      const before = await see(name, 'private=true');
      assert.deepEqual(before, await see(name, 'private=false'), name);
      await publish(name, true);
      const published = await see(name, 'private=true');
      assert.equal(published.includesPrivate, true, name);
      assert.ok(published.commits > before.commits, `${name}: ${published.commits} commits`);
      for (const [index, card] of cards.entries()) assert.notEqual(published.cards[index], before.cards[index], card);
      assert.doesNotMatch(published.cards.join(), privateName, name);
      assert.deepEqual(await see(name, 'private=false'), before, name);
      await publish(name, false);
      assert.deepEqual(await see(name, 'private=true'), before, name);
    }
    await context.close();
  });

  it('have a list of people for each private repository, with the token that the stand-in shows', async () => {
    const browser = await sharedBrowser();
    const page = await browser.newPage();
    await page.goto(`${service.url}/sign-in/github`);
    const command = await page.locator('li', { hasText: 'sample-ada' }).locator('pre').textContent();
    await page.close();
    const hostToken = /Bearer (\S+)"/.exec(command ?? '')?.[1] ?? assert.fail(`no token in ${command}`);
    for (const { name, repository } of owners) {
      const path = `${name}/repositories/${repository}/contributors`;
      assert.equal((await service.get(path)).status, 401);
      const headers = bearer(tokenIn(await service.get(`${name}/token`, bearer(hostToken))));
      const { body } = await service.get(path, headers);
      assert.equal(body.meta_data.complete, true);
      assert.ok(body.data.some((person) => person['name'] === 'sample-ada'));
    }
  });

  it('name no private repository to others', async () => {
    for (const path of [
      ...owners.flatMap(({ name }) => [`/github/${name}`, `/github/${name}/contributions/commits?private=true`]),
      '/github/sample-ada/contributions/contributed_to',
      '/v1/github/entities/sample-garden/contributors?limit=100&private=true',
      '/sitemap.xml',
    ]) {
      assert.doesNotMatch((await service.get(path, { headers: { accept: 'text/html' } })).text, privateName, path);
    }
    for (const { name, repository } of owners) {
      const [hidden, absent] = await Promise.all(
        [repository, 'absent'].map((one) => service.get(`${name}/contributors?repository=${one}`)),
      );
      assert.deepEqual([hidden?.status, hidden?.body.error], [404, absent?.body.error]);
    }
  });
});
