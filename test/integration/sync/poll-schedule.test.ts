import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { sumPollDemand } from '../../../src/accounts/installations/owner-poll-store.ts';
import { findPoll, savePoll } from '../../../src/accounts/repositories/poll-store.ts';
import { findRepository } from '../../../src/accounts/repositories/store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import type { Provider } from '../../../src/hosts/interface/provider.ts';
import { newCost, newPollDemands, type SyncContext } from '../../../src/sync/context.ts';
import { pollRepository } from '../../../src/sync/listings/poll-repository.ts';
import {
  findPollInterval,
  hastenAfterChange,
  partOfAge,
  pollLimitsMs,
  wantedIntervalMs,
} from '../../../src/sync/listings/poll-schedule.ts';
import { Claims } from '../../../src/sync/streams/claims.ts';
import { openTestDatabase } from '../../database.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { begin, eraseRepository, untilWaiting } from '../contributions/erasure-fixture.ts';
import { analyzeTables, watchPlans } from '../plans.ts';
import { engine } from '../repositories/engine.ts';

const now = new Date('2026-06-15T12:00:00Z');
const hourMs = 3_600_000;
const hoursAgo = (hours: number): Date => new Date(now.getTime() - hours * hourMs);

/** Returns a provider with a number of tokens. */
function providerWith({ tokens, hasApp = true }: { tokens: number; hasApp?: boolean }): Provider {
  const polls = { repositories: { perHour: 25, quotas: tokens } };
  return { name: 'github', polls, ...(hasApp && { app: {} }) } as unknown as Provider;
}

interface Owned {
  count: number;
  /** The credential that shows them; undefined: they are public. */
  credentialName?: string;
  changedAt?: Date | null;
}

/** Stores installed and polled repositories of an account. @returns the id of one of them. */
async function addRepositories(
  { pool }: Pick<Database, 'pool'>,
  owner: string,
  { count, credentialName, changedAt = null }: Owned,
): Promise<string> {
  const { rows } = await pool.query<{ id: string }>(
    `with account as (
       insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
       values (gen_random_uuid(), 'github', $1, $1, 'organization', $1, now(), now(), now())
       on conflict (provider, external_id) do update set name = excluded.name returning id
     ), added as (
       insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, credential_name, is_fork,
         named_at, listed_at, installed_at, created_at, updated_at)
       select gen_random_uuid(), 'github', gen_random_uuid()::text, '', id, gen_random_uuid()::text, $3::text is not null,
         $3, false, now(), now(), now(), now(), now()
       from account, generate_series(1, $2)
       returning id
     ), polls as (
       insert into repository_polls (repository_id, next_at, interval_s, digest, changed_at)
       select id, $5::timestamptz + interval '20 hours', 86400, '', $4::timestamptz from added
     )
     select id from added limit 1`,
    [owner, count, credentialName ?? null, changedAt, now],
  );
  return rows[0]?.id ?? '';
}

async function installApp({ pool }: Pick<Database, 'pool'>, owner: string): Promise<void> {
  await pool.query(
    `insert into installations (provider, id, source, account_external_id, account_name, credential_name, covers,
       missing_permissions, seen_at, created_at)
     values ('github', $1, 'app', $1, $1, 'installation ' || $1, 'all', '{}', now(), now())`,
    [owner],
  );
}

/** Returns the interval, in whole hours, of a repository without changes. */
async function findHours(connection: Connection, id: string, provider: Provider): Promise<number> {
  const repository = (await findRepository(connection, id)) ?? assert.fail();
  return Math.round(
    (await findPollInterval(
      { connection, now: () => now, pollDemands: newPollDemands() },
      { provider, repository },
      null,
    )) / hourMs,
  );
}

