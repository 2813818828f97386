import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type MigrateOptions, migrate } from '../../../src/database/migrate.ts';
import { openDatabase } from '../../../src/database/open.ts';
import { createTestDatabase, openTestDatabase } from '../../database.ts';
import { functionsAndTriggers, type Listed } from '../../integration/database/listed-definitions.ts';

const definitionsOf = (listed: readonly Listed[]): string[] => listed.map(({ definition }) => definition);

describe('upgrade from migrations that made functions and triggers', () => {
  /** Upgrades the tables of a release that had no files. @returns the functions and triggers. */
  const upgrade = async (options: MigrateOptions): Promise<Listed[]> => {
    await using created = await createTestDatabase({ withTables: false });
    const database = await openDatabase({
      databaseUrl: created.url,
      dataDir: '/nonexistent',
      upTo: '0038-activity',
      log: () => {},
    });
    await migrate(database, options);
    const { rows } = await database.pool.query<Listed>(functionsAndTriggers);
    await database.close();
    return rows;
  };

  it('ends with those of the files', async () => {
    await using opened = await openTestDatabase();
    const { rows } = await opened.database.pool.query<Listed>(functionsAndTriggers);
    assert.deepEqual(definitionsOf(await upgrade({})), definitionsOf(rows));
  });

  it('drops those that the files do not define', async () => {
    assert.deepEqual(await upgrade({ definitions: [] }), []);
  });
});
