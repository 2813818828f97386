import type { Database } from '../src/database/connection.ts';
import { openUnchanged } from '../src/database/open.ts';
import { databaseUrlOf, newName, onServer } from './database-server.ts';

/** A database for one test on the server of the test run; dropped when it goes out of scope. */
export interface TestDatabase extends AsyncDisposable {
  /** The address of the database, in the form of DATABASE_URL. */
  url: string;
}

/**
 * Creates a database for one test.
 * @param options.withTables false: an empty database.
 * @param options.copyOf a database that nothing is connected to.
 */
export async function createTestDatabase(
  options: { withTables?: boolean; copyOf?: TestDatabase } = {},
): Promise<TestDatabase> {
  const { TEST_SERVER_URL: serverUrl, TEST_TEMPLATE: template } = process.env;
  if (!serverUrl || !template) throw new Error('run the tests by npm test: they need its database server');
  const name = newName('test');
  const source = options.copyOf === undefined ? template : new URL(options.copyOf.url).pathname.slice(1);
  // By default the server writes each copied page to its log, which takes a third longer.
  const from = options.withTables === false ? '' : ` template ${source} strategy file_copy`;
  await onServer(serverUrl, `create database ${name}${from}`);
  return {
    url: databaseUrlOf(serverUrl, name),
    [Symbol.asyncDispose]: () => onServer(serverUrl, `drop database if exists ${name} with (force)`),
  };
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
