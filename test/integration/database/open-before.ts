import type { Database } from '../../../src/database/connection.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createTestDatabase } from '../../database.ts';

/** Opens a new database with the tables of an earlier release. @param migration the last one of that release. */
export async function openBefore(migration: string): Promise<{ database: Database } & AsyncDisposable> {
  const { url, ...created } = await createTestDatabase({ withTables: false });
  const database = await openDatabase({ databaseUrl: url, dataDir: '/nonexistent', log: () => {}, upTo: migration });
  return {
    database,
    [Symbol.asyncDispose]: async () => {
      await database.close();
      await created[Symbol.asyncDispose]();
    },
  };
}
