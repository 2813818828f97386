import { after } from 'node:test';
import { Client } from 'pg';
import { v4 as uuidv4 } from 'uuid';
import type { Database } from '../src/database/connection.ts';
import { openDatabase } from '../src/database/open.ts';

/** An empty database of its own, on the server that the test run uses; dropped when the file's tests are over. */
export interface TestDatabase {
  /** As DATABASE_URL would name it. */
  url: string;
  drop(): Promise<void>;
}

const serverUrl = process.env['TEST_SERVER_URL'];

export async function createTestDatabase(): Promise<TestDatabase> {
  if (serverUrl === undefined) throw new Error('run the tests by npm test: they need its database server');
  const name = `test_${uuidv4().replaceAll('-', '')}`;
  await onServer(`create database ${name}`);
  let dropped: Promise<void> | undefined;
  const drop = (): Promise<void> => (dropped ??= onServer(`drop database if exists ${name} with (force)`));
  after(drop);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop };
}

/** An empty database that is open, with its tables. */
export async function openTestDatabase(): Promise<Database> {
  const { url } = await createTestDatabase();
  const database = await openDatabase({ databaseUrl: url, dataDir: '/nonexistent', log: () => {} });
  after(() => database.close());
  return database;
}

async function onServer(statement: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
