import { sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';
import { advisoryLocks } from './advisory-locks.ts';

/**
 * Takes the shared erasure lock until the transaction ends. Every transaction that stores a provider's data about
 * people must call this before it looks up opt-outs. An erasure waits for the transactions that hold the lock, and
 * later ones wait for the erasure, so that work under way does not store an erased account again.
 */
export async function takeSharedErasureLock(transaction: Connection): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${advisoryLocks.erasure})`.execute(transaction);
}

/**
 * Takes the exclusive erasure lock: waits for all holders of the shared lock, and keeps others out until the
 * transaction ends.
 */
export async function takeErasureLock(transaction: Connection): Promise<void> {
  await sql`select pg_advisory_xact_lock(${advisoryLocks.erasure})`.execute(transaction);
}
