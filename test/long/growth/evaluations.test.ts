import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { releaseAddresses } from '../../../src/contributions/items/identity-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inBatches, inTransaction } from '../../../src/database/connections/transaction.ts';
import { queueNextOfAddresses } from '../../../src/recognition/achievements/awards/jobs-store.ts';
import { isOnCluster } from '../../database.ts';
import { watchChangedRows } from '../../integration/changed-rows.ts';
import { addRepositories } from '../../integration/contributions/stored-repository.ts';
import { loseConnectionAtStatements } from '../../integration/lost-connection.ts';
import { reuseTestDatabase } from '../../reused-database.ts';

/** The number of repositories in which the change of an address itself queues evaluations, and that of the further ones. */
const [atOnce, further] = [5000, 10];
const partOfRest = 3;

describe('evaluations after addresses have lost their account', () => {
  it('are queued once in each repository, very many of them in parts, also after lost connections', {
    skip: isOnCluster,
  }, async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    await addRepositories(connection, atOnce + further);
    const { rows: accounts } = await pool.query<{ id: string }>(`select id from accounts`);
    const [{ id: accountId } = assert.fail()] = accounts;
    await pool.query(`
      insert into achievement_files (repository_id, path, oid, text, reports, read_at)
      select id, 'p', 'o', '', '[]', now() from repositories`);
    // One statement queues a part of the evaluations that both addresses need.
    await pool.query(
      `insert into identities (provider, email, account_id) values ('github', 'a', $1), ('github', 'b', $1)`,
      [accountId],
    );
    await pool.query(`
      insert into repository_identities (repository_id, identity_id)
      select r.id, i.id from repositories r cross join identities i where i.email = 'a' or r.name = 'engine-7'`);
    const changed = await watchChangedRows(database, ['pending_evaluations']);
    await inTransaction(connection, (transaction) => releaseAddresses(transaction, accountId, 1000));
    const work = (lent: Connection): Promise<unknown> => inBatches(() => queueNextOfAddresses(lent, partOfRest));
    const losses = await loseConnectionAtStatements(database, work);
    assert.ok(losses > 2, String(losses));
    const [first = 0, ...parts] = await changed();
    assert.ok(first <= atOnce, String(first));
    assert.ok(parts.length > 3 && parts.every((rows) => rows <= partOfRest), JSON.stringify(parts));
    const { rows } = await pool.query(`
      select count(*)::integer as all, count(distinct repository_id)::integer as repositories,
        (select count(*)::integer from changed_identities) as notes from pending_evaluations`);
    const all = atOnce + further;
    assert.deepEqual(rows, [{ all: all + 1, repositories: all, notes: 0 }]);
  });
});
