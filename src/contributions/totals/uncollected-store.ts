import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import { privateListing, publicListing } from '../../accounts/repositories/store.ts';
import { type ContributionKind, contributionKinds } from '../../model/contribution.ts';

/** Repositories of an account that count. */
export type Visibility = 'public' | 'private' | 'all';

/** Returns the condition that a repository of the account `a` could not be read from its listing. */
export function isListedInPart(visibility: Visibility): RawBuilder<boolean> {
  const listings = { public: [publicListing], private: [privateListing], all: [publicListing, privateListing] };
  return sql`exists (
    select from skipped_items k
    where k.account_id = a.id and k.stream = any(${listings[visibility]}::text[]) and k.kind = 'repository'
      and not k.is_counted)`;
}

/** Returns the common table expression `contributed`, the totals of an account, which `isSkippedElsewhere` reads. */
export function contributedBy(accountId: string): RawBuilder<unknown> {
  return sql`contributed as (select * from contributor_totals where account_id = ${accountId})`;
}

/**
 * Returns the condition that a contribution of `kinds.kind` was skipped in a private repository of `contributedBy`: it
 * may be one of that account. Always false for `public`, because public numbers come from the host, which counts
 * skipped items.
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
