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

/** Accounts that let the service see their data: they installed its app at the provider, or the operator added them. */
export interface InstallationsTable {
  provider: string;
  /** The provider's id of the installation; the operator's ids begin with `operator`. */
  id: string;
  source: 'app' | 'operator';
  account_external_id: string;
  account_name: string;
  /** The name of the installation's own credential; null: the configured credentials. */
  credential_name: string | null;
  covers: 'all' | 'selected';
  missing_permissions: string[];
  suspended_at: Date | null;
  /** The row stays for a while, so that an older response of the provider does not bring the installation back. */
  removed_at: Date | null;
  /** The time of the request whose response is stored. */
  seen_at: Date;
  /** For selected repositories: the time of the last request for their list. */
  covered_at: Date | null;
  created_at: Date;
}

/** Credentials that are not accepted any more; everything private that they showed is hidden. */
export interface WithdrawnCredentialsTable {
  provider: string;
  credential_name: string;
  withdrawn_at: Date;
}

/** The repositories of an installation that covers selected ones. */
export interface CoveredRepositoriesTable {
  provider: string;
  installation_id: string;
  repository_external_id: string;
}
