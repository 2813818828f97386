import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { recordWithdrawn } from '../../../src/accounts/repositories/hide-store.ts';
import { readConfig } from '../../../src/app/config/config.ts';
import { type Core, openCore } from '../../../src/app/core.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { createLog } from '../../../src/model/log.ts';
import { hideAllWithdrawn, withdrawLostCredentials } from '../../../src/sync/lookups/lost-access.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { bearer, engines, jsonRequest, keeper, serviceToken } from '../../integration/access/owner.ts';
import { watchPlans } from '../../integration/plans.ts';
import { until } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';

/** The name of the credential that shows all private repositories of the stored world. */
const credential = 'a stored credential';
const { signal } = new AbortController();

/** Opens the parts of a node that has no credentials at all, on a database that another node may use. */
async function openNode(databaseUrl: string): Promise<{ core: Core } & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const directory = stack.use(await makeTemporaryDirectory());
  const environment = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: directory.path,
    GITHUB_URL: 'http://127.0.0.1:9',
    GITHUB_API_URL: 'http://127.0.0.1:9/api',
  };
  const core = await openCore(
    readConfig(environment, () => ''),
    { log: createLog('silent') },
  );
  stack.defer(() => core.close());
  const opened = stack.move();
  return { core, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function countShown({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    'select count(*) from repositories where is_private and deleted_at is null',
  );
  return rows[0]?.count ?? Number.NaN;
}

/** Stores owners with private repositories, and people with private totals, that one credential showed. */
async function fill({ pool }: Database, sizes: { owners: number; each: number; people?: number }): Promise<void> {
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, fetched_at, listed_at, created_at,
       updated_at)
     select gen_random_uuid(), 'github', n::text, n::text, case when n <= $1 then 'organization' else 'user' end,
       'account-' || n, now(), now(), now(), now(), now()
     from generate_series(1, $2) n`,
    [sizes.owners, sizes.owners + (sizes.people ?? 0)],
  );
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, credential_name, is_fork,
       named_at, listed_at, created_at, updated_at)
     select gen_random_uuid(), 'github', a.external_id || '-' || n, '', a.id, 'repository-' || n, true, $2, false, now(),
       now(), now(), now()
     from accounts a, generate_series(1, $1) n where a.type = 'organization'`,
    [sizes.each, credential],
  );
  await pool.query(
    `insert into reported_totals (account_id, credential_name, counters, missing, fetched_at)
     select id, $1, '{}', '{}', now() from accounts`,
    [credential],
  );
  await pool.query('analyze');
}

