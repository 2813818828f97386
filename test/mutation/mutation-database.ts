import { readConfig } from '../../src/config/config.ts';
import { type Core, openCore } from '../../src/core.ts';
import { createLog } from '../../src/log.ts';
import { createProviders } from '../../src/providers/index.ts';
import { Claims } from '../../src/sync/claims.ts';
import { newAppliers, newPollDemands, type SyncContext } from '../../src/sync/context.ts';
import { createTestDatabase } from '../database.ts';
import type { ObservedHost } from './observed-host.ts';

/**
 * The database into which runs read a host. It can be restored to a saved state within milliseconds; a copy of a database
 * would take a tenth of a second and as many connections again.
 */
export interface MutationDatabase extends AsyncDisposable {
  core: Core;
  /** Copies all tables into a schema of this name. */
  save(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  /** Opens the context of a process that reads from hosts for the first time. */
  newContext(): SyncContext & AsyncDisposable;
}

const connectTimeoutMs = 2000;

export async function openMutationDatabase({ settings, dataDir, world }: ObservedHost): Promise<MutationDatabase> {
  const ending = new AsyncDisposableStack();
  const database = ending.use(await createTestDatabase());
  // No data here has to survive a crash.
  const url = new URL(database.url);
  url.searchParams.set('options', '-c synchronous_commit=off');
  const environment = { ...settings, DATABASE_URL: url.href, DATA_DIR: dataDir, LOG_LEVEL: 'silent' };
  const config = readConfig(environment, () => '');
  const core = await openCore(config, { log: createLog('silent'), now: world.now });
  ending.defer(() => core.close());
  const { pool } = core.database;
  const tables = await findTables(core);
  return {
    core,
    save: async (name) => {
      const copies = [...tables.keys()].map((table) => `create table ${name}.${table} as table public.${table}`);
      await pool.query([`create schema ${name}`, ...copies].join('; '));
    },
    restore: async (name) => {
      const copies = [...tables].map(
        ([table, columns]) =>
          `insert into ${table} (${columns}) overriding system value select ${columns} from ${name}.${table}`,
      );
      const removals = [...tables.keys(), 'graphile_worker._private_jobs'].map((table) => `delete from ${table}`);
      // Triggers and foreign keys are disabled meanwhile, because each table is restored as it was.
      await pool.query(
        ['begin', 'set local session_replication_role = replica', ...removals, ...copies, 'commit'].join('; '),
      );
    },
    newContext: () => {
      const providers = createProviders(config.providers, { connectTimeoutMs, now: world.now });
      return {
        ...core.sync,
        providers,
        claims: new Claims(),
        pollDemands: newPollDemands(),
        appliers: newAppliers(),
        [Symbol.asyncDispose]: async () => {
          for (const provider of providers.values()) await provider.close();
        },
      };
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

/** Returns the stored columns of each table of the service. */
async function findTables({ database }: Core): Promise<Map<string, string>> {
  const { rows } = await database.pool.query<{ name: string; columns: string }>(
    `select table_name as name, string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = 'public' and table_type = 'BASE TABLE' and is_generated = 'NEVER' and table_name !~ '^kysely'
     group by table_name order by table_name`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}
