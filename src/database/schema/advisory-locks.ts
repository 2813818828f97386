/**
 * The numbers of the advisory locks. PostgreSQL knows such a lock by its number alone, for the whole database, so each
 * number is assigned once, here. A number in use never changes, because nodes of two releases may run together.
 */
export const advisoryLocks = {
  /** Held while migrations run, so that one node applies them and the others wait. */
  migrations: 7_033_127,
  /** Held by each node while it lives, shared, with the number of the node as a second key. */
  livingNodes: 7_033_128,
  /** Shared by transactions that store data about people; exclusive while an account is erased. */
  erasure: 7_033_129,
  /**
   * Held, with the hash of a key of order as a second number, by the transaction that applies deliveries of that key.
   * Releases before 1.0 hold it alone.
   */
  applyingDeliveries: 7_033_130,
  /**
   * Has the hash of an owner as a second number. Exclusive in a transaction that makes a list of contributors; shared in
   * each that changes contributors, taken just before it commits.
   */
  listing: 7_033_132,
  /**
   * Shared by transactions that hide or show accounts; exclusive in one that prepares a season to be signed, so that those
   * that did not see the season have ended.
   */
  signing: 7_033_133,
  /** Held for a moment, shared, with the number of the session as a second key, to see it over another connection. */
  sameDatabase: 7_033_131,
} as const;
