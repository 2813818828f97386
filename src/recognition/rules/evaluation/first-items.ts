import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import { effective, type ItemSource, isInRepositories } from './item-sources.ts';

/**
 * Returns SQL that is true for the first issue, merged pull request or review of its author in its repository, or in
 * all stored repositories of the same owner; null while one of these repositories is being collected. Contributions of
 * the same moment are all first.
 */
export function isFirst(field: 'first' | 'first_in_organization', source: ItemSource): RawBuilder<unknown> {
  const { action, scope, steps } = source;
  const column = sql.ref(action === 'pull_request' ? 'merged_at' : 'created_at');
  const moment = action === 'pull_request' ? effective(sql`i.${column}`, scope) : sql`i.${column}`;
  const first = steps.add(field, field === 'first' ? firstsSql(source, column) : firstsOfOwnerSql(source, column));
  const holds = sql`(i.account_id is not null and ${moment} is not null
    and (i.repository_id, i.account_id, i.${column}) in (select repository_id, account_id, at from ${first}))`;
  const incomplete =
    field === 'first'
      ? steps.add(
          'incomplete',
          sql`select distinct i.repository_id, kinds.kind from streams i cross join unnest(i.covers) as kinds (kind)
            where ${isInRepositories(scope)} and i.completed_at is null`,
        )
      : steps.add(
          'incomplete of the owner',
          sql`select distinct o.repository_id, kinds.kind from ${ownedStep(source)} o join streams s on s.repository_id = o.id
            cross join unnest(s.covers) as kinds (kind) where (o.installed_at is not null or o.id = o.repository_id) and s.completed_at is null`,
        );
  return sql`(case when (i.repository_id, i.kind) not in (select repository_id, kind from ${incomplete}) then ${holds} end)`;
}

/** Returns SQL for the moments of the first contributions of the people of a source, by repository. */
function firstsSql(source: ItemSource, column: RawBuilder<unknown>): RawBuilder<unknown> {
  const { action, scope } = source;
  const hasAuthor =
    scope.accountIds === undefined
      ? sql`i.account_id is not null`
      : sql`i.account_id in (select account_id from ${authorsStep(source)})`;
  return sql`select i.repository_id, i.account_id, min(i.${column}) as at from contributions i
    where ${isInRepositories(scope)} and i.kind = ${action} and i.${column} is not null and ${hasAuthor} group by 1, 2`;
}

/** Returns SQL for the moments of people's first contributions to any repository of the owner of each repository. */
function firstsOfOwnerSql(source: ItemSource, column: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select o.repository_id, i.account_id, min(i.${column}) as at
    from contributions i join ${ownedStep(source)} o on o.id = i.repository_id
    where i.kind = ${source.action} and i.${column} is not null
      and i.account_id in (select account_id from ${authorsStep(source)}) group by 1, 2`;
}

function authorsStep({ steps, authors }: ItemSource): RawBuilder<unknown> {
  return steps.add('authors', authors);
}

/**
 * Adds a part with the repositories of the owner of each repository. Private ones count only for private repositories,
 * so that no award reveals them.
 */
function ownedStep({ steps, scope }: ItemSource): RawBuilder<unknown> {
  return steps.add(
    'owned by the same',
    sql`select judged.id as repository_id, other.id, other.installed_at
      from repositories judged join repositories other on other.owner_id = judged.owner_id
      where judged.id = any(${[scope.repositoryId].flat()}::uuid[]) and (other.id = judged.id or (
        ${isPresentInSql('other')} and (judged.is_private or not other.is_private)))`,
  );
}