describe('withdrawal of a credential', () => {
  // A repository that is not found is looked up, and no worker runs here.
  const shared = shareStoredService({ service: { settings: { LOOKUP_BUDGET_MS: '100' } } });

  it('hides everything that it showed from every reader before any row is hidden', async () => {
    const { service, simulator } = shared;
    await using node = await openNode(service.databaseUrl);
    const tokens = {
      [engines.name]: await serviceToken(service, simulator, engines),
      [keeper.name]: await serviceToken(service, simulator, keeper),
    };
    const published = { publish_private_contributions: true };
    for (const [name, token] of Object.entries(tokens)) {
      assert.equal((await service.get(`${name}/settings`, jsonRequest('PUT', token, published))).status, 200);
    }
    const paths = ['contributions?private=true', 'contributors?limit=100', 'repositories?limit=100', 'status'];
    const privateRepository: Record<string, string> = { [engines.name]: 'hidden-engine', [keeper.name]: 'diary' };
    const read = async (): Promise<Record<string, unknown>> => {
      const seen: Record<string, unknown> = {};
      for (const [name, token] of Object.entries(tokens)) {
        for (const path of paths) seen[`${name}/${path}`] = (await service.get(`${name}/${path}`, bearer(token))).text;
        const image = `${name}/contributions?private=true&format=svg`;
        seen[image] = (await service.get(image)).text;
        seen[`public ${name}`] = (await service.get(`${name}/contributions?private=true`)).text;
        const ofRepository = `${name}/repositories/${privateRepository[name]}/contributors`;
        seen[ofRepository] = (await service.get(ofRepository, bearer(token))).status;
      }
      return seen;
    };
    const before = await read();
    const stored = await countShown(service.database);
    assert.ok(stored > 0);

    await withdrawLostCredentials(node.core.sync);
    const since = await until(async () => {
      const seen = await read();
      return Object.entries(seen).every(([path, text]) => text !== before[path]) ? seen : undefined;
    }, 'the node that reads has received the change');
    assert.equal(await countShown(service.database), stored);
    for (const [path, text] of Object.entries(since)) {
      for (const name of Object.values(privateRepository))
        assert.ok(!String(text).includes(`"${name}"`), `${path}: ${name}`);
    }

    assert.equal(await hideAllWithdrawn(node.core.sync, signal), 'done');
    assert.equal(await countShown(service.database), 0);
    // The host's numbers of people whose repositories changed are fetched again, which no worker does here.
    await service.database.pool.query('update accounts set totals_wanted_at = null; delete from changed_repositories');
    const steady = (seen: Record<string, unknown>): unknown =>
      JSON.parse(JSON.stringify(seen).replaceAll(/\\"(as_of|updated_dttm|at)\\":\\"[^"]*\\"/g, ''));
    assert.deepEqual(steady(await read()), steady(since));
  });

  it('goes on where it was stopped between two batches', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await using node = await openNode(String(database.clientConfig.connectionString));
    await fill(database, { owners: 3, each: 150 });
    await withdrawLostCredentials(node.core.sync);
    const left: number[] = [];
    for (let ended = 'more'; ended !== 'done'; ) {
      const stop = new AbortController();
      // The time is taken once in each batch.
      const now = (): Date => {
        stop.abort();
        return node.core.now();
      };
      ended = await hideAllWithdrawn({ ...node.core.sync, now }, stop.signal);
      left.push(await countShown(database));
    }
    assert.deepEqual(left.slice(0, 5), [350, 250, 150, 50, 0]);
    const { rows } = await database.pool.query(
      `select (select count(*) from withdrawn_credentials) as withdrawn, (select count(*) from reported_totals) as totals`,
    );
    assert.deepEqual(rows, [{ withdrawn: 0, totals: 0 }]);
  });

  it('is shared by two nodes, and leaves rows that another transaction holds to a later batch', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const url = String(database.clientConfig.connectionString);
    await using firstNode = await openNode(url);
    await using secondNode = await openNode(url);
    await fill(database, { owners: 2, each: 250 });
    await withdrawLostCredentials(firstNode.core.sync);
    await database.connection.transaction().execute(async (transaction) => {
      await transaction.selectFrom('repositories').select('id').orderBy('owner_id').limit(1).forUpdate().execute();
      const ends = await Promise.all(
        [firstNode, secondNode].map(({ core }) => hideAllWithdrawn(core.sync, AbortSignal.timeout(60_000))),
      );
      assert.ok(ends.includes('busy'), ends.join());
      assert.equal(await countShown(database), 1);
    });
    assert.equal(await hideAllWithdrawn(firstNode.core.sync, signal), 'done');
    assert.equal(await countShown(database), 0);
  });

  it('ends when the credential is accepted again', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await fill(database, { owners: 1, each: 3 });
    const record = (credentialNames: string[]): Promise<boolean> =>
      recordWithdrawn(database.connection, 'github', { credentialNames, elsewhere: [] }, new Date());
    assert.equal(await record([]), true);
    assert.equal(await record([credential]), false);
    const { rows } = await database.pool.query('select from withdrawn_credentials');
    assert.equal(rows.length, 0);
    assert.equal(await countShown(database), 3);
  });

  it('is recorded at a cost that does not grow with the stored data', async () => {
    const mostBlocks = async (sizes: Parameters<typeof fill>[1]): Promise<number> => {
      await using opened = await openTestDatabase();
      const { database } = opened;
      await using node = await openNode(String(database.clientConfig.connectionString));
      await fill(database, sizes);
      const recording = await watchPlans(database, (connection) =>
        withdrawLostCredentials({ ...node.core.sync, connection }),
      );
      assert.equal((await database.pool.query('select from withdrawn_credentials')).rows.length, 1);
      return Math.max(...recording.map(({ blocks }) => blocks));
    };
    const few = await mostBlocks({ owners: 10, each: 10, people: 100 });
    const many = await mostBlocks({ owners: 40, each: 80, people: 2000 });
    assert.ok(many < few + 20, `${few} blocks with few rows, ${many} with many`);
  });

  it('finds each batch by an index', { skip: isOnCluster }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await using node = await openNode(String(database.clientConfig.connectionString));
    await fill(database, { owners: 40, each: 60, people: 1000 });
    await withdrawLostCredentials(node.core.sync);
    const stop = new AbortController();
    const now = (): Date => {
      stop.abort();
      return node.core.now();
    };
    const batch = await watchPlans(database, (connection) =>
      hideAllWithdrawn({ ...node.core.sync, connection, now }, stop.signal),
    );
    assert.equal(await countShown(database), 2300);
    for (const { text, scannedTables } of batch) {
      assert.ok(!scannedTables.includes('repositories') && !scannedTables.includes('accounts'), text);
    }
  });
});
