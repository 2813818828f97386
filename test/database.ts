import { Client, Pool } from 'pg';
import type { Database } from '../src/database/connections/connection.ts';
import { openUnchanged } from '../src/database/connections/open.ts';
import { joinPolicy } from '../src/database/schema/citus.ts';
import { newName, serverUrls, toDatabaseUrl } from './database-server.ts';
import { closeDistributed } from './servers/citus.ts';

/** The reason for which tests that change or inspect the divided tables themselves are left out; false when they can run. */
export const isOnCluster = process.env['TEST_CITUS_URLS'] !== undefined && 'the tables are divided over a cluster';

/** A database for one test on the server of the test run; dropped when it goes out of scope. */
export interface TestDatabase extends AsyncDisposable {
  /** The address of the database, in the form of DATABASE_URL. */
  url: string;
}

/** Connections that last as long as the process, by addresses: opening one takes a third of the time of creating a database. */
const connections = new Map<string, Pool>();

async function onEachServer(urls: readonly string[], statement: string): Promise<void> {
  for (const url of urls) {
    const options = { connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true };
    // The server of a test run ends before the process when the run is interrupted.
    const pool = connections.get(url) ?? new Pool(options).on('error', () => {});
    connections.set(url, pool);
    await pool.query(statement);
  }
}

/** Returns the server of the test run, and the name of its database with all tables. */
function readServer(): { serverUrl: string; template: string } {
  const { TEST_SERVER_URL: serverUrl, TEST_TEMPLATE: template } = process.env;
  if (!serverUrl || !template) throw new Error('run the tests by npm test: they need its database server');
  return { serverUrl, template };
}

/**
 * Creates a database for one test.
 * @param options.withTables false: an empty database.
 * @param options.copyOf a database that nothing is connected to.
 * @param options.name by default a new one.
 */
export async function createTestDatabase(
  options: { withTables?: boolean; copyOf?: Pick<TestDatabase, 'url'>; name?: string } = {},
): Promise<TestDatabase> {
  const { serverUrl, template } = readServer();
  const { name = newName('test') } = options;
  const urls = options.withTables === false ? [serverUrl] : serverUrls(serverUrl);
  const source = options.copyOf === undefined ? template : new URL(options.copyOf.url).pathname.slice(1);
  if (urls.length > 1 && source !== template) await closeDistributed({ urls }, source);
  // By default the server writes each copied page to its log, which takes a third longer.
  const from = options.withTables === false ? '' : ` template ${source} strategy file_copy`;
  await onEachServer(urls, `create database ${name}${from}`);
  // Settings of a database are not copied with it.
  if (urls.length > 1) await onEachServer([serverUrl], `alter database ${name} set ${joinPolicy}`);
  return {
    url: toDatabaseUrl(serverUrl, name),
    [Symbol.asyncDispose]: () => dropCreated(serverUrls(serverUrl), name),
  };
}

/** Drops a database; on a cluster again when its daemon started meanwhile, which PostgreSQL does not end. */
async function dropCreated(urls: readonly string[], name: string): Promise<void> {
  const drop = (): Promise<void> => onEachServer(urls, `drop database if exists ${name} with (force)`);
  await drop().catch(async (error) => {
    if (urls.length === 1) throw error;
    await closeDistributed({ urls }, name);
    await drop();
  });
}

/**
 * Returns a database that all processes of a test run copy. The first one that needs it makes it, while the others wait;
 * the end of the run drops it.
 * @param title at most 20 small letters, digits and underscores.
 * @param fill stores its rows, and leaves no connection.
 */
export async function shareDatabase(
  title: string,
  fill: (url: string) => Promise<void>,
): Promise<Pick<TestDatabase, 'url'>> {
  const { serverUrl, template } = readServer();
  const name = `${template}_${title}`;
  const url = toDatabaseUrl(serverUrl, name);
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    // The lock ends with the connection.
    await client.query('select pg_advisory_lock(hashtext($1))', [name]);
    const { rows } = await client.query(
      `select from pg_database where datname = $1 and shobj_description(oid, 'pg_database') = 'filled'`,
      [name],
    );
    if (rows.length === 0) {
      // A process that was killed leaves one that is not filled.
      await dropCreated(serverUrls(serverUrl), name);
      await createTestDatabase({ name });
      await fill(url);
      await client.query(`comment on database ${name} is 'filled'`);
    }
  } finally {
    await client.end();
  }
  return { url };
}

/** Creates a database with all tables for one test, and connects to it. */
export async function openTestDatabase(): Promise<{ database: Database } & AsyncDisposable> {
  const { url, ...created } = await createTestDatabase();
  const database = await openUnchanged({ databaseUrl: url, dataDir: '/nonexistent', log: () => {} });
  return {
    database,
    [Symbol.asyncDispose]: async () => {
      await database.close();
      await created[Symbol.asyncDispose]();
    },
  };
}
