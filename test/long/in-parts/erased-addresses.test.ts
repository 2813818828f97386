import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { findById } from '../../../src/accounts/store.ts';
import { findOptedOutEmails, releaseOptOuts } from '../../../src/accounts/visibility/opt-out-store.ts';
import { eraseNext } from '../../../src/app/owners/erasure/erase.ts';
import { beginErasure } from '../../../src/app/owners/erasure/store.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { Account } from '../../../src/model/account.ts';
import { openTestDatabase } from '../../database.ts';
import { watchChangedRows } from '../../integration/changed-rows.ts';
import { now, saveGrace } from '../../integration/contributions/erasure-fixture.ts';
import { addRepository } from '../../integration/contributions/stored-repository.ts';
import { loseConnectionAtStatements } from '../../integration/lost-connection.ts';
import { analyzeTables, watchPlans } from '../../integration/plans.ts';

const few = { hidden: 2, erased: 1, found: 30, changed: 7, listed: 3, seasons: 2, others: 40 };
const listEmails = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index + 1}@x.org`);

/** Stores a person with addresses, which the commits of a repository name. */
async function fill({ connection }: Database, addresses: number): Promise<Account> {
  const repositoryId = await addRepository(connection);
  const id = await saveGrace(connection);
  await sql`
    with added as (
      insert into identities (provider, email, account_id)
      select 'github', email, ${id} from unnest(${listEmails(addresses)}::text[]) email returning id)
    insert into repository_identities (repository_id, identity_id, is_author)
    select ${repositoryId}, id, true from added`.execute(connection);
  return (await findById(connection, id)) ?? assert.fail();
}

const begin = (connection: Connection, person: Account): Promise<void> =>
  inTransaction(connection, (transaction) => beginErasure(transaction, person, now));

async function countKnown({ connection }: Database): Promise<number> {
  const { rows } = await sql`select from identities where email not like 'erased %'`.execute(connection);
  return rows.length;
}

describe('addresses of an account that its owner erases', () => {
  it('are erased and opted out in parts, also after the connection is lost before any statement', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const person = await fill(database, 250);
    const changed = await watchChangedRows(database, ['identities']);
    await begin(database.connection, person);
    assert.equal(await countKnown(database), 150);
    const losses = await loseConnectionAtStatements(database, async (connection) => {
      while ((await eraseNext(connection, now, few)) > 0);
    });
    assert.ok(losses > 10, String(losses));
    assert.equal(await countKnown(database), 0);
    assert.deepEqual(await changed(), [100, 40, 40, 40, 30]);
    const optedOut = await findOptedOutEmails(database.connection, 'github', [...listEmails(250), 'other@x.org']);
    assert.deepEqual(optedOut.toSorted(), listEmails(250).toSorted());
    const { rows } = await sql`select from accounts where id = ${person.id}`.execute(database.connection);
    assert.deepEqual(rows, []);
  });

  it('may be looked up again when the owner has returned before the last part', async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const person = await fill(database, 130);
    await begin(connection, person);
    assert.ok(await releaseOptOuts(connection, 'github', person));
    while ((await eraseNext(connection, now, few)) > 0);
    assert.equal(await countKnown(database), 30);
    assert.deepEqual(await findOptedOutEmails(connection, 'github', listEmails(130)), []);
    const { rows } = await sql`select from identities where account_id is not null`.execute(connection);
    assert.deepEqual(rows, []);
  });

  it('cost the transaction that begins the erasure as much when there are many as when there are some', async () => {
    const costs: number[] = [];
    for (const addresses of [150, 3000]) {
      await using opened = await openTestDatabase();
      const { database } = opened;
      const person = await fill(database, addresses);
      await analyzeTables(database);
      const ran = await watchPlans(database, (connection) => begin(connection, person));
      costs.push(ran.reduce((sum, { blocks }) => sum + blocks, 0));
    }
    const [some = 0, many = 0] = costs;
    assert.ok(many < some * 1.2, `${some} blocks with 150 addresses, and ${many} with 3,000`);
  });
});
