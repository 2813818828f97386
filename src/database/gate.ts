import { sql } from 'kysely';
import type { Connection } from './connection.ts';

/** Any number that nothing else locks. */
const gateLock = 7_033_129;

/**
 * To be passed by every transaction that stores what a provider says about people, before it looks who is not to be
 * stored; held until it ends. An erasure waits for those that passed, and the next ones for it: nobody comes back by work
 * that was under way.
 */
export async function passGate(transaction: Connection): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${gateLock})`.execute(transaction);
}

/** Waits until nobody is inside, and keeps others out until the transaction ends. */
export async function closeGate(transaction: Connection): Promise<void> {
  await sql`select pg_advisory_xact_lock(${gateLock})`.execute(transaction);
}
