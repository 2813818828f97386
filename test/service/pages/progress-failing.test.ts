import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { findByName } from '../../../src/accounts/store.ts';
import { collectJob } from '../../../src/contributions/items/jobs.ts';
import { announce } from '../../../src/database/queue/announcements.ts';
import { completeLookup, failLookup } from '../../../src/database/queue/lookups.ts';
import { AppError } from '../../../src/model/errors.ts';
import { engines } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { sharedBrowser } from '../cards/browser.ts';
import { shareStoredService } from '../http/stored-service.ts';

const page = `/github/${engines.name}`;
const progress = `/pages/progress/github/${engines.name}?until=complete`;
/** The pause, in ms, of the script before it opens another stream. */
const pauseMs = 3000;
const failing =
  /github has not given a usable response since Jun 15, 2026, 12:34\sPM UTC\. The service tries again by itself\./;

describe('the page of an account whose repositories cannot be listed', () => {
  const shared = shareStoredService({ service: { settings: { LOOKUP_BUDGET_MS: '100' } } });
  let key = '';
  let accountId = '';

  /** Drops the cached pages, as each change by the service does. */
  const announceChange = (): Promise<void> =>
    announce(shared.service.database.connection, { kind: 'account', key: accountId });
  const fail = async (at: string, standsUntil: Date): Promise<void> => {
    const error = new AppError('provider_unavailable', 'GitHub cannot be reached.');
    const outcome = { state: 'failed', error, failedAt: new Date(at) } as const;
    await failLookup(shared.service.database.connection, key, outcome, standsUntil);
    await announceChange();
  };
  const inAnHour = (): Date => new Date(Date.now() + 3_600_000);
  /** Has the repositories listed and collected at a time; null: they are not. */
  const list = async (at: Date | null): Promise<void> => {
    const { pool } = shared.service.database;
    await pool.query(
      `update streams set completed_at = $2 where repository_id in (
         select r.id from repositories r join accounts a on a.id = r.owner_id where a.name = $1)`,
      [engines.name, at],
    );
    await pool.query('update accounts set listed_at = $2 where name = $1', [engines.name, at]);
    await announceChange();
  };
  const readUntil = async (pattern: RegExp): Promise<string> => {
    const ending = new AbortController();
    const { body } = await fetch(`${shared.service.url}${progress}`, { signal: ending.signal });
    const reader = body?.getReader() ?? assert.fail();
    let written = '';
    while (!pattern.test(written)) written += Buffer.from((await reader.read()).value ?? []).toString();
    ending.abort();
    return written;
  };

  beforeEach(async () => {
    const { connection } = shared.service.database;
    const holder = await findByName(connection, 'github', engines.name);
    accountId = holder?.account.id ?? assert.fail();
    key = collectJob(accountId).key;
    await completeLookup(connection, key);
    await list(null);
  });

  it('says since when its host fails, and that the service tries again', async () => {
    await fail('2026-06-15T12:34:56Z', inAnHour());
    await fail('2026-06-15T12:45:00Z', inAnHour());
    const { status, text } = await shared.service.get(`${page}?people=21`);
    assert.equal(status, 200, text);
    assert.match(/<span data-failing>([^<]*)</.exec(text)?.[1] ?? text, failing);
    assert.ok(text.includes(`data-progress="${progress}"`));
    assert.match(await readUntil(/isFailing/), /event: progress\ndata: \{[^}]*"isFailing":true\}/);
  });

  it('begins the listing again once the failure no longer stands, and keeps its time meanwhile', async () => {
    const { pool } = shared.service.database;
    await fail('2026-06-15T12:34:56Z', new Date('2026-06-15T12:35:06Z'));
    await readUntil(/isFailing/);
    const running = await until(async () => {
      const { rows } = await pool.query<{ since: Date }>(
        `select failing_since as since from lookups where key = $1 and state = 'running'`,
        [key],
      );
      return rows[0];
    }, 'the listing begins again');
    assert.deepEqual(running.since, new Date('2026-06-15T12:34:56Z'));
  });

  it('changes by itself when its host begins to fail, and when the repositories are listed', async () => {
    const browser = await sharedBrowser();
    const tab = await browser.newPage();
    // Avatars would still be on their way when the test ends.
    await tab.route('**/avatars/**', (route) => route.abort());
    // The script of the page waits before it opens another stream.
    await tab.clock.install();
    await tab.goto(`${shared.service.url}${page}?people=22`);
    await tab.waitForSelector('[data-progress]');
    assert.equal(await tab.locator('[data-failing]').count(), 0);
    await fail('2026-06-15T12:34:56Z', inAnHour());
    await tab.waitForSelector('[data-failing]');
    assert.match((await tab.textContent('[data-failing]')) ?? '', failing);
    await completeLookup(shared.service.database.connection, key);
    await list(new Date());
    await tab.clock.fastForward(pauseMs);
    await tab.waitForSelector('[data-progress]', { state: 'detached' });
    assert.equal(await tab.textContent('h1'), 'Analytical Engines');
    await tab.close();
  });
});
