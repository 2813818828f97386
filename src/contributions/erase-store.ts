import { sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { peopleInSql, queueEvaluations, toAffected } from './affected-store.ts';

/**
 * Removes an account from contributions, totals and days, before the account itself is erased. Contributions and commits
 * stay counted for their repositories. Must run in a transaction that holds the erasure lock.
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
  await queueOthers(transaction, changed, accountId);
}

/** Contributions that named the account, with the people whom they still name. */
interface Changed {
  repositoryId: string;
  kind: string;
  people: string;
}

/** Queues the evaluation of the other people of contributions: conditions may depend on all of them. */
async function queueOthers(transaction: Connection, changed: readonly Changed[], accountId: string): Promise<void> {
  const byRepository = Map.groupBy(changed, ({ repositoryId }) => repositoryId);
  if (byRepository.size === 0) return;
  const evaluated = await transaction
    .selectFrom('achievement_files')
    .select('repository_id')
    .where('repository_id', 'in', [...byRepository.keys()])
    .where('path', 'is not', null)
    .execute();
  for (const { repository_id: id } of evaluated) {
    const people = (byRepository.get(id) ?? []).flatMap(toAffected).filter((one) => one.accountId !== accountId);
    await queueEvaluations(transaction, id, people);
  }
}
