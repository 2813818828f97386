import type { Generated, JSONColumnType } from 'kysely';
import type { Change } from '../../hosts/interface/provider.ts';

/** Deliveries from providers. An applied delivery keeps its row, without its content. */
export interface DeliveriesTable {
  provider: string;
  id: string;
  event: string;
  changes: JSONColumnType<Change[]>;
  received_at: Date;
  applied_at: Date | null;
  /** The number of failed attempts to apply it. */
  attempts: Generated<number>;
  /** Deliveries with the same key are applied in order; empty once applied. */
  order_key: Generated<string>;
  /**
   * The time, by the clock of the database, at which the delivery is tried again; null: it was not tried yet. Until it is
   * applied or has failed, later deliveries with its key wait.
   */
  retry_at: Generated<Date | null>;
  /** The time of the first try that had to wait for another transaction or for more time. */
  waiting_since: Generated<Date | null>;
}

/** The progress of searching a provider's own record for deliveries that did not arrive. */
export interface DeliveryChecksTable {
  provider: string;
  /** The time before which every attempt was checked. */
  checked_until: Date;
  /** The position of the running search; null when none runs. */
  cursor: string | null;
  /** The newest attempt that the running search has seen. */
  newest_at: Date | null;
}

/** Deliveries that did not arrive and were requested again. */
export interface RedeliveriesTable {
  provider: string;
  delivery_id: string;
  /** The failed attempt because of which it was requested again. */
  attempt_id: string;
  requests: number;
  found_at: Date;
}

/** Rejected deliveries, counted by reason. */
export interface RejectedDeliveriesTable {
  provider: string;
  reason: string;
  count: number;
  first_at: Date;
  last_at: Date;
}

/** Times when a delivery about an account or its repositories was last applied. */
export interface OwnerDeliveriesTable {
  account_id: string;
  applied_at: Date;
}
