import { type RawBuilder, sql } from 'kysely';
import { type ContributionKind, contributionKinds } from './contribution.ts';

/** Which of an account's repositories count. */
export type Visibility = 'public' | 'private' | 'all';

/**
 * SQL for the kinds of contributions to what the account `a` owns that are not completely known. Sums and the kinds that are
 * missing from them have to be read by one statement: collecting may end between two.
 */
export function uncollectedKinds(visibility: Visibility): RawBuilder<string[]> {
  return sql`array(
    select kind from unnest(${[...contributionKinds]}::text[]) as kind
    where a.listed_at is null or exists (
      select from repositories r
      where r.owner_id = a.id and (${visibility === 'all'}::boolean or r.is_private = ${visibility === 'private'}::boolean)
        and r.gone_at is null and not exists (
          select from streams s
          where s.repository_id = r.id and kind = any(s.covers) and s.completed_at is not null)))`;
}

/** Reads what `uncollectedKinds` gives. */
export function toKinds(names: readonly string[]): ContributionKind[] {
  return contributionKinds.filter((kind) => names.includes(kind));
}
