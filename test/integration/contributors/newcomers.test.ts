import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import {
  type CountedContributions,
  findWindowContributors,
} from '../../../src/contributions/contributors/windowed-list-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { contributionKinds } from '../../../src/model/kinds.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepositories, makeContribution, storeContributions } from '../contributions/stored-repository.ts';
import { analyzeTables, watchPlans } from '../plans.ts';

const since = new Date('2026-05-01T06:00:00Z');
const dayMs = 86_400_000;
const hour = 1 / 24;

interface Stored {
  person: string;
  repository?: string;
  kind?: 'issue' | 'review';
  /** Days before the window; negative: in it. */
  age: number;
}

/** Stores people of one owner with two repositories, `engine` and `engine-2`, and `other`, which another one owns. */
async function store(connection: Connection, contributions: readonly Stored[]): Promise<{ ownerId: string }> {
  await addRepositories(connection, 2);
  const names = [...new Set(contributions.map(({ person }) => person))];
  await sql`
    insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
    select gen_random_uuid(), 'github', name, name, 'user', name, now(), now(), now()
    from unnest(${['grace', ...names]}::text[]) name`.execute(connection);
  await sql`
    insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
      created_at, updated_at)
    select gen_random_uuid(), 'github', 'other', 'other', id, 'other', false, false, now(), now(), now(), now()
    from accounts where name = 'grace'`.execute(connection);
  const { rows: accounts } = await sql<{ id: string; name: string }>`select id, name from accounts`.execute(connection);
  const { rows: repositories } = await sql<{ id: string; name: string }>`select id, name from repositories`.execute(
    connection,
  );
  const toId = (rows: { id: string; name: string }[], name: string) =>
    rows.find((row) => row.name === name)?.id ?? assert.fail(name);
  for (const { id, name } of repositories) {
    const ofRepository = contributions.flatMap(({ person, repository = 'engine', kind = 'issue', age }, index) =>
      repository === name
        ? makeContribution({
            kind,
            externalId: String(index),
            author: toId(accounts, person),
            createdAt: new Date(since.getTime() - age * dayMs),
          })
        : [],
    );
    if (ofRepository.length > 0) await storeContributions(connection, id, ofRepository);
  }
  return { ownerId: toId(accounts, 'ada') };
}

async function findNewcomers(
  connection: Connection,
  ownerId: string,
  limits: Partial<CountedContributions> = {},
): Promise<string[]> {
  const scope = { accountId: ownerId, repositoryId: null, includesPrivate: false };
  const counted = { scope, since, until: null, kinds: contributionKinds, only: null, except: [], newcomers: true };
  const everyone = { type: undefined, viewerId: null };
  const found = await findWindowContributors(connection, { ...counted, ...limits }, everyone, { limit: 100 });
  return found.contributors.map(({ name }) => name).toSorted();
}

describe('newcomers of a window', () => {
  it('have no contribution before it, however long ago', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const ages = [hour, 0.3, 1, 89, 90, 91, 92, 729, 730, 731, 732, 5000];
    const { ownerId } = await store(connection, [
      ...ages.flatMap((age) => [
        { person: `former-${age}`, age },
        { person: `former-${age}`, age: -1 },
      ]),
      { person: 'new', age: 0 },
      { person: 'newer', age: -20 },
      { person: 'absent', age: 30 },
    ]);
    assert.deepEqual(await findNewcomers(connection, ownerId), ['new', 'newer']);
    assert.deepEqual(await findNewcomers(connection, ownerId, { until: new Date(since.getTime() + dayMs) }), ['new']);
  });

  it('may have contributed in other ways, to other repositories or to other owners', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const { ownerId } = await store(connection, [
      { person: 'reviewer', age: 100 },
      { person: 'reviewer', kind: 'review', age: -1 },
      { person: 'wanderer', repository: 'engine-2', age: 1000 },
      { person: 'wanderer', age: -1 },
      { person: 'guest', repository: 'other', age: 10 },
      { person: 'guest', age: -1 },
    ]);
    const { rows } = await sql<{ id: string }>`select id from repositories where name = 'engine'`.execute(connection);
    const only = rows.map(({ id }) => id);
    assert.deepEqual(await findNewcomers(connection, ownerId), ['guest']);
    assert.deepEqual(await findNewcomers(connection, ownerId, { kinds: ['review'] }), ['reviewer']);
    assert.deepEqual(await findNewcomers(connection, ownerId, { only }), ['guest', 'wanderer']);
  });

  it('are found without the former days of others', { skip: isOnCluster }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { ownerId } = await store(database.connection, [{ person: 'new', age: -1 }]);
    const measure = async (): Promise<number> => {
      await analyzeTables(database);
      const ran = await watchPlans(database, async (connection) => {
        assert.deepEqual(await findNewcomers(connection, ownerId), ['new']);
      });
      return ran.find(({ text }) => text.includes('former'))?.blocks ?? assert.fail('no statement was reported');
    };
    await measure();
    const before = await measure();
    await sql`
      with others as (
        insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
        select gen_random_uuid(), 'github', n::text, n::text, 'user', n::text, now(), now(), now()
        from generate_series(1001, 1100) n returning id)
      insert into contribution_days (repository_id, account_id, day, issues)
      select r.id, o.id, '2026-04-30'::date - n, 1
      from repositories r cross join others o cross join generate_series(1, 100) n`.execute(database.connection);
    const after = await measure();
    assert.ok(after <= before + 50, `${before} and ${after} blocks`);
  });
});
