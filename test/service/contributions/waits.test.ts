import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { lookUpJob, refreshJob } from '../../../src/accounts/jobs.ts';
import { findByName } from '../../../src/accounts/store.ts';
import { collectJob, collectRepositoryJob, fetchWindowJob } from '../../../src/contributions/items/jobs.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { Job } from '../../../src/database/queue/added-jobs.ts';
import { claimLookup, delayLookup, failLookup, renewLookup } from '../../../src/database/queue/lookups.ts';
import { AppError, type ErrorCode } from '../../../src/model/errors.ts';
import { failStream } from '../../../src/sync/streams/stream-store.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { names, storeHalfRead } from './half-read.ts';

const { organization, person, begun, unread } = names;

describe('the reason why a response is not complete', () => {
  const { now } = clock();
  const shared = shareStoredService({ service: { holdsWorld: false, now } });
  const inMinutes = (minutes: number): Date => new Date(now().getTime() + minutes * 60_000);
  const inAnHour = inMinutes(60);
  const inTenSeconds = new Date(now().getTime() + 10_000);
  let ids: Record<'organization' | 'person', string>;
  let requests = 0;

  const connection = () => shared.service.database.connection;
  const findId = async (name: string): Promise<string> =>
    (await findByName(connection(), 'github', name))?.account.id ?? assert.fail(name);
  const delay = (job: Job, until: Date): Promise<void> =>
    inTransaction(connection(), (transaction) => delayLookup(transaction, job, until, now()));
  const fail = (job: Job, code: ErrorCode, until: Date): Promise<void> =>
    failLookup(connection(), job.key, { state: 'failed', error: new AppError(code, 'No.'), failedAt: now() }, until);
  /** Reads the reason; another address is another response than a cached one. */
  const findWait = async (path: string): Promise<object> => {
    requests += 1;
    const mark = `${path.includes('?') ? '&' : '?'}request=${requests}`;
    const { body, text } = await shared.service.get(`${path}${mark}`);
    const { repositories: _repositories, ...wait } = body.meta_data.progress ?? assert.fail(text);
    return wait;
  };
  const timeIn = (time: Date): string => `${time.toISOString().slice(0, 19)}Z`;

  beforeEach(async () => {
    const { pool } = shared.service.database;
    await pool.query('truncate accounts, lookups cascade');
    await storeHalfRead(shared.service.database);
    ids = { organization: await findId(organization), person: await findId(person) };
  });

  it('is the quota, until it is renewed, on every endpoint about the repositories', async () => {
    await delay(collectJob(ids.organization), inAnHour);
    for (const path of [
      `${organization}/contributions`,
      `${organization}/contributions?period=this-year`,
      `${organization}/contributors`,
      `${organization}/contributors?since=2020-01-01`,
      `${organization}/contributors?repository=${unread}`,
      `${organization}/contributions/commits`,
      `${organization}/contributions/commits?period=this-year`,
      `${organization}/contributors/${person}/evidence`,
      `${organization}/repositories/${unread}/contributions`,
      `${organization}/repositories/${unread}/contributions/commits`,
    ]) {
      assert.deepEqual(await findWait(path), { reason: 'quota', resumes_dttm: timeIn(inAnHour) }, path);
    }
  });

  it('is drawn on cards with the time at which the service goes on', async () => {
    await delay(collectJob(ids.organization), inAnHour);
    for (const path of [
      `${organization}/contributions?format=svg`,
      `${organization}/contributors?format=svg`,
      `${organization}/contributions?card=calendar&format=svg`,
      `${organization}/contributors?format=svg&repository=${unread}`,
    ]) {
      const { text, headers } = await shared.service.get(path);
      assert.ok(text.includes('goes on at 13:00 UTC'), `${path}: ${text}`);
      assert.equal(headers.get('retry-after'), '3600', path);
    }
  });

  it('is the state of the lookup of one repository, if there is one', async () => {
    await delay(collectJob(ids.organization), inAnHour);
    const job = collectRepositoryJob({ accountId: ids.organization, repository: unread, withPrivate: false });
    await claimLookup(connection(), job, now());
    assert.deepEqual(await findWait(`${organization}/contributors?repository=${unread}`), { reason: 'collecting' });
    assert.deepEqual(await findWait(`${organization}/contributors`), {
      reason: 'quota',
      resumes_dttm: timeIn(inAnHour),
    });
  });

  for (const [code, reason] of [
    ['provider_unavailable', 'unreachable'],
    ['provider_invalid_response', 'unreachable'],
    ['provider_denied', 'refused'],
    ['provider_rate_limited', 'quota'],
  ] as const) {
    it(`is ${reason} after ${code}`, async () => {
      await fail(collectJob(ids.organization), code, inTenSeconds);
      assert.deepEqual(await findWait(`${organization}/contributors`), { reason, resumes_dttm: timeIn(inTenSeconds) });
    });
  }

  it('stays the failure while the host is tried again, until something is read', async () => {
    const job = collectJob(ids.organization);
    await fail(job, 'provider_unavailable', inMinutes(-1));
    assert.deepEqual(await findWait(`${organization}/contributors`), { reason: 'unreachable' });
    await claimLookup(connection(), job, now());
    assert.deepEqual(await findWait(`${organization}/contributors`), { reason: 'unreachable' });
    await renewLookup(connection(), job.key, now(), { isFailing: true });
    assert.deepEqual(await findWait(`${organization}/contributors`), { reason: 'unreachable' });
    await renewLookup(connection(), job.key, now());
    assert.deepEqual(await findWait(`${organization}/contributors`), { reason: 'collecting' });
  });

  it('is the collection once the time of a wait has come', async () => {
    await delay(collectJob(ids.organization), inMinutes(-1));
    assert.deepEqual(await findWait(`${organization}/contributors`), { reason: 'collecting' });
  });

  it('is that of the streams where nothing else is left to be read', async () => {
    const { pool } = shared.service.database;
    const failIssues = async (code: ErrorCode): Promise<void> => {
      const { rows } = await pool.query<{ id: string }>('select id from repositories where name = $1', [begun]);
      const failure = { code, reason: 'No.', failedAt: now(), restart: false };
      await failStream(connection(), rows[0]?.id ?? '', 'issues', failure);
    };
    const path = `${organization}/contributors?repository=${begun}`;
    assert.deepEqual(await findWait(path), { reason: 'collecting' });
    await failIssues('provider_denied');
    assert.deepEqual(await findWait(path), { reason: 'refused' });
    await failIssues('provider_unavailable');
    assert.deepEqual(await findWait(path), { reason: 'unreachable' });
    assert.deepEqual(await findWait(`${organization}/contributors`), { reason: 'collecting' });
  });

  it("is that of the lookups of a person's own numbers", async () => {
    assert.deepEqual(await findWait(`${person}/contributions`), { reason: 'collecting' });
    for (const job of [
      lookUpJob({ provider: 'github', name: person }),
      refreshJob(ids.person),
      fetchWindowJob({ accountId: ids.person, first: '2025-01-01', last: '2025-12-31' }),
    ]) {
      await claimLookup(connection(), collectJob(ids.person), now());
      await delay(job, inAnHour);
      assert.deepEqual(
        await findWait(`${person}/contributions`),
        { reason: 'quota', resumes_dttm: timeIn(inAnHour) },
        job.key,
      );
      await shared.service.database.pool.query('truncate lookups');
    }
  });
});
