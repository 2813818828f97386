import assert from 'node:assert/strict';
import { request as sendRequest } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { findByName } from '../../../src/accounts/store.ts';
import { canSignIn } from '../../../src/app/commands/demo/demo.ts';
import { listenAsStandIn } from '../../../src/app/commands/demo/routes.ts';
import { StandIn, type StandInPerson } from '../../../src/app/commands/demo/stand-in.ts';
import { openUnchanged } from '../../../src/database/connections/open.ts';
import type { TestService } from '../../e2e/service.ts';
import { ada, bearer, engines, jsonRequest, keeper, tokenIn } from '../../integration/access/owner.ts';
import { sharedBrowser } from '../cards/browser.ts';
import { startStoredService } from '../http/stored-service.ts';
import { examinePages } from '../pages/examine.ts';
import { Visitor } from '../pages/signed-in.ts';

describe('signing in to the demonstration', () => {
  const stack = new AsyncDisposableStack();
  let [service, standIn, origin]: [TestService, StandIn, string] = [] as never;
  before(async () => {
    const plain = stack.use(await startStoredService({ holdsWorld: true }));
    standIn = new StandIn(await findPeople(plain.databaseUrl));
    ({ origin } = stack.use(await listenAsStandIn(standIn)));
    const changeProvider = (provider: Parameters<StandIn['replaceParts']>[0]) =>
      standIn.replaceParts(provider, origin, () => new Date());
    service = stack.use(await startStoredService({ databaseUrl: plain.databaseUrl, changeProvider }));
  });
  after(() => stack.disposeAsync());

  it('leads over a choice of people to publishing private numbers, an embed link and an organization', async () => {
    const browser = await sharedBrowser();
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${service.url}/settings/github/${keeper.name}/privacy`);
    await page.click('main a.button');
    assert.ok(page.url().startsWith(origin));
    const path = page.url().slice(origin.length);
    const circumstances = { scheme: 'dark', width: 320, lang: 'en' } as const;
    await examinePages(browser, origin, [{ type: { name: 'stand-in', path }, circumstances }]);
    await page.setViewportSize({ width: 320, height: 800 });
    const isWhole = '[...document.querySelectorAll(".who small")].every((one) => one.scrollWidth <= one.clientWidth)';
    assert.equal(await page.evaluate(isWhole), true, 'the organizations of a person are readable on a phone');
    await page.click('text=Back without signing in');
    await page.waitForURL('**/sign-in?return_to=%2Fsettings');
    await page.goto(`${service.url}/settings/github/${keeper.name}/privacy`);
    await page.click('main a.button');
    await page.click(`a[href*="person=${keeper.name}"]`);
    await page.waitForURL('**/privacy');
    await page.check('input[name=publish_private_contributions]');
    await page.click('.section form button');
    await page.waitForURL('**/privacy?done');
    await page.goto(`${service.url}/settings/github/${keeper.name}/embeds`);
    await page.click('.section form button');
    const link = await page.locator('.notice textarea').inputValue();
    assert.equal((await service.get(new URL(link).pathname)).status, 200);
    // The form leads on to the stand-in, which the policy of the page permits.
    for (const [person, expected] of [
      [keeper.name, `**/settings?refused=${engines.name}`],
      [ada.name, '**/settings'],
    ] as const) {
      await page.goto(`${service.url}/settings`);
      await page.fill('input[name=organization]', engines.name);
      await page.click('section form[method=get] button');
      await page.click(`a[href*="person=${person}"]`);
      await page.waitForURL(expected);
      const entered = person === keeper.name ? engines.name : '';
      assert.equal(await page.inputValue('input[name=organization]'), entered);
    }
    await page.goto(`${service.url}/settings/github/${engines.name}/notifications`);
    assert.match((await page.textContent('h1')) ?? '', /./);
    await context.close();
  });

  it('gives tokens that endpoints 5 to 7 accept for what the person owns, and for nothing else', async () => {
    const person = standIn.people.find(({ account }) => account.name === ada.name);
    const token = standIn.findToken(person ?? assert.fail());
    for (const name of [ada.name, engines.name]) {
      const issued = await service.get(`${name}/token`, bearer(token));
      assert.equal(issued.status, 200, issued.text);
      assert.equal((await service.get(`${name}/repositories`, bearer(tokenIn(issued)))).status, 200);
    }
    assert.equal((await service.get(`${keeper.name}/token`, bearer(token))).status, 403);
    assert.equal(
      (await service.get(`${ada.name}/token`, bearer('demo_guessed'))).status,
      503,
      'the host does not respond',
    );
  });

  it('serves data as a token of the host shows it, and warns in previews of what no token shows', async () => {
    const person = standIn.people.find(({ account }) => account.name === ada.name);
    const issued = await service.get(`${engines.name}/token`, bearer(standIn.findToken(person ?? assert.fail())));
    const points = ['review', 'star'].map((action) => ({ action, points: 1 }));
    const board = { name: 'Board', slug: 'board', repositories: [`${engines.name}/*`], points };
    const document = jsonRequest('POST', tokenIn(issued), { version: 1, boards: [{ board }] });
    const { body } = await service.get(`${engines.name}/boards/preview`, document);
    const { faults }: { faults: { message: string }[] } = Object(body.data);
    assert.match(faults.map(({ message }) => message).join(), /^GitHub shows who starred [^,]*, so that [^,]*$/);
  });

  it('sends codes to this machine alone, which count once, with the verifier of the browser that began', async () => {
    const begun = { client_id: standIn.client.id, redirect_uri: `${service.url}/sign-in/github/callback`, state: 's' };
    const request = { ...begun, code_challenge: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' };
    for (const changed of [
      { redirect_uri: 'https://evil.example/sign-in/github/callback' },
      { redirect_uri: `${service.url}/elsewhere` },
      { client_id: 'another' },
      { code_challenge: '' },
    ]) {
      for (const path of ['/login/oauth/authorize', '/choose']) {
        const query = new URLSearchParams({ ...request, ...changed, person: ada.name }).toString();
        assert.equal((await fetch(`${origin}${path}?${query}`)).status, 400, JSON.stringify(changed));
      }
    }
    const exchange = async (code: string, verifier: string): Promise<number> => {
      const { id, secret } = standIn.client;
      const form = { code, code_verifier: verifier, client_id: id, client_secret: secret };
      const body = new URLSearchParams({ ...form, redirect_uri: request.redirect_uri });
      return (await fetch(`${origin}/login/oauth/access_token`, { method: 'POST', body })).status;
    };
    const codeFor = (): string => new URL(standIn.choose(ada.name, request)).searchParams.get('code') ?? '';
    assert.equal(await exchange(codeFor(), 'another'), 400);
    const code = codeFor();
    assert.deepEqual([await exchange(code, 'test'), await exchange(code, 'test')], [200, 400]);
  });

  it('serves this machine alone, and is not there where the demonstration can be reached from elsewhere', async () => {
    const ofName = (host: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const request = sendRequest(`${origin}/style.css`, { headers: { host } }, ({ statusCode }) =>
          resolve(statusCode),
        );
        request.on('error', reject).end();
      });
    assert.deepEqual([await ofName('localhost:80'), await ofName('rebound.example')], [200, 403]);
    assert.equal(new URL(origin).hostname, '127.0.0.1');
    for (const [host, publicUrl, expected] of [
      ['127.0.0.1', undefined, true],
      ['::1', 'http://localhost:8080', true],
      ['0.0.0.0', undefined, false],
      ['192.0.2.7', undefined, false],
      ['127.0.0.1', 'https://demo.example', false],
      ['127.0.0.1', 'http://192.0.2.7:8080', false],
    ] as const) {
      assert.equal(canSignIn({ host, publicUrl }), expected, `${host} ${publicUrl}`);
    }
  });

  it('does not exist in a service that is no demonstration', async () => {
    await using plain = await startStoredService({ databaseUrl: service.databaseUrl });
    assert.equal((await new Visitor(plain).get('/sign-in/github')).status, 404);
    const [person = assert.fail()] = standIn.people;
    const response = await plain.get(`${person.account.name}/token`, bearer(standIn.findToken(person)));
    assert.notEqual(response.status, 200);
  });
});

async function findPeople(databaseUrl: string): Promise<StandInPerson[]> {
  const database = await openUnchanged({ databaseUrl, dataDir: '/nonexistent', log: () => {} });
  const find = async (name: string): Promise<StandInPerson['account']> =>
    (await findByName(database.connection, 'github', name))?.account ?? assert.fail(name);
  try {
    return [
      { account: await find(ada.name), administers: [await find(engines.name)] },
      { account: await find(keeper.name), administers: [] },
    ];
  } finally {
    await database.close();
  }
}