describe('the interval of polls', () => {
  it('does not depend on the repositories of other installations, nor on those that tokens read', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const small = await addRepositories(database, 'small', { count: 10 });
    const large = await addRepositories(database, 'large', { count: 1200 });
    const byToken = await addRepositories(database, 'by-token', { count: 900 });
    await installApp(database, 'small');
    await installApp(database, 'large');
    const provider = providerWith({ tokens: 1 });
    const hours = [small, large, byToken].map((id) => findHours(database.connection, id, provider));
    assert.deepEqual(await Promise.all(hours), [24, 48, 36]);
  });

  it('is halved by a second token', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const id = await addRepositories(database, 'acme', { count: 2400 });
    assert.equal(await findHours(database.connection, id, providerWith({ tokens: 1 })), 96);
    assert.equal(await findHours(database.connection, id, providerWith({ tokens: 2 })), 48);
  });

  it('follows the quota of the only token that shows a private repository', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const id = await addRepositories(database, 'acme', { count: 1200, credentialName: 'one' });
    const withOtherCredential = await addRepositories(database, 'acme', { count: 10, credentialName: 'other' });
    const provider = providerWith({ tokens: 4 });
    assert.equal(await findHours(database.connection, id, provider), 48);
    assert.equal(await findHours(database.connection, withOtherCredential, provider), 24);
  });

  it('counts the repositories of stored installations for the tokens when there is no App any more', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const id = await addRepositories(database, 'acme', { count: 600 });
    await addRepositories(database, 'bees', { count: 600 });
    await installApp(database, 'acme');
    assert.equal(await findHours(database.connection, id, providerWith({ tokens: 1, hasApp: false })), 48);
  });

  it('sums wanted intervals as the function computes them', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const ages = [null, -1, 0, 0.2, 1, 5, 30, 71, 73, 2000];
    for (const hours of ages) {
      await addRepositories({ pool }, 'acme', { count: 1, changedAt: hours === null ? null : hoursAgo(hours) });
    }
    const users = { provider: 'github', hasApp: true };
    const limits = { ...pollLimitsMs, partOfAge };
    const found = await sumPollDemand(connection, users, { wanted: limits, now });
    const expected = ages.map((hours) => hourMs / wantedIntervalMs(hours === null ? null : hours * hourMs));
    assert.equal(found.repositories, ages.length);
    assert.ok(Math.abs(found.wantedPerHour - expected.reduce((sum, value) => sum + value)) < 1e-6);
  });

  it('is found without reading the repositories of other owners', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const id = await addRepositories(database, 'acme', { count: 10 });
    await addRepositories(database, 'bees', { count: 5000 });
    await installApp(database, 'acme');
    await analyzeTables(database);
    const ran = await watchPlans(database, (connection) => findHours(connection, id, providerWith({ tokens: 1 })));
    const scanned = ran.flatMap(({ scannedTables }) => scannedTables);
    assert.deepEqual(
      scanned.filter((table) => table === 'repositories' || table === 'repository_polls'),
      [],
    );
  });
});

describe('polls after a reported change', () => {
  it('are brought forward once', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const id = await addRepositories(opened.database, 'acme', { count: 1 });
    const repository = (await findRepository(connection, id)) ?? assert.fail();
    const nextAt = async (): Promise<number | undefined> => {
      const { rows } = await pool.query<{ next_at: Date }>('select next_at from repository_polls');
      return rows[0] && (rows[0].next_at.getTime() - now.getTime()) / 60_000;
    };
    const hasten = (at: Date): Promise<void> =>
      hastenAfterChange(
        { connection, now: () => at, pollDemands: newPollDemands() },
        { provider: providerWith({ tokens: 1 }), repository },
      );
    await hasten(now);
    assert.equal(await nextAt(), 20 * 60, 'nothing was reported');
    await pool.query(
      "insert into streams (repository_id, name, covers, invalidated_at) values ($1, 'issues', '{issue}', $2)",
      [id, now],
    );
    await hasten(now);
    assert.equal(await nextAt(), 5);
    await hasten(new Date(now.getTime() + 60_000));
    assert.equal(await nextAt(), 5);
  });
});

describe('savePoll', () => {
  it('stores nothing for a repository that is being erased', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const id = await addRepositories(opened.database, 'octo', { count: 1 });
    const erasing = await begin(connection, (transaction) => eraseRepository(transaction, id));
    const saved = savePoll(connection, id, { intervalMs: 1, digest: '', changedAt: null, nextAt: now });
    await untilWaiting(opened.database);
    await erasing.commit();
    await saved;
    assert.equal(await findPoll(connection, id), undefined);
  });
});

describe('pollRepository', () => {
  it('polls with the credential of the installation, soon after a change and rarely without one', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const id = await addRepositories(opened.database, 'acme', { count: 1 });
    await installApp(opened.database, 'acme');
    await pool.query('delete from repository_polls');
    const repository = (await findRepository(connection, id)) ?? assert.fail();
    let clock = now;
    let stars = 1;
    const used: (string | undefined)[] = [];
    const listed = { ...engine, ...repository, tips: {} };
    const page = { contributions: [], actors: [], wholeParents: [], nextCursor: null, total: null, pageSize: 0 };
    const provider = {
      ...providerWith({ tokens: 1 }),
      streams: { list: [] },
      polls: {
        repositories: { perHour: 250, quotas: 1 },
        readTip: async (_repository: unknown, call: { credentialName?: string }) => {
          used.push(call.credentialName);
          return { repository: { ...listed, stars }, page };
        },
      },
    } as unknown as Provider;
    const context = {
      connection,
      providers: new Map([['github', provider]]),
      node: 1,
      claims: new Claims(),
      pollDemands: newPollDemands(),
      freshForMs: hourMs,
      now: () => clock,
      newId: uuidv7,
      onFailure: () => {},
    } as unknown as SyncContext;
    const poll = async (hours: number): Promise<number | undefined> => {
      clock = new Date(now.getTime() + hours * hourMs);
      const signal = new AbortController().signal;
      const call = { urgency: 'background', signal, cost: newCost() } as const;
      await pollRepository(context, id, { call, onProgress: () => {} });
      return ((await findPoll(connection, id))?.intervalMs ?? 0) / 60_000;
    };
    assert.equal(await poll(0), 5);
    assert.equal(await poll(6), 120);
    stars = 2;
    assert.equal(await poll(8), 5);
    assert.equal(await poll(11), 60);
    assert.equal(await poll(24 * 8), 24 * 60);
    assert.deepEqual(new Set(used), new Set(['installation acme']));
  });
});
