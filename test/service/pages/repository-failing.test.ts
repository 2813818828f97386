import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { findByName } from '../../../src/accounts/store.ts';
import { collectRepositoryJob } from '../../../src/contributions/items/jobs.ts';
import { completeLookup, failLookup } from '../../../src/database/queue/lookups.ts';
import { AppError } from '../../../src/model/errors.ts';
import { failStream } from '../../../src/sync/streams/stream-store.ts';
import { loadTexts, locales } from '../../../src/views/languages/texts.ts';
import { engines } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';

const repository = 'engine-1';
const page = `/github/${engines.name}/${repository}`;
const progress = `/pages/progress/github/${engines.name}?until=complete&repository=${repository}`;

describe('the page of a repository that cannot be read', () => {
  const shared = shareStoredService({ service: { settings: { LOOKUP_BUDGET_MS: '100' } } });
  let key = '';

  const fail = (at: string, standsUntil: Date): Promise<void> => {
    const error = new AppError('provider_unavailable', 'GitHub cannot be reached.');
    const outcome = { state: 'failed', error, failedAt: new Date(at) } as const;
    return failLookup(shared.service.database.connection, key, outcome, standsUntil);
  };
  const inAnHour = (): Date => new Date(Date.now() + 3_600_000);

  /** Follows the progress of the page until it says that the host fails. */
  const readUntilFailing = async (): Promise<void> => {
    const ending = new AbortController();
    const { body } = await fetch(`${shared.service.url}${progress}`, { signal: ending.signal });
    const reader = body?.getReader() ?? assert.fail();
    let written = '';
    while (!written.includes('"isFailing":true')) written += Buffer.from((await reader.read()).value ?? []).toString();
    ending.abort();
  };

  beforeEach(async () => {
    const { connection, pool } = shared.service.database;
    const holder = await findByName(connection, 'github', engines.name);
    const accountId = holder?.account.id ?? assert.fail();
    key = collectRepositoryJob({ accountId, repository, withPrivate: false }).key;
    await completeLookup(connection, key);
    await pool.query(
      'update streams set completed_at = null where repository_id = (select id from repositories where name = $1 and owner_id = $2)',
      [repository, accountId],
    );
  });

  it('says since when its host fails, in every language', async () => {
    const before = await shared.service.get(`${page}?people=21`);
    assert.ok(before.text.includes('data-progress') && !before.text.includes('data-failing'), before.text);
    await fail('2026-06-15T12:34:56Z', inAnHour());
    await fail('2026-06-15T12:45:00Z', inAnHour());
    for (const locale of locales) {
      const { status, text } = await shared.service.get(`${page}?people=22&lang=${locale}`);
      assert.equal(status, 200, text);
      const [, said = ''] = /<span data-failing>([^<]*)</.exec(text) ?? [];
      for (const part of loadTexts(locale).pages.notResponding.split(/\{\w+\}/))
        assert.ok(said.includes(part.replaceAll("'", '&#39;')), `${locale}: ${said}`);
      assert.ok(said.includes('github') && said.includes('UTC'), `${locale}: ${said}`);
    }
  });

  it('says since when its streams fail, and does not begin to read it again for this', async () => {
    const { database } = shared.service;
    const { rows } = await database.pool.query<{ id: string }>(
      `select repository_id as id from streams where completed_at is null and name = 'issues'`,
    );
    assert.equal(rows.length, 1);
    const id = rows[0]?.id ?? assert.fail();
    for (const minute of ['34', '45']) {
      const failedAt = new Date(`2026-07-15T12:${minute}:56Z`);
      const failure = { code: 'provider_denied', reason: 'Forbidden', restart: false, failedAt };
      await failStream(database.connection, id, 'issues', failure);
    }
    const { text } = await shared.service.get(`${page}?people=23`);
    assert.match(text, /<span data-failing>github has not given a usable response since Jul 15, 2026, 12:34\sPM UTC\./);
    await readUntilFailing();
    const lookups = await database.pool.query('select from lookups where key = $1', [key]);
    assert.equal(lookups.rowCount, 0);
  });

  it('begins to read the repository again once the failure no longer stands', async () => {
    const { pool } = shared.service.database;
    await fail('2026-06-15T12:34:56Z', new Date('2026-06-15T12:35:06Z'));
    await readUntilFailing();
    const since = await until(async () => {
      const { rows } = await pool.query<{ since: Date }>(
        `select failing_since as since from lookups where key = $1 and state = 'running'`,
        [key],
      );
      return rows[0]?.since;
    }, 'the repository is read again');
    assert.deepEqual(since, new Date('2026-06-15T12:34:56Z'));
  });
});
