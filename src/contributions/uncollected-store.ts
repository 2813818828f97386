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

/**
 * Returns SQL for whether a contribution of `kinds.kind` was skipped in a repository of others where the account `a` contributes. It may be
 * theirs. Public numbers of people come from their host, which counts it.
 */
export function isSkippedElsewhere(visibility: Visibility): RawBuilder<boolean> {
  if (visibility === 'public') return sql`false`;
  return sql`exists (
    select from skipped_items k join repositories r on r.id = k.repository_id
    where is_lost_with(kinds.kind, k) and r.is_private and ${isPresentInSql('r')}
      and exists (select from contributor_totals t where t.repository_id = r.id and t.account_id = a.id))`;
}

/** Returns the kinds with these names. */
export function toKinds(names: readonly string[]): ContributionKind[] {
  return contributionKinds.filter((kind) => names.includes(kind));
}
