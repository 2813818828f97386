import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { notePeople, peopleInSql, toAffected } from './affected-store.ts';

/**
 * Removes an account from contributions, totals and days, before the account itself is erased. Contributions and
 * commits stay counted for their repositories. Must run in a transaction that holds the erasure lock.
 */
export async function forgetPerson(transaction: Connection, accountId: string): Promise<void> {
  await transaction.deleteFrom('contributor_totals').where('account_id', '=', accountId).execute();
  await transaction.deleteFrom('contribution_days').where('account_id', '=', accountId).execute();
  const changes = [
    sql`account_id = null where account_id = ${accountId}`,
    sql`answered_by = null where answered_by = ${accountId}`,
    sql`resolved_by = null where resolved_by = ${accountId}`,
    sql`merged_by = null where merged_by = ${accountId}`,
    // The condition is that of the index `contributions_people`.
    sql`assignees = array_remove(assignees, ${accountId}::uuid), reviewers = array_remove(reviewers, ${accountId}::uuid),
      reactors = array_replace(reactors, ${accountId}::uuid, null)
      where (assignees || reviewers || reactors) <> '{}'
        and (assignees || reviewers || reactors) @> array[${accountId}::uuid]`,
  ];
  const changed: Changed[] = [];
  for (const change of changes) {
    const { rows } = await sql<Changed>`
      with changed as (update contributions c set ${change} returning c.*),
      states as (select c.repository_id, c.kind, ${peopleInSql('c')} as people from changed c)
      select distinct repository_id as "repositoryId", kind, people from states where people <> ''`.execute(
      transaction,
    );
    changed.push(...rows);
  }
  await noteOthers(transaction, changed, accountId);
}

/** Contributions that named the account, with the people whom they still name. */
interface Changed {
  repositoryId: string;
  kind: string;
  people: string;
}

/** Notes the other people of contributions: conditions may depend on all of them. */
async function noteOthers(transaction: Connection, changed: readonly Changed[], accountId: string): Promise<void> {
  for (const [id, found] of Map.groupBy(changed, ({ repositoryId }) => repositoryId)) {
    const people = found.flatMap(toAffected).filter((person) => person.accountId !== accountId);
    await notePeople(transaction, id, people);
  }
}
