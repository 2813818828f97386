import { type RawBuilder, sql } from 'kysely';
import { privateListing, publicListing } from '../repositories/listing.ts';
import { isPresentInSql } from '../repositories/shown-store.ts';
import { type ContributionKind, contributionKinds } from './contribution.ts';

/** Repositories of an account that count. */
export type Visibility = 'public' | 'private' | 'all';

/** Returns SQL for whether a repository of the account `a` was left out of its listing. */
export function isListedInPart(visibility: Visibility): RawBuilder<boolean> {
  const listings = { public: [publicListing], private: [privateListing], all: [publicListing, privateListing] };
  return sql`exists (
    select from skipped_items k
    where k.account_id = a.id and k.stream = any(${listings[visibility]}::text[]) and k.kind = 'repository'
      and not k.is_counted)`;
}

/** Returns the part of a statement that `isSkippedElsewhere` reads: the totals of an account. */
export function contributedBy(accountId: string): RawBuilder<unknown> {
  return sql`contributed as (select * from contributor_totals where account_id = ${accountId})`;
}

/**
 * Returns SQL for whether a contribution of `kinds.kind` was skipped in a repository of `contributedBy`. It may be
 * theirs. Public numbers of people come from their host, which counts it.
 */
export function isSkippedElsewhere(visibility: Visibility): RawBuilder<boolean> {
  if (visibility === 'public') return sql`false`;
  return sql`exists (
    select from skipped_items k join repositories r on r.id = k.repository_id
    where is_lost_with(kinds.kind, k) and r.is_private and ${isPresentInSql('r')}
      and r.id in (select repository_id from contributed))`;
}

/** Returns the kinds with these names. */
export function toKinds(names: readonly string[]): ContributionKind[] {
  return contributionKinds.filter((kind) => names.includes(kind));
}
