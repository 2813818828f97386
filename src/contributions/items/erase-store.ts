import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { type DividedTable, dividedNames, keysInRepository } from '../../database/tables/divided-tables.ts';
import { type Affected, notePeople, peopleInSql, toAffected } from '../totals/affected-store.ts';
import { markUncheckable } from '../totals/running-check-store.ts';

/** The most rows that one transaction removes. */
const atOnce = 5000;

/**
 * The removal of an account from contributions, totals and days, before the account itself is removed. Contributions and
 * commits stay counted for their repositories.
 */

/** The most contributions that one search finds, and that one transaction changes. */
interface AtOnce {
  found: number;
  changed: number;
}

const usual: AtOnce = { found: 10_000, changed: 1000 };

/** Contributions that name an account in one way. */
interface Place {
  /** SQL that finds contributions `c` by an index, also where the account has a large part of all rows. */
  where: RawBuilder<unknown>;
  orderBy: RawBuilder<unknown> | null;
  /** SQL that is true while a contribution names the account. */
  isNamed: RawBuilder<unknown>;
  /** The part of UPDATE after SET. */
  change: RawBuilder<unknown>;
}

function listPlaces(accountId: string): Place[] {
  const person = (column: string, next: string): Place => ({
    // An equality would let the planner take the order for granted, and read the whole table.
    where: sql`${sql.ref(`c.${column}`)} between ${accountId} and ${accountId}`,
    orderBy: sql`${sql.ref(`c.${column}`)}, ${sql.ref(`c.${next}`)}`,
    isNamed: sql`${sql.ref(`c.${column}`)} = ${accountId}`,
    change: sql`${sql.ref(column)} = null`,
  });
  return [
    person('account_id', 'kind'),
    person('answered_by', 'answered_at'),
    person('resolved_by', 'resolved_by'),
    person('merged_by', 'merged_by'),
    {
      // The condition is that of the index `contributions_people`.
      where: sql`(c.assignees || c.reviewers || c.reactors) <> '{}'
        and (c.assignees || c.reviewers || c.reactors) @> array[${accountId}::uuid]`,
      orderBy: null,
      isNamed: sql`true`,
      change: sql`assignees = array_remove(assignees, ${accountId}::uuid),
        reviewers = array_remove(reviewers, ${accountId}::uuid),
        reactors = array_replace(reactors, ${accountId}::uuid, null)`,
    },
  ];
}

/**
 * Removes an account from some rows, in several transactions, each about one repository. Contributions come first, so that
 * no recount meanwhile finds totals of the account. Nothing may store the account any more.
 * @returns the number of changed rows; 0 at the end.
 */
export async function removeFromSomeRows(connection: Connection, accountId: string, atOnce = usual): Promise<number> {
  for (const place of listPlaces(accountId)) {
    const changed = await removeFromPlace(connection, accountId, place, atOnce);
    if (changed > 0) return changed;
  }
  return (await removeDays(connection, accountId, atOnce.found)) || removeTotals(connection, accountId, atOnce.found);
}

/** A contribution without its repository. */
interface Key {
  kind: string;
  externalId: string;
}

async function removeFromPlace(
  connection: Connection,
  accountId: string,
  place: Place,
  atOnce: AtOnce,
): Promise<number> {
  const { rows } = await sql<Key & { repositoryId: string }>`
    select repository_id as "repositoryId", kind, external_id as "externalId" from contributions c
    where ${place.where} ${place.orderBy === null ? sql`` : sql`order by ${place.orderBy}`} limit ${atOnce.found}`.execute(
    connection,
  );
  for (const [repositoryId, keys] of Map.groupBy(rows, (row) => row.repositoryId)) {
    for (let at = 0; at < keys.length; at += atOnce.changed) {
      const some = keys.slice(at, at + atOnce.changed);
      await inTransaction(connection, (to) => change(to, { repositoryId, accountId, place, keys: some }));
    }
  }
  return rows.length;
}

async function change(
  transaction: Connection,
  {
    repositoryId,
    accountId,
    place,
    keys,
  }: { repositoryId: string; accountId: string; place: Place; keys: readonly Key[] },
): Promise<void> {
  await lockIfStored(transaction, repositoryId);
  const { rows } = await sql<{ kind: string; people: string }>`
    with changed as (
      update contributions c set ${place.change}
      where c.repository_id = ${repositoryId} and (c.kind, c.external_id) in (
        select * from unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ externalId }) => externalId)}::text[]))
        and ${place.isNamed}
      returning c.*),
    states as (select c.kind, ${peopleInSql('c')} as people from changed c)
    select distinct kind, people from states where people <> ''`.execute(transaction);
  // Conditions may depend on all people of a contribution.
  const others = rows.flatMap((row): Affected[] => toAffected(row).filter((person) => person.accountId !== accountId));
  await notePeople(transaction, repositoryId, others);
}

