import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql } from '../../repositories/shown-store.ts';
import { effective, type ItemSource } from './item-sources.ts';

/**
 * Returns SQL that is true for the first issue, merged pull request or review of its author, in its repository or in all
 * stored ones of its owner; null while one of those is being collected. Two of the same moment are both the first.
 */
export function isFirst(
  field: 'first' | 'first_in_organization',
  { action, scope }: Pick<ItemSource, 'action' | 'scope'>,
): RawBuilder<unknown> {
  const column = sql.ref(action === 'pull_request' ? 'merged_at' : 'created_at');
  const moment = action === 'pull_request' ? effective(sql`i.${column}`, scope) : sql`i.${column}`;
  const repositories = field === 'first' ? sql`(i.repository_id)` : sql`(select id from (${ofOwner}) owned)`;
  const holds = sql`(i.account_id is not null and ${moment} is not null and not exists (
    select from contributions e
    where e.account_id = i.account_id and e.kind = i.kind and e.repository_id in ${repositories} and e.${column} < i.${column}))`;
  if (field === 'first') return holds;
  return sql`(case when not exists (
    select from (${ofOwner}) owned join streams s on s.repository_id = owned.id
    where owned.installed_at is not null and i.kind = any(s.covers) and s.completed_at is null) then ${holds} end)`;
}

/** The repositories of the owner of `i`: private ones matter to private ones alone, so that no award shows that they exist. */
const ofOwner = sql`
  select other.id, other.installed_at from repositories mine join repositories other on other.owner_id = mine.owner_id
  where mine.id = i.repository_id and ${isPresentInSql('other')}
    and (other.id = mine.id or mine.is_private or not other.is_private)`;
