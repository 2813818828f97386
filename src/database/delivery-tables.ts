import type { Generated, JSONColumnType } from 'kysely';
import type { Change } from '../providers/provider.ts';

/** What providers told by themselves; of what was applied only that it came. */
export interface DeliveriesTable {
  provider: string;
  id: string;
  event: string;
  changes: JSONColumnType<Change[]>;
  received_at: Date;
  applied_at: Date | null;
  /** How often applying it failed. */
  attempts: Generated<number>;
}

/** How far a provider's own record of its deliveries was looked through for those that did not arrive. */
export interface DeliveryChecksTable {
  provider: string;
  /** Every attempt before was looked at. */
  checked_until: Date;
  /** Where the running look stands; null: none runs. */
  cursor: string | null;
  /** The newest attempt that the running look has seen. */
  newest_at: Date | null;
}

/** Deliveries that did not arrive and were asked for again. */
export interface RedeliveriesTable {
  provider: string;
  delivery_id: string;
  /** The newest failed attempt that was answered so. */
  attempt_id: string;
  asked: number;
  found_at: Date;
}

/** Deliveries that were not taken, counted by reason. */
export interface RejectedDeliveriesTable {
  provider: string;
  reason: string;
  count: number;
  first_at: Date;
  last_at: Date;
}

/** When a delivery about what an account owns was last applied. */
export interface OwnerDeliveriesTable {
  account_id: string;
  applied_at: Date;
}
