import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { sql } from 'kysely';
import { collectJob, collectRepositoryJob } from '../../../src/contributions/items/jobs.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { Job } from '../../../src/database/queue/added-jobs.ts';
import { delayLookup, failLookup } from '../../../src/database/queue/lookups.ts';
import { AppError, type ErrorCode } from '../../../src/model/errors.ts';
import { addRejections } from '../../../src/sync/deliveries/rejection-store.ts';
import { saveDrift } from '../../../src/sync/streams/drift-store.ts';
import { countLost } from '../../../src/sync/totals/recount-owners.ts';
import { fill } from '../database/claims.ts';
import { type DoctorFixture, examine, listLines, openDoctorFixture, problems } from './examine.ts';
import { storeDelivery, storeFailedJob, storeFailure, storeRepository, storeSkippedItem } from './store-faults.ts';

const hour = 3_600_000;
const hoursAgo = (hours: number): Date => new Date(Date.now() - hours * hour);

describe('plaudit doctor on stored data', () => {
  let fixture: DoctorFixture;
  before(async () => {
    fixture = await openDoctorFixture();
  });
  after(() => fixture?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    const { connection } = fixture.database;
    await sql`truncate accounts, deliveries, rejected_deliveries, installations, lookups cascade`.execute(connection);
    await sql`delete from graphile_worker._private_jobs`.execute(connection);
  });

  it('finds nothing wrong in a healthy database, and returns status 0', async () => {
    await storeRepository(fixture.database.connection, { name: 'handbook' });
    const examined = await examine(fixture.environment);
    assert.deepEqual(problems(examined), []);
    assert.deepEqual([examined.status, examined.report.healthy, examined.report.problems], [0, true, 0]);
    for (const code of ['streams_read', 'items_stored', 'data_agrees', 'jobs_done', 'polls_done'] as const) {
      assert.match(listLines(examined, code)[0] ?? '', /^fine: /, code);
    }
    assert.match(listLines(examined, 'service_not_running')[0] ?? '', /^hint: No service runs .* Start it/);
  });

  it('reports failing streams with repository, cause, time of the first failure and remedy', async () => {
    const { connection } = fixture.database;
    const reason = 'Resource not accessible by integration';
    for (const name of ['one', 'two', 'three', 'four']) {
      const id = await storeRepository(connection, { name });
      await storeFailure(connection, id, { code: 'provider_denied', reason });
    }
    const alone = await storeRepository(connection, { name: 'alone' });
    await storeFailure(connection, alone, { code: 'not_found', reason: '' });
    const examined = await examine(fixture.environment);
    assert.equal(examined.status, 1);
    assert.equal(listLines(examined, 'stream_failing').length, 2);
    const [repeatedFailure, singleFailure] = listLines(examined, 'stream_failing');
    assert.match(
      repeatedFailure ?? '',
      /^problem github: issues: This stream of .* and 1 other cannot be read since 2026-03-01 12:00 UTC: /,
    );
    assert.match(
      repeatedFailure ?? '',
      /the host denies it: "Resource not accessible by integration"\. Give the token or the App/,
    );
    assert.match(
      singleFailure ?? '',
      / of acme\/alone cannot be read since .*: the host has no such part\. Nothing, if it is switched off/,
    );
    const finding = examined.report.findings.find(({ code }) => code === 'stream_failing');
    assert.deepEqual([finding?.count, finding?.since], [4, '2026-03-01T12:00:00.000Z']);
  });

  it('reports a host that does not respond once it has failed for ten minutes', async () => {
    const { connection, pool } = fixture.database;
    const id = await storeRepository(connection, { name: 'engine' });
    await storeFailure(connection, id, { code: 'provider_unavailable', reason: 'It does not respond.' });
    const failFor = (minutes: number) =>
      pool.query('update streams set failing_since = now() - make_interval(mins => $1)', [minutes]);
    await failFor(9);
    assert.deepEqual(listLines(await examine(fixture.environment), 'stream_failing'), []);
    await failFor(11);
    assert.match(
      listLines(await examine(fixture.environment), 'stream_failing')[0] ?? '',
      /^problem github: issues: This stream of acme\/engine cannot be read since .*: the host does not respond: /,
    );
  });

  it('counts repositories whose collection waits, by reason, with the time at which it goes on', async () => {
    const { connection, pool } = fixture.database;
    const later = new Date(Date.now() + 30 * 60_000);
    const findId = async (owner: string): Promise<string> => {
      const { rows } = await pool.query<{ id: string }>('select id from accounts where name = $1', [owner]);
      return rows[0]?.id ?? assert.fail(owner);
    };
    const failSince = async (key: string, code: ErrorCode, failedAt: Date): Promise<void> => {
      const error = new AppError(code, 'No.');
      await failLookup(connection, key, { state: 'failed', error, failedAt }, hoursAgo(0.01));
    };
    for (const owner of ['large', 'silent', 'closed', 'alone']) {
      for (const name of ['one', 'two', 'read']) await storeRepository(connection, { name, owner });
    }
    await pool.query(
      "update streams set completed_at = null where repository_id in (select id from repositories where name <> 'read')",
    );
    const wait = (job: Job) =>
      inTransaction(connection, (transaction) => delayLookup(transaction, job, later, new Date()));
    assert.deepEqual(problems(await examine(fixture.environment)), []);
    await wait(collectJob(await findId('large')));
    await wait(collectRepositoryJob({ accountId: await findId('alone'), repository: 'One', withPrivate: true }));
    await failSince(collectJob(await findId('silent')).key, 'provider_unavailable', hoursAgo(1));
    await failSince(collectJob(await findId('closed')).key, 'provider_denied', hoursAgo(0.1));
    const examined = await examine(fixture.environment);
    const lines = listLines(examined, 'repositories_waiting');
    const until = `${later.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    assert.deepEqual(
      lines.map((line) => line.slice(0, line.indexOf('to be read'))),
      [
        'problem github: refused: 2 repositories of closed wait ',
        'problem github: unreachable: 2 repositories of silent wait ',
        'hint github: quota: 3 repositories of alone and large wait ',
      ],
    );
    assert.ok(
      lines[2]?.includes(`to be read, until ${until}: the rest of the quota is kept for others. Nothing, or add`),
      lines[2],
    );
  });

  it('calls a host without a response a hint for ten minutes, and counts unlisted accounts', async () => {
    const { connection, pool } = fixture.database;
    await storeRepository(connection, { name: 'read', owner: 'new' });
    const { rows } = await pool.query<{ id: string }>('select id from accounts');
    const error = new AppError('provider_unavailable', 'No.');
    const outcome = { state: 'failed', error, failedAt: hoursAgo(0.1) } as const;
    await failLookup(connection, collectJob(rows[0]?.id ?? '').key, outcome, hoursAgo(-1));
    assert.match(
      listLines(await examine(fixture.environment), 'repositories_waiting')[0] ?? '',
      /^hint github: unreachable: The repositories of new wait to be read since .*, until .*: the host does not respond\. /,
    );
  });

  it('reports skipped items by kind and path: lost ones as a problem, refused or partly stored ones as a hint', async () => {
    const { connection } = fixture.database;
    const id = await storeRepository(connection, { name: 'handbook' });
    await storeSkippedItem(connection, id, { kind: 'issue', reason: 'unreadable', path: '/nodes/*', isStored: false });
    await storeSkippedItem(connection, id, { kind: 'label', reason: 'unreadable', path: '/labels/*', isStored: true });
    const explanation = 'Resource protected by organization SAML enforcement';
    await storeSkippedItem(connection, id, {
      kind: 'star',
      reason: 'refused',
      path: '/stars',
      isStored: false,
      explanation,
    });
    const examined = await examine(fixture.environment);
    assert.deepEqual(problems(examined), ['items_skipped']);
    const lines = listLines(examined, 'items_skipped').join('\n');
    assert.match(
      lines,
      /problem github: issues: 3 items of the kind issue in acme\/handbook are left out: the service cannot read \/nodes\/\*/,
    );
    assert.match(
      lines,
      /hint .* kind label in acme\/handbook are stored without \/labels\/\*, which the service cannot read/,
    );
    assert.match(
      lines,
      /hint .* kind star .* left out: the host refuses \/stars \("Resource protected by organization SAML enforcement"\)/,
    );
  });

  it('reports deliveries that wait, that were given up, and that are missing although something happened', async () => {
    const { connection } = fixture.database;
    await storeRepository(connection, { name: 'handbook', changedHoursAgo: 5 });
    const never = await examine(fixture.environment);
    assert.match(
      listLines(never, 'delivery_overdue')[0] ?? '',
      /^problem github: No delivery has come in the last 30 days, though acme\/handbook changed at .* At the host, look at/,
    );
    await storeDelivery(connection, { id: 'old', hoursAgo: 48, isApplied: true });
    const long = await examine(fixture.environment);
    assert.match(
      listLines(long, 'delivery_overdue')[0] ?? '',
      /The last delivery came 2 days ago, though acme\/handbook changed/,
    );
    await storeDelivery(connection, { id: 'waiting', hoursAgo: 4 });
    await storeDelivery(connection, { id: 'dead', hoursAgo: 4, attempts: 20 });
    const waiting = await examine(fixture.environment);
    assert.deepEqual(problems(waiting).toSorted(), ['deliveries_failed', 'deliveries_pending']);
    assert.match(listLines(waiting, 'deliveries_pending')[0] ?? '', /1 delivery wait.* since 4 hours ago/);
    assert.match(listLines(waiting, 'delivery_received')[0] ?? '', /^fine github: The last delivery came 4 hours ago/);
  });

  it('reports rejected deliveries with the reason, and treats them as settled when a later one was accepted', async () => {
    const { connection } = fixture.database;
    const counts = { provider: 'github', count: 12, firstAt: hoursAgo(30), lastAt: hoursAgo(2) };
    await addRejections(connection, [{ ...counts, reason: 'signature' }]);
    const rejected = await examine(fixture.environment);
    assert.deepEqual(problems(rejected), ['deliveries_rejected']);
    assert.match(
      listLines(rejected, 'deliveries_rejected')[0] ?? '',
      /^problem github: 12 deliveries since .* were rejected, the last one 2 hours ago: they are not signed with the configured secret\. Give the webhook at the host the secret that GITHUB_WEBHOOK_SECRET has\.$/,
    );
    await storeDelivery(connection, { id: 'taken', hoursAgo: 1, isApplied: true });
    assert.match(listLines(await examine(fixture.environment), 'deliveries_rejected')[0] ?? '', /^hint /);
    await addRejections(connection, [{ ...counts, reason: 'no_secret' }]);
    assert.deepEqual(problems(await examine(fixture.environment)), []);
    // Only the host can have signed a delivery that is rejected for its payload.
    await addRejections(connection, [{ ...counts, reason: 'payload' }]);
    assert.deepEqual(problems(await examine(fixture.environment)), ['deliveries_rejected']);
  });

  it('reports a drift that persists as a problem, and mentions one that was repaired', async () => {
    const { connection } = fixture.database;
    const repositoryId = await storeRepository(connection, { name: 'handbook' });
    const drift = { provider: 'github', repositoryId, part: 'issues', expected: 1200, found: 1100, isRepaired: false };
    await saveDrift(connection, drift, hoursAgo(3));
    const examined = await examine(fixture.environment);
    assert.deepEqual(problems(examined), ['drift']);
    assert.match(
      listLines(examined, 'drift')[0] ?? '',
      /acme\/handbook has 1,200 issues at the host, and 1,100 were stored \(3 hours ago, not repaired\)\. Run plaudit sync github\/acme\/handbook/,
    );
    await saveDrift(connection, { ...drift, isRepaired: true }, hoursAgo(1));
    assert.match(listLines(await examine(fixture.environment), 'drift')[0] ?? '', /^hint .*, repaired\)/);
  });

  it('reports commits that are not counted for their people, until the night has them counted again', async () => {
    const { connection, pool } = fixture.database;
    const id = await storeRepository(connection, { name: 'small' });
    await pool.query(
      `with found as (
         insert into identities (provider, email, account_id) select 'github', 'eff@forge.test', id from accounts returning id
       ), used as (
         insert into repository_identities (repository_id, identity_id, is_author, is_counted)
         select $1, id, false, true from found
       ), stream as (
         insert into streams (repository_id, name, covers, completed_at) values ($1, 'commits', '{commit}', now())
       ), totals as (
         insert into repository_totals (repository_id, commits_counted) values ($1, true)
       )
       insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
       select $1, decode(md5('1'), 'hex'), now(), now(), 1, array[id] from found`,
      [id],
    );
    await sql`update repositories set default_branch = 'main'`.execute(connection);
    const examined = await examine(fixture.environment);
    assert.deepEqual(problems(examined), ['commits_uncounted']);
    assert.match(listLines(examined, 'commits_uncounted')[0] ?? '', /Commits of acme\/small are not counted/);

    await countLost({ connection, onFailure: () => {} });
    const repaired = await examine(fixture.environment);
    assert.deepEqual(problems(repaired), []);
    assert.match(listLines(repaired, 'commits_uncounted')[0] ?? '', /^hint: .*acme\/small wait for a job/);
    const { rows } = await pool.query('select key from graphile_worker.jobs');
    assert.equal(rows.length, 1);
    await pool.query(
      'delete from contributor_totals; update repository_totals set commits_counted = true; delete from commits',
    );
    assert.match(listLines(await examine(fixture.environment), 'commits_counted')[0] ?? '', /^fine: /);
  });

  it('reports jobs that keep failing, with the error and without the payload', async () => {
    const { connection } = fixture.database;
    await storeFailedJob(connection, { task: 'collect', key: 'collect 1', attempts: 3, error: 'deadlock\n  at x.ts' });
    await storeFailedJob(connection, { task: 'collect', key: 'collect 2', attempts: 25, error: 'deadlock detected' });
    await storeFailedJob(connection, { task: 'refresh', key: 'refresh 1', attempts: 1, error: 'once' });
    const examined = await examine(fixture.environment);
    assert.deepEqual(problems(examined), ['jobs_failing']);
    const lines = listLines(examined, 'jobs_failing').join('\n');
    assert.match(
      lines,
      /problem collect: 2 jobs failed, up to 25 times, .* \(collect 2\); 1 job of them is given up: deadlock detected/,
    );
    assert.match(lines, /hint refresh: 1 job failed, up to 1 time/);
    assert.ok(!examined.text.includes('private-name'));
  });

  it('reports no job that failed after another one had replaced it', async () => {
    const { connection } = fixture.database;
    const job = { task: 'collect', key: 'collect 1', attempts: 1, error: 'This operation was aborted' };
    await storeFailedJob(connection, job);
    await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker'`.execute(connection);
    await sql`select graphile_worker.add_job('collect', job_key => 'collect 1')`.execute(connection);
    await sql`update graphile_worker._private_jobs set locked_at = null, locked_by = null`.execute(connection);
    const { rows } = await sql`select 1 from graphile_worker._private_jobs where key is null`.execute(connection);
    assert.equal(rows.length, 1);
    assert.deepEqual(listLines(await examine(fixture.environment), 'jobs_failing'), []);
  });

  it('reports delayed lookups by reason: a hint, and a problem when their queue is full', async () => {
    const { pool } = fixture.database;
    const until = new Date(Date.now() + hour);
    await pool.query(`insert into lookups (key, state, retry_at) values ('one', 'delayed_by_allowance', $1)`, [until]);
    const hinted = await examine(fixture.environment);
    assert.deepEqual(problems(hinted), []);
    assert.match(
      listLines(hinted, 'lookups_delayed')[0] ?? '',
      /^hint allowance: 1 lookup of new names waits for the allowance of the visitors .* raise LOOKUPS_PER_HOUR/,
    );
    await fill(fixture.database, until, 1);
    const full = await examine(fixture.environment);
    assert.deepEqual(problems(full), ['lookups_delayed', 'lookups_delayed']);
    assert.match(
      listLines(full, 'lookups_delayed').join('\n'),
      /^problem quota: 999 lookups of new names wait for a host's quota, until .* The queue is full: /m,
    );
  });

  it('reports repositories whose poll is long overdue', async () => {
    const { connection } = fixture.database;
    const late = await storeRepository(connection, { name: 'late' });
    await storeRepository(connection, { name: 'fine' });
    await sql`update repository_polls set next_at = now() - interval '5 hours' where repository_id = ${late}`.execute(
      connection,
    );
    const never = await storeRepository(connection, { name: 'never' });
    await sql`delete from repository_polls where repository_id = ${never}`.execute(connection);
    const examined = await examine(fixture.environment);
    assert.deepEqual(problems(examined), ['polls_overdue']);
    assert.match(
      listLines(examined, 'polls_overdue')[0] ?? '',
      /2 installed repositories of 3 wait to be polled, acme\/never for 30 days/,
    );
  });

  it('reports installations that lack permissions or are suspended', async () => {
    const { connection } = fixture.database;
    const install = (id: string, missing: string[], suspendedAt: Date | null) =>
      connection
        .insertInto('installations')
        .values({
          provider: 'github',
          id,
          source: 'app',
          account_external_id: id,
          account_name: `account-${id}`,
          credential_name: `installation:${id}`,
          covers: 'all',
          missing_permissions: missing,
          suspended_at: suspendedAt,
          removed_at: null,
          seen_at: hoursAgo(1),
          covered_at: null,
          created_at: hoursAgo(1),
        })
        .execute();
    await install('1', ['pull_requests', 'discussions'], null);
    await install('2', [], hoursAgo(1));
    await install('3', [], null);
    const examined = await examine(fixture.environment);
    assert.deepEqual(problems(examined), ['installation_lacks_permission']);
    assert.match(
      listLines(examined, 'installation_lacks_permission')[0] ?? '',
      /account-1 gave the App no permission to read pull requests and discussions/,
    );
    assert.match(listLines(examined, 'installation_suspended')[0] ?? '', /^hint github: account-2 suspended the App/);
  });

  it('reports holders of keys whom no credential can check, or whom the host has not confirmed', async () => {
    const { connection } = fixture.database;
    await storeRepository(connection, { name: 'handbook' });
    const lines = async (canCheck: boolean, confirmedHoursAgo: number): Promise<string[]> => {
      await sql`
        insert into administrators (account_id, person, name, confirmed_at, can_check, check_after)
        select id, '7', 'github/olive', ${hoursAgo(confirmedHoursAgo)}, ${canCheck}, now() from accounts
        on conflict (account_id, person) do update
        set confirmed_at = excluded.confirmed_at, can_check = excluded.can_check`.execute(connection);
      const examined = await examine(fixture.environment);
      return examined.report.findings
        .filter(({ code }) => code.startsWith('administrators_'))
        .map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
    };
    assert.deepEqual(await lines(true, 1), [], 'the person holds nothing');
    await sql`
      insert into owner_keys (account_id, id, kind, spki, created_at, ends_at, holder)
      select id, 'key', 'Ed25519', '', now(), now() + interval '1 day', '7' from accounts`.execute(connection);
    assert.deepEqual(await lines(true, 1), [
      'fine administrators_checked: The host confirms 1 holder of keys and embed links.',
    ]);
    const [unchecked = ''] = await lines(false, 1);
    assert.match(unchecked, /^hint administrators_unchecked: .* 1 holder .* still administers .*, such as acme\./);
    const [unanswered = ''] = await lines(true, 73);
    assert.match(unanswered, /^problem administrators_unanswered: The host has not confirmed .* for 3 days\./);
  });
});
