import { type RawBuilder, sql } from 'kysely';
import { privateListing, publicListing } from '../repositories/listing.ts';
import { isPresentInSql } from '../repositories/shown-store.ts';
import { type ContributionKind, contributionKinds } from './contribution.ts';

/** Repositories of an account that count. */
export type Visibility = 'public' | 'private' | 'all';

/**
 * Returns SQL for the kinds of contributions to repositories of the account `a` that are not completely known. Sums and the
 * kinds that are missing from them have to be read by one statement: collecting may end between two.
 */
export function uncollectedKinds(visibility: Visibility): RawBuilder<string[]> {
  return sql`array(
    select kind from unnest(${[...contributionKinds]}::text[]) as kinds (kind)
    where a.listed_at is null or ${isListedInPart(visibility)} or exists (
      select from repositories r
      where r.owner_id = a.id and (${visibility === 'all'}::boolean or r.is_private = ${visibility === 'private'}::boolean)
        and ${isPresentInSql('r')} and ${isUncollected(sql`r.id`)})
      or ${isSkippedElsewhere(visibility)})`;
}

/** Returns SQL for whether contributions of `kind` to a repository are not completely known: not read yet, or some skipped. */
export function isUncollected(repositoryId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql`(not exists (
      select from streams s
      where s.repository_id = ${repositoryId} and kind = any(s.covers) and s.completed_at is not null)
    or exists (
      select from skipped_items k
      where k.repository_id = ${repositoryId} and ${isLostWith}))`;
}

/**
 * SQL for whether items of a kind are incomplete because of a skipped item: one of the kind itself, one of a list that
 * holds the kind among others, or one below which hosts list items of the kind.
 */
const isLostWith = sql`(
  (k.kind = kinds.kind and not k.is_counted)
  or (k.kind = 'issue_or_pull_request' and kinds.kind in ('issue', 'pull_request') and not k.is_counted)
  or (k.kind = 'pull_request' and kinds.kind = 'review' and not k.is_stored))`;

/** Returns SQL for whether a repository of the account `a` was left out of its listing. */
function isListedInPart(visibility: Visibility): RawBuilder<boolean> {
  const listings = { public: [publicListing], private: [privateListing], all: [publicListing, privateListing] };
  return sql`exists (
    select from skipped_items k
    where k.account_id = a.id and k.stream = any(${listings[visibility]}::text[]) and k.kind = 'repository'
      and not k.is_counted)`;
}

/**
 * Returns SQL for whether a contribution was skipped in a repository of others where the account `a` contributes. It may be
 * theirs. Public numbers of people come from their host, which counts it.
 */
function isSkippedElsewhere(visibility: Visibility): RawBuilder<boolean> {
  if (visibility === 'public') return sql`false`;
  return sql`exists (
    select from skipped_items k join repositories r on r.id = k.repository_id
    where ${isLostWith} and r.is_private and ${isPresentInSql('r')}
      and exists (select from contributor_totals t where t.repository_id = r.id and t.account_id = a.id))`;
}

/** Converts the result of `uncollectedKinds`. */
export function toKinds(names: readonly string[]): ContributionKind[] {
  return contributionKinds.filter((kind) => names.includes(kind));
}
