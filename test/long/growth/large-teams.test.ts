import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { saveTeam } from '../../../src/recognition/boards/people/team-store.ts';
import { openTestDatabase } from '../../database.ts';
import { storeBoard, stored } from '../../integration/boards/board-of-many.ts';
import { watchChangedRows } from '../../integration/changed-rows.ts';
import { loseConnection } from '../../integration/lost-connection.ts';
import { analyzeTables, watchPlans } from '../../integration/plans.ts';
import { reuseTestDatabase } from '../../reused-database.ts';

const members = 10_000;

describe('teams with 10,000 members', () => {
  it('are stored as a whole, and later readings change the rows of those alone who joined or left', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    await storeBoard(database, { people: members + 1, mostIssues: 0 });
    const { owner_id: ownerId } = await database.connection
      .selectFrom('boards')
      .select('owner_id')
      .executeTakeFirstOrThrow();
    await analyzeTables(database);
    const changed = await watchChangedRows(database, ['host_team_members']);
    const team = { ownerId, name: 'github/acme/all', provider: 'github' };
    const save = (connection: Connection, ids: readonly string[]): Promise<boolean> =>
      inTransaction(connection, (transaction) => saveTeam(transaction, team, ids, stored));
    const everyone = Array.from({ length: members }, (_, index) => `p${index + 1}`);
    assert.ok(await save(database.connection, everyone));
    await analyzeTables(database);
    const areOther: boolean[] = [];
    const ran = await watchPlans(database, async (connection) => {
      areOther.push(await save(connection, everyone.toReversed()));
      areOther.push(await save(connection, [...everyone.slice(1), `p${members + 1}`, 'nobody']));
    });
    assert.deepEqual(areOther, [false, true]);
    assert.deepEqual(await changed(), [members, 2]);
    for (const { blocks, text } of ran) assert.ok(blocks < 5 * members, `${blocks}: ${text}`);
    const { rows } = await database.pool.query<{ count: number; is_first: boolean }>(`
      select count(*)::integer as count, bool_or(a.external_id = 'p1') as is_first
      from host_team_members m join accounts a on a.id = m.account_id`);
    assert.deepEqual(rows, [{ count: members, is_first: false }]);
  });

  it('stay those of the former reading when the connection is lost before any statement', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    await storeBoard(database, { people: 30, mostIssues: 0 });
    const { owner_id: ownerId } = await database.connection
      .selectFrom('boards')
      .select('owner_id')
      .executeTakeFirstOrThrow();
    const team = { ownerId, name: 'github/acme/all', provider: 'github' };
    const save = (ids: readonly string[]) => (connection: Connection) =>
      inTransaction(connection, (transaction) => saveTeam(transaction, team, ids, stored));
    const read = async (): Promise<string[]> => {
      const { rows } = await database.pool.query<{ id: string }>(
        'select external_id as id from host_team_members join accounts on id = account_id order by 1',
      );
      return rows.map(({ id }) => id);
    };
    await save(['p1', 'p2'])(database.connection);
    let losses = 0;
    while (!(await loseConnection(database, losses + 1, save(['p2', 'p3'])))) {
      losses += 1;
      assert.deepEqual(await read(), ['p1', 'p2']);
    }
    assert.ok(losses > 3, String(losses));
    assert.deepEqual(await read(), ['p2', 'p3']);
  });
});
