import type { Actor } from '../accounts/account.ts';

/**
 * Accounts by address in lower case. Null settles that an address has no account: a response shows a commit that the
 * address authored or committed, and no account.
 */
export type CommitOwners = Map<string, Actor | null>;

/** Adds what a commit shows of an address. An account stays when another commit shows none. */
export function addOwner(owners: CommitOwners, email: string, owner: Actor | null): void {
  const address = email.toLowerCase();
  if (owner !== null || !owners.has(address)) owners.set(address, owner);
}
