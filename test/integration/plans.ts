import { Kysely, PostgresDialect } from 'kysely';
import { Pool, type PoolConfig } from 'pg';
import type { Connection, Database } from '../../src/database/connections/connection.ts';

/** A part of a plan that PostgreSQL has run, as auto_explain reports it. */
interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  /** 0: the part was planned and not needed. */
  'Actual Loops': number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: PlanNode[];
}

/** A statement that PostgreSQL has run, also one inside of a function or trigger. */
export interface RanStatement {
  text: string;
  /** The number of blocks that it looked at. */
  blocks: number;
  /** The tables that it read whole. */
  scannedTables: string[];
}

const settings = `
  load 'auto_explain';
  set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on; set auto_explain.log_buffers = on;
  set auto_explain.log_timing = off; set auto_explain.log_format = json; set auto_explain.log_nested_statements = on;
  set client_min_messages = log`;

/**
 * Vacuums and analyzes all tables, and keeps the server from doing so again at some later moment, so that plans and
 * their reads depend on the rows alone. The tables of the catalog, which take four times as long as all others, are left out.
 */
export async function analyzeTables({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const { rows } = await pool.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class where relkind = 'r' and oid >= 16384`,
  );
  const tables = rows.map(({ name }) => name);
  const client = await pool.connect();
  try {
    // One by one, as Citus needs it.
    for (const name of tables) await client.query(`alter table ${name} set (autovacuum_enabled = off)`);
    // Pages become all-visible only when their transactions, and all of the same 32 numbers, are on the disk. Tests of other
    // databases could still use the rest of these numbers after a write.
    await client.query('do $$ begin for number in 1..32 loop perform pg_current_xact_id(); commit; end loop; end $$');
    await client.query('set synchronous_commit = on');
    await client.query(`select pg_logical_emit_message(true, 'flush', '')`);
    await client.query(`vacuum analyze ${tables.join(', ')}`);
    await client.query('reset synchronous_commit');
  } finally {
    client.release();
  }
}

/**
 * Runs work on a connection of its own. Returns what its statements cost, which is the same on every machine.
 * See https://www.postgresql.org/docs/current/auto-explain.html
 */
export async function watchPlans(
  { clientConfig }: Pick<Database, 'clientConfig'>,
  work: (connection: Connection) => Promise<unknown>,
): Promise<RanStatement[]> {
  const ran: RanStatement[] = [];
  const options: PoolConfig & {
    onConnect: (client: { query: (text: string) => Promise<unknown> }) => Promise<unknown>;
  } = { ...clientConfig, max: 1, onConnect: (client) => client.query(settings) };
  const pool = new Pool(options);
  // The database may be dropped before the server has ended the connection.
  pool.on('error', () => {});
  pool.on('connect', (client) => {
    client.on('error', () => {});
    client.on('notice', (notice) => {
      const statement = readPlan(notice);
      if (statement !== undefined) ran.push(statement);
    });
  });
  const connection: Connection = new Kysely({ dialect: new PostgresDialect({ pool }) });
  try {
    await work(connection);
  } finally {
    await connection.destroy();
  }
  return ran;
}

/**
 * Returns the statement whose plan auto_explain reports in a message; undefined for another message. On a cluster, blocks
 * and tables are those of the coordinator.
 */
export function readPlan({ message = '' }: { message?: string | undefined }): RanStatement | undefined {
  const start = message.indexOf('{');
  if (!message.includes('plan:') || start < 0) return undefined;
  // Citus 13.2.2 adds the plans of workers as text, which is no JSON.
  const json = message.slice(start).replaceAll(/"Remote Plan": \[[^]*?\n *\]\n/g, '"Remote Plan": []\n');
  const { 'Query Text': text, Plan: plan } = JSON.parse(json) as {
    'Query Text': string;
    Plan: PlanNode;
  };
  return { text, blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], scannedTables: scannedIn(plan) };
}

function scannedIn(plan: PlanNode): string[] {
  const { 'Node Type': type, 'Relation Name': table, 'Actual Loops': loops } = plan;
  const own = type === 'Seq Scan' && loops > 0 && table !== undefined ? [table] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scannedIn)];
}