/** Removes some days of an account. @returns how many it found. */
async function removeDays(connection: Connection, accountId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ repositoryId: string; day: string }>`
    select repository_id as "repositoryId", day::text as day from contribution_days
    where account_id between ${accountId} and ${accountId} order by account_id, day limit ${limit}`.execute(connection);
  for (const [repositoryId, ofRepository] of Map.groupBy(rows, (row) => row.repositoryId)) {
    const days = ofRepository.map(({ day }) => day);
    await inTransaction(connection, async (transaction) => {
      await lockIfStored(transaction, repositoryId);
      // Without the days, the planner may read those of all people of the repository.
      await sql`
        delete from contribution_days
        where account_id = ${accountId} and repository_id = ${repositoryId}
          and day = any(${days}::date[])`.execute(transaction);
    });
  }
  return rows.length;
}

/** Removes the totals of an account in some repositories. @returns how many it found. */
async function removeTotals(connection: Connection, accountId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ repositoryId: string }>`
    select repository_id as "repositoryId" from contributor_totals
    where account_id between ${accountId} and ${accountId} order by account_id limit ${limit}`.execute(connection);
  for (const { repositoryId } of rows) {
    await inTransaction(connection, async (transaction) => {
      await lockIfStored(transaction, repositoryId);
      await sql`
        delete from contributor_totals
        where repository_id = ${repositoryId} and account_id = ${accountId}`.execute(transaction);
    });
  }
  return rows.length;
}

/** Locks the totals of a repository against other changes, unless the repository is erased, and its totals with it. */
async function lockIfStored(transaction: Connection, repositoryId: string): Promise<void> {
  await sql`select lock_totals(${repositoryId}::uuid)`.execute(transaction);
  await markUncheckable(transaction, repositoryId, 'people');
}

/**
 * Removes the rows of erased repositories, in several transactions; totals come first, because reads sum them up. No
 * rows are added meanwhile, because writers lock the row of the repository itself, which is deleted.
 * @param limit the number of rows after which the function stops.
 * @returns `more` when rows may be left.
 */
export async function removeErasedRows(connection: Connection, limit: number): Promise<'done' | 'more'> {
  for (let removed = 0; removed < limit; ) {
    const size = Math.min(atOnce, limit - removed);
    const batch = await inTransaction(connection, (transaction) => removeBatch(transaction, size));
    if (batch === 0) return 'done';
    removed += batch;
  }
  return 'more';
}

/**
 * @returns the number of removed rows; 1 when the repository has none left; 0 when no erased repository is left.
 */
async function removeBatch(transaction: Connection, limit: number): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    select repository_id as id from erased_repositories order by repository_id
    limit 1 for update skip locked`.execute(transaction);
  const [erased] = rows;
  if (erased === undefined) return 0;
  for (const table of dividedNames) {
    const removed = await removeRows(transaction, table, erased.id, limit);
    // One table in each transaction: others lock addresses before totals, and reads need totals to be removed first.
    if (removed > 0) return removed;
  }
  await deleteRecord(transaction, erased.id);
  return 1;
}

/**
 * Removes the record of an erased repository, if it has no rows left. Rows may be left, because a row that another
 * transaction updated has a new ctid, and the deletion that waited for that transaction missed it.
 */
async function deleteRecord(transaction: Connection, repositoryId: string): Promise<void> {
  const isLeft = dividedNames.map(
    (table) => sql`exists (select 1 from ${sql.table(table)} where repository_id = ${repositoryId})`,
  );
  await sql`
    delete from erased_repositories where repository_id = ${repositoryId} and not (${sql.join(isLeft, sql` or `)})`.execute(
    transaction,
  );
}

async function removeRows(
  transaction: Connection,
  table: DividedTable,
  repositoryId: string,
  limit: number,
): Promise<number> {
  const isOfRepository: RawBuilder<boolean> = sql`repository_id = ${repositoryId}`;
  // Locked in the order of the key, because a change of addresses locks rows of many repositories in that order.
  const key = sql.join(['repository_id', ...keysInRepository[table]].map((column) => sql.ref(column)));
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ${isOfRepository} and ctid = any(array(
      select ctid from ${sql.table(table)} where ${isOfRepository}
      order by ${key} limit ${limit} for update))`.execute(transaction);
  return Number(numAffectedRows);
}
