import { readConfig } from '../../src/app/config/config.ts';
import { type Core, openCore } from '../../src/app/core.ts';
import { createProviders } from '../../src/hosts/index.ts';
import { createLog } from '../../src/model/log.ts';
import { newAppliers, newPollDemands, type SyncContext } from '../../src/sync/context.ts';
import { Claims } from '../../src/sync/streams/claims.ts';
import { createTestDatabase } from '../database.ts';
import { type ColumnDigests, digestColumns, digestRows, type Source } from './digest.ts';
import type { ObservedHost } from './observed-host.ts';
import { prepareStatements } from './prepared-statements.ts';

/**
 * The database into which runs read a host. It can be restored to a saved state within milliseconds; a copy of a database
 * would take a tenth of a second and as many connections again.
 */
export interface MutationDatabase extends AsyncDisposable {
  core: Core;
  /** Copies all tables, and the jobs, into a schema of this name. */
  save(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  removeJobs(): Promise<void>;
  /** The columns of the data now, or of a saved state. */
  digests(of?: string): Promise<ColumnDigests>;
  /** Returns a digest of the rows now, or of a saved state; of inconstant columns only where they are null. */
  digest(inconstant: ReadonlySet<string>, of?: string): Promise<string>;
  /** Opens the context of a process that reads from hosts for the first time. */
  newContext(): SyncContext & AsyncDisposable;
}

const connectTimeoutMs = 2000;
const jobs = 'graphile_worker._private_jobs';

export async function openMutationDatabase({ settings, dataDir, world }: ObservedHost): Promise<MutationDatabase> {
  const ending = new AsyncDisposableStack();
  const database = ending.use(await createTestDatabase());
  // No data here has to survive a crash, and a plan for all values of a statement serves as well as one for each.
  const url = new URL(database.url);
  url.searchParams.set('options', '-c synchronous_commit=off -c plan_cache_mode=force_generic_plan');
  const environment = { ...settings, DATABASE_URL: url.href, DATA_DIR: dataDir, LOG_LEVEL: 'silent' };
  const config = readConfig(environment, () => '');
  const core = await openCore(config, { log: createLog('silent'), now: world.now });
  ending.defer(() => core.close());
  const { pool } = core.database;
  prepareStatements(pool);
  const tables = await findTables(core);
  const sourcesIn = (saved: string | undefined): Source[] =>
    [...tables].map(([table, columns]) => ({
      table,
      from: saved === undefined ? table : toCopy(saved, table),
      columns: columns.split(', '),
    }));
  return {
    core,
    save: async (name) => {
      const copies = [...tables.keys()].map((table) => `create table ${toCopy(name, table)} as table ${table}`);
      const sequences = `create table ${name}.sequences as
        select format('%I.%I', schemaname, sequencename)::regclass as name, coalesce(last_value, start_value) as value,
          last_value is not null as is_used
        from pg_sequences`;
      await pool.query([`create schema ${name}`, ...copies, sequences].join('; '));
    },
    restore: async (name) => {
      const copies = [...tables].map(
        ([table, columns]) =>
          `insert into ${table} (${columns}) overriding system value select ${columns} from ${toCopy(name, table)}`,
      );
      const removals = [...tables.keys()].map((table) => `delete from ${table}`);
      // Triggers and foreign keys are disabled meanwhile, because each table is restored as it was.
      const sequences = `select setval(name, value, is_used) from ${name}.sequences`;
      await pool.query(
        ['begin', 'set local session_replication_role = replica', ...removals, ...copies, sequences, 'commit'].join(
          '; ',
        ),
      );
    },
    removeJobs: async () => {
      await pool.query(`delete from ${jobs}`);
    },
    digests: (of) => digestColumns(pool, sourcesIn(of)),
    digest: (inconstant, of) => digestRows(pool, sourcesIn(of), inconstant),
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

/** Returns the name of the copy of a table in a schema. */
function toCopy(schema: string, table: string): string {
  return `${schema}.${table.replace('.', '_')}`;
}

/** Returns the stored columns of each table of the service, and of its jobs. */
async function findTables({ database }: Core): Promise<Map<string, string>> {
  const { rows } = await database.pool.query<{ name: string; columns: string }>(
    `select case table_schema when 'public' then table_name else '${jobs}' end as name,
       string_agg(quote_ident(column_name), ', ' order by ordinal_position) as columns
     from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where (table_schema = 'public' or (table_schema, table_name) = ('graphile_worker', '_private_jobs'))
       and table_type = 'BASE TABLE' and is_generated = 'NEVER' and table_name !~ '^kysely'
     group by table_schema, table_name order by table_schema, table_name`,
  );
  return new Map(rows.map(({ name, columns }) => [name, columns]));
}
