import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { lookUpJob, refreshJob } from '../../../src/accounts/jobs.ts';
import { findByName } from '../../../src/accounts/store.ts';
import { collectJob } from '../../../src/contributions/items/jobs.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { Job } from '../../../src/database/queue/added-jobs.ts';
import { announce } from '../../../src/database/queue/announcements.ts';
import { claimLookup, completeLookup, delayLookup } from '../../../src/database/queue/lookups.ts';
import { loadTexts, locales } from '../../../src/views/languages/texts.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { award } from '../achievements/award.ts';
import { sharedBrowser } from '../cards/browser.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { storeBoard } from './stored-board.ts';

/** The pause, in ms, of the script before it opens another stream. */
const pauseMs = 3000;

describe('pages of accounts that wait', () => {
  const shared = shareStoredService({ service: { settings: { TRUST_PROXY: 'loopback', LOOKUPS_PER_HOUR: '1' } } });
  let ids: { person: string; organization: string };

  const findId = async (name: string): Promise<string> =>
    (await findByName(shared.service.database.connection, 'github', name))?.account.id ?? assert.fail(name);
  /** Drops the cached pages, as each change by the service does. */
  const announceChange = (id: string): Promise<void> =>
    announce(shared.service.database.connection, { kind: 'account', key: id });
  const delay = async (job: Job, minutes: number): Promise<void> => {
    const until = new Date(Date.now() + minutes * 60_000);
    await inTransaction(shared.service.database.connection, (transaction) =>
      delayLookup(transaction, job, until, new Date()),
    );
  };
  /** Stores which of the host's own numbers of the person are missing. */
  const setMissing = async (missing: readonly string[]): Promise<void> => {
    await shared.service.database.pool.query('update counters set missing = $2 where account_id = $1', [
      ids.person,
      missing,
    ]);
    await announceChange(ids.person);
  };
  const toProgress = (text: string): string | undefined => /data-progress="([^"]*)"/.exec(text)?.[1];
  const readUntil = async (path: string, pattern: RegExp): Promise<void> => {
    const ending = new AbortController();
    const { body } = await fetch(`${shared.service.url}${path}`, { signal: ending.signal });
    const reader = body?.getReader() ?? assert.fail();
    let written = '';
    while (!pattern.test(written)) written += Buffer.from((await reader.read()).value ?? []).toString();
    ending.abort();
  };

  beforeEach(async () => {
    const { pool } = shared.service.database;
    ids = { person: await findId(ada.name), organization: await findId(engines.name) };
    await pool.query('delete from lookups');
    await pool.query('update streams set completed_at = now()');
    await setMissing([]);
    await announceChange(ids.organization);
  });

  /** Stores that a repository of the organization is being read, which waits for the quota. */
  const storeWaiting = async (): Promise<void> => {
    await shared.service.database.pool.query(
      `update streams set completed_at = null
       where repository_id in (select id from repositories where name = 'engine-1' and owner_id = $1)`,
      [ids.organization],
    );
    await delay(collectJob(ids.organization), 40);
  };

  it('say in every language that the quota of the host is used up, and until when', async () => {
    await storeWaiting();
    for (const path of [`/github/${engines.name}`, `/github/${engines.name}/engine-1`]) {
      for (const locale of locales) {
        const { status, text } = await shared.service.get(`${path}?people=31&lang=${locale}`);
        assert.equal(status, 200, text);
        const [, said = ''] = /<span data-failing>([^]*?)<\/span><\/p>/.exec(text) ?? [];
        for (const part of loadTexts(locale).pages.waitsForQuota.split(/\{\w+\}/))
          assert.ok(said.includes(part.replaceAll("'", '&#39;')), `${path} ${locale}: ${text}`);
        assert.ok(said.includes('github') && said.includes('UTC'), `${path} ${locale}: ${said}`);
      }
    }
    await readUntil(`/pages/progress/github/${engines.name}?until=complete`, /"isFailing":true/);
  });

  it('say it beside items, and boards and people with an achievement say it too', async () => {
    const { service, simulator } = shared;
    const { pool } = service.database;
    const awardId = await award(service, 'Waited', { repository: 'engine-1' });
    const { rows } = await pool.query('select achievement_id as id from awards where id = $1', [awardId]);
    await storeWaiting();
    await pool.query("update repositories set installed_at = now() where name = 'engine-1'");
    await storeBoard(service, simulator);
    await announceChange(ids.organization);
    for (const path of [
      'contributions/commits',
      'engine-1/contributions/commits',
      `contributors/${ada.name}`,
      'boards/all',
      `boards/all/people/${ada.name}`,
      `engine-1/achievements/${rows[0]?.id}`,
    ]) {
      const { status, text } = await service.get(`/github/${engines.name}/${path}`);
      assert.equal(status, 200, text);
      assert.match(text, /<span data-failing>[^<]*github permits no more requests for now/, path);
      assert.ok(text.includes('/pages/progress.js'), path);
    }
    const board = `${engines.name}/boards/all`;
    const { body } = await service.get(board);
    const { reason, repositories, resumes_dttm: resumes } = body.meta_data.progress ?? assert.fail();
    assert.deepEqual([reason, repositories], ['quota', { complete: 0, total: 1 }]);
    assert.match((await service.get(`${board}?format=svg`)).text, /goes on at \d\d:\d\d UTC/);
    const { text: feed } = await service.get(`${board}/feed`);
    assert.ok(feed.includes(`(quota until ${resumes})`), feed);
  });

  it('say that the lookup of a new name waits for quota, and until when, as its card does', async () => {
    await delay(lookUpJob({ provider: 'github', name: 'new-name' }), 40);
    for (const path of ['/github/new-name', '/github/new-name/notes', '/github/new-name/contributions/commits']) {
      const { status, text, headers } = await shared.service.get(path);
      assert.deepEqual([status, headers.get('cache-control')], [202, 'no-store'], path);
      assert.match(text, /<p role="status">github permits no more requests for now\. The service goes on at: /, path);
      assert.ok(Number(headers.get('retry-after')) > 1000, path);
    }
    const { text: card } = await shared.service.get('new-name/contributions?format=svg');
    assert.match(card, /goes on at \d\d:\d\d UTC/);
  });

  it('say that the allowance of their reader is used up, and when the name follows', async () => {
    const reader = { headers: { 'x-forwarded-for': '10.9.0.2' } };
    await shared.service.get('/github/first-new-name', reader);
    const { status, text, headers } = await shared.service.get('/github/second-new-name', reader);
    assert.equal(status, 202);
    assert.match(text, /<p role="status">Many new names were looked up from here\. This one follows at: .* UTC\./);
    assert.ok(Number(headers.get('retry-after')) > 100);
  });

  it("follow a person's own numbers while a lookup of them runs or waits, and no longer", async () => {
    const page = `/github/${ada.name}`;
    await setMissing(['commits']);
    assert.equal(toProgress((await shared.service.get(page)).text), undefined);
    const { connection } = shared.service.database;
    for (const job of [lookUpJob({ provider: 'github', name: ada.name }), refreshJob(ids.person)]) {
      await claimLookup(connection, job, new Date());
      await announceChange(ids.person);
      const { text } = await shared.service.get(page);
      assert.equal(toProgress(text), `/pages/progress${page}?until=complete`, job.key);
      assert.ok(!text.includes('data-failing'));
      await delay(job, 40);
      await announceChange(ids.person);
      assert.match(
        (await shared.service.get(page)).text,
        /<span data-failing>[^<]*github permits no more requests for now/,
      );
      await completeLookup(connection, job.key);
    }
    const stream = await fetch(`${shared.service.url}/pages/progress${page}?until=complete`);
    assert.match(await stream.text(), /event: ready/);
  });

  it('fill themselves in with the numbers of a person', async () => {
    const { connection } = shared.service.database;
    const job = refreshJob(ids.person);
    await setMissing(['commits']);
    await claimLookup(connection, job, new Date());
    const browser = await sharedBrowser();
    const tab = await browser.newPage();
    // Avatars would still be on their way when the test ends.
    await tab.route('**/avatars/**', (route) => route.abort());
    // The script of the page waits before it opens another stream.
    await tab.clock.install();
    await tab.goto(`${shared.service.url}/github/${ada.name}?people=32`);
    await tab.waitForSelector('[data-progress]');
    await delay(job, 40);
    await announceChange(ids.person);
    await tab.waitForSelector('[data-failing]');
    await setMissing([]);
    await completeLookup(connection, job.key);
    await tab.clock.fastForward(pauseMs);
    await tab.waitForSelector('[data-progress]', { state: 'detached' });
    await tab.close();
  });
});
