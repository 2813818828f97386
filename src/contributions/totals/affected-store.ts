import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';

/**
 * The people whose achievements and points on boards may be others after a change of stored contributions or commits.
 */

/** A person, and the kind of the contributions or commits that changed. */
export interface Affected {
  accountId: string;
  kind: string;
}

/**
 * Returns SQL for the ids, separated by commas, of the accounts whose achievements and points may depend on the
 * contribution `c`.
 */
export function peopleInSql(alias: 'c'): RawBuilder<string> {
  const column = (name: string): RawBuilder<unknown> => sql.ref(`${alias}.${name}`);
  return sql`array_to_string(array[${column('account_id')}, ${column('resolved_by')}, ${column('answered_by')}]
    || ${column('assignees')} || ${column('reviewers')}, ',')`;
}

/** Returns the people of one contribution, or of several of one kind, from the text that `peopleInSql` returns. */
export function toAffected({ kind, people }: { kind: string; people: string }): Affected[] {
  return people === '' ? [] : people.split(',').map((accountId) => ({ accountId, kind }));
}

/**
 * Notes that achievements of people have to be evaluated, and their points on boards counted again, because of a change
 * in a repository. Must run in the transaction that makes the change.
 */
export async function notePeople(
  transaction: Connection,
  repositoryId: string,
  affected: readonly Affected[],
): Promise<void> {
  if (affected.length === 0) return;
  const distinct = new Map(affected.map((person) => [`${person.kind} ${person.accountId}`, person]));
  const people = [...new Set(affected.map(({ accountId }) => accountId))];
  await sql`
    with noted as (
      insert into board_changes (board_id, people)
      select board_id, ${people}::uuid[] from board_repositories where repository_id = ${repositoryId})
    insert into pending_evaluations (repository_id, account_id, kind)
    select ${repositoryId}, a.id, p.kind
    from unnest(${[...distinct.values()].map(({ accountId }) => accountId)}::uuid[],
      ${[...distinct.values()].map(({ kind }) => kind)}::text[]) as p (account_id, kind)
    join accounts a on a.id = p.account_id and a.type = 'user'
    where ${isEvaluatedInSql(repositoryId)}`.execute(transaction);
}

/** Notes the people of changed commits, by the ids of their addresses. */
export async function notePeopleOfCommits(
  transaction: Connection,
  repositoryId: string,
  identityIds: Iterable<number>,
): Promise<void> {
  const ids = [...new Set(identityIds)];
  if (ids.length === 0) return;
  // Boards find the accounts when they count, because another transaction may be changing these.
  await sql`
    with noted as (
      insert into board_changes (board_id, identities)
      select board_id, ${ids}::integer[] from board_repositories where repository_id = ${repositoryId})
    insert into pending_evaluations (repository_id, account_id, kind)
    select distinct ${repositoryId}::uuid, a.id, 'commit'
    from identities i join accounts a on a.id = i.account_id and a.type = 'user'
    where i.id = any(${ids}::integer[]) and ${isEvaluatedInSql(repositoryId)}`.execute(transaction);
}

function isEvaluatedInSql(repositoryId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (
    select from achievement_files where repository_id = ${repositoryId} and path is not null)`;
}
