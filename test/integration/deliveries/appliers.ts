import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../../src/database/connections/connection.ts';
import { openUnchanged } from '../../../src/database/connections/open.ts';
import type { Change } from '../../../src/hosts/interface/provider.ts';
import { newAppliers, type SyncContext } from '../../../src/sync/context.ts';
import { applyDeliveries } from '../../../src/sync/deliveries/apply-deliveries.ts';
import { type Received, saveDeliveries } from '../../../src/sync/deliveries/store.ts';
import { createTestDatabase } from '../../database.ts';
import { until } from '../../time.ts';

const begunAt = Date.now() - 3_600_000;

/** Nodes without workers on one database, with as many installed repositories, each of an owner of its own. */
export interface AppliersFixture extends AsyncDisposable {
  database: Database;
  nodes: SyncContext[];
  /** Failures that the nodes reported. */
  failures: { error: unknown; work: string }[];
  /** Stores deliveries, which arrive a second after each other. */
  receive(...deliveries: Change[][]): Promise<void>;
  /** Returns the number of deliveries that are not applied. */
  pending(): Promise<number>;
  /** Applies deliveries on all nodes until this is their number. */
  applyUntil(pending: number): Promise<void>;
  /** Ends the connections of all nodes. */
  closeNodes(): Promise<void>;
}

/** @param options.databaseUrl a database with all tables and no rows. Default: a new one. */
export async function openAppliers(options: {
  nodes: number;
  repositories: number;
  databaseUrl?: string;
}): Promise<AppliersFixture> {
  await using stack = new AsyncDisposableStack();
  const url = options.databaseUrl ?? stack.use(await createTestDatabase()).url;
  const open = () => openUnchanged({ databaseUrl: url, dataDir: '/nonexistent', log: () => {} });
  const database = await open();
  stack.defer(() => database.close());
  const failures: AppliersFixture['failures'] = [];
  const nodes = new AsyncDisposableStack();
  stack.use(nodes);
  const contexts: SyncContext[] = [];
  for (let node = 1; node <= options.nodes; node += 1) {
    const own = await open();
    nodes.defer(() => own.close());
    contexts.push({
      connection: own.connection,
      providers: new Map(),
      node,
      appliers: newAppliers(),
      now: () => new Date(),
      newId: uuidv7,
      onFailure: (error: unknown, work: string) => void failures.push({ error, work }),
    } as unknown as SyncContext);
  }
  await storeRepositories(database, options.repositories);
  let received = 0;
  const pending = async (): Promise<number> => {
    const { rows } = await database.pool.query('select from deliveries where applied_at is null and attempts < 20');
    return rows.length;
  };
  const parts = stack.move();
  return {
    database,
    nodes: contexts,
    failures,
    receive: async (...deliveries) => {
      const saved = deliveries.map((changes): Received => {
        received += 1;
        const id = String(received).padStart(6, '0');
        return { provider: 'github', id, event: 'test', changes, receivedAt: new Date(begunAt + received * 1000) };
      });
      await saveDeliveries(database.connection, saved);
    },
    pending,
    applyUntil: (count) =>
      until(async () => {
        await Promise.all(contexts.map((context) => applyDeliveries(context)));
        return (await pending()) === count ? true : undefined;
      }, `${count} deliveries are left`).then(() => {}),
    closeNodes: () => nodes.disposeAsync(),
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}

/** Stores as many installed repositories, each of an owner of its own. */
export async function storeRepositories({ pool }: Database, count: number): Promise<void> {
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, fetched_at, created_at, updated_at)
     select gen_random_uuid(), 'github', n::text, n::text, 'user', 'owner-' || n, now(), now(), now(), now()
     from generate_series(1, $1::integer) n`,
    [count],
  );
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, installed_at, created_at, updated_at)
     select gen_random_uuid(), 'github', a.external_id, a.external_id, a.id, 'engine', false, false, now(),
       now() - interval '1 day', now(), now(), now() from accounts a`,
  );
  await pool.query(
    `insert into streams (repository_id, name, covers) select id, 'issues', '{issue}' from repositories`,
  );
}

/** Holds the rows of some repositories until the result is disposed of. */
export async function holdRepositories({ pool }: Database, externalIds: readonly string[]): Promise<AsyncDisposable> {
  const client = await pool.connect();
  await client.query('begin');
  const { rowCount } = await client.query('select from repositories where external_id = any($1) for update', [
    externalIds,
  ]);
  assert.equal(rowCount, externalIds.length);
  return {
    [Symbol.asyncDispose]: async () => {
      await client.query('rollback');
      client.release();
    },
  };
}

export const repositoryHidden = (repository: string): Change => ({ type: 'hidden', repository, onlyPrivate: false });
export const repositoriesChanged = (account: string): Change => ({ type: 'owned', account, name: `owner-${account}` });
export const contributionsChanged = (repository: string): Change => ({
  type: 'contributions',
  repository,
  owner: repository,
  ownerName: `owner-${repository}`,
  streams: ['issues'],
});

/** @param second the second at which the star was added or removed. */
export function star(repository: string, person: string, second: number, isTakenBack: boolean): Change {
  const account = {
    externalId: person,
    handle: person,
    type: 'user' as const,
    name: `owner-${person}`,
    displayName: '',
    avatarUrl: '',
  };
  const at = new Date(begunAt + second * 1000).toISOString();
  return { type: 'star', repository, account, at, isTakenBack };
}
