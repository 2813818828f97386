import type { Actor } from '../../model/account.ts';

/**
 * Accounts by email address in lower case. Null: the address has no account, because the host showed a commit that the
 * address authored or committed, without an account.
 */
export type CommitOwners = Map<string, Actor | null>;

/**
 * Adds the account that a commit shows for an address. A commit without an account does not replace a known account.
 */
export function addOwner(owners: CommitOwners, email: string, owner: Actor | null): void {
  const address = email.toLowerCase();
  if (owner !== null || !owners.has(address)) owners.set(address, owner);
}
