import type { Generated, JSONColumnType } from 'kysely';
import type { PendingKind } from '../../model/contribution.ts';
import type { Counters } from '../../model/counters.ts';
import type {
  AdministratorsTable,
  AuditEntriesTable,
  EmbedsTable,
  OptOutsTable,
  OwnerKeysTable,
  RateLimitsTable,
  ReportedTotalsTable,
  ReportedWindowsTable,
  RevokedTokensTable,
  SessionsTable,
  SignInsTable,
  SigningKeysTable,
} from './access-tables.ts';
import type {
  AchievementTables,
  CredentialKeysTable,
  CredentialSignersTable,
  CredentialStatusesTable,
  FailingReceiversTable,
  NotificationsTable,
  RepositoryWebhooksTable,
  SecretsTable,
  WebhookSecretsTable,
} from './achievement-tables.ts';
import type { BoardTables } from './board-tables.ts';
import type {
  CalendarsTable,
  ChangedContributorsTable,
  ChangedRepositoriesTable,
  ChangeTables,
  CommitsTable,
  ContributionDaysTable,
  ContributionsTable,
  ContributorTotalsTable,
  DriftsTable,
  ErasingTables,
  IdentitiesTable,
  LanguageDaysTable,
  LanguageSumsTable,
  OwnerPollsTable,
  OwnerSumsTable,
  PendingDetailsTable,
  RankingsTable,
  RanksTable,
  RepositoryIdentitiesTable,
  RepositoryPollsTable,
  RepositoryTotalsTable,
  ScanPagesTable,
  SkippedItemsTable,
  StreamsTable,
  SummedRepositoriesTable,
  UncountedCommitsTable,
  UnlistedContributorsTable,
  UnsummedRepositoriesTable,
} from './contribution-tables.ts';
import type {
  CoveredRepositoriesTable,
  DeliveriesTable,
  DeliveryChecksTable,
  InstallationsTable,
  OwnerDeliveriesTable,
  RedeliveriesTable,
  RejectedDeliveriesTable,
  WithdrawnCredentialsTable,
} from './installation-tables.ts';

/** The tables as the newest migration leaves them. `Date` is timestamptz; a day is text, `YYYY-MM-DD`. */
export interface Tables extends AchievementTables, BoardTables, ChangeTables, ErasingTables {
  accounts: AccountsTable;
  former_names: FormerNamesTable;
  former_repository_names: FormerRepositoryNamesTable;
  lookups: LookupsTable;
  counters: CountersTable;
  repositories: RepositoriesTable;
  streams: StreamsTable;
  skipped_items: SkippedItemsTable;
  drifts: DriftsTable;
  contributions: ContributionsTable;
  identities: IdentitiesTable;
  commits: CommitsTable;
  repository_totals: RepositoryTotalsTable;
  contributor_totals: ContributorTotalsTable;
  contribution_days: ContributionDaysTable;
  language_days: LanguageDaysTable;
  language_sums: LanguageSumsTable;
  calendars: CalendarsTable;
  reported_windows: ReportedWindowsTable;
  repository_identities: RepositoryIdentitiesTable;
  uncounted_commits: UncountedCommitsTable;
  pending_details: PendingDetailsTable;
  changed_contributors: ChangedContributorsTable;
  changed_repositories: ChangedRepositoriesTable;
  owner_sums: OwnerSumsTable;
  summed_repositories: SummedRepositoriesTable;
  unsummed_repositories: UnsummedRepositoriesTable;
  unlisted_contributors: UnlistedContributorsTable;
  owner_polls: OwnerPollsTable;
  repository_polls: RepositoryPollsTable;
  rankings: RankingsTable;
  ranks: RanksTable;
  reported_totals: ReportedTotalsTable;
  signing_keys: SigningKeysTable;
  administrators: AdministratorsTable;
  owner_keys: OwnerKeysTable;
  revoked_tokens: RevokedTokensTable;
  embeds: EmbedsTable;
  sessions: SessionsTable;
  sign_ins: SignInsTable;
  audit_entries: AuditEntriesTable;
  opt_outs: OptOutsTable;
  deliveries: DeliveriesTable;
  installations: InstallationsTable;
  covered_repositories: CoveredRepositoriesTable;
  delivery_checks: DeliveryChecksTable;
  redeliveries: RedeliveriesTable;
  rejected_deliveries: RejectedDeliveriesTable;
  owner_deliveries: OwnerDeliveriesTable;
  repository_webhooks: RepositoryWebhooksTable;
  notifications: NotificationsTable;
  failing_receivers: FailingReceiversTable;
  webhook_secrets: WebhookSecretsTable;
  credential_keys: CredentialKeysTable;
  credential_signers: CredentialSignersTable;
  credential_statuses: CredentialStatusesTable;
  rate_limits: RateLimitsTable;
  secrets: SecretsTable;
  workers: WorkersTable;
  images: ImagesTable;
  withdrawn_credentials: WithdrawnCredentialsTable;
  scan_pages: ScanPagesTable;
}

/** A user, organization or bot on a provider, known by the provider's immutable id. */
interface AccountsTable {
  id: string;
  provider: string;
  external_id: string;
  /** The identifier of the account in the provider's API, opaque to this service. */
  handle: string;
  type: 'user' | 'organization' | 'bot';
  name: string;
  display_name: Generated<string>;
  avatar_url: Generated<string>;
  website: Generated<string>;
  description: Generated<string>;
  /** Null when they were never fetched. */
  socials: JSONColumnType<{ provider: string; name: string; url: string }[]> | null;
  /** Null where the host does not show them. */
  followers: number | null;
  following: number | null;
  /** The sum of the public counters. */
  experience: Generated<number>;
  /**
   * The time when the provider last confirmed that this account bears `name`; of two accounts with the name, the newer
   * claim wins.
   */
  named_at: Date;
  /** The time of the last request for the whole record. Null when the account is known only as a contributor. */
  fetched_at: Date | null;
  /** True for a sample without an account at a provider: it is never refreshed. */
  pinned: Generated<boolean>;
  deleted_at: Date | null;
  /** The time since when it is being erased: an empty row, to which others still refer. Null: it is not. */
  erased_at: Date | null;
  /** The key of the person's opt-out while an account that its owner erases has addresses; null: it is not. */
  opted_out_as: Buffer | null;
  /** Data that the provider's module keeps from one request to the next; only that module reads it. */
  provider_memory: JSONColumnType<object> | null;
  /**
   * The time at which a repository with contributions of the user was shown or hidden; the host's totals are fetched again
   * since. Null: they were.
   */
  totals_wanted_at: Date | null;
  /** The position of the running listing of owned repositories; null when none runs, or at its start. */
  listing_cursor: string | null;
  listing_started_at: Date | null;
  listed_at: Date | null;
  /** The time when the provider last reported that the list changed. */
  listing_wanted_at: Date | null;
  /** True when the owner hides the account from all others. */
  hidden: Generated<boolean>;
  /** True when the host does not show the account to all visitors, though public data names it. */
  hidden_by_host: Generated<boolean>;
  /** The time when the host last reported whether it shows the account; null: never. */
  checked_at: Date | null;
  /** True when the owner publishes the numbers of private contributions. */
  publishes_private: Generated<boolean>;
  /** The name of the repository with the file of boards; null: the default. */
  boards_repository: string | null;
  created_at: Date;
  updated_at: Date;
}

/** Names that accounts had before. */
interface FormerNamesTable {
  provider: string;
  name_key: string;
  account_id: string;
  left_at: Date;
  /** The time from which the provider may be requested to show whether another account took the name. */
  check_after: Date;
  /**
   * The time when the host last redirected from the name to the account; null: never, the service saw the rename
   * itself.
   */
  redirected_at: Generated<Date | null>;
}

/** Names that repositories had before, below the account that owned them then. */
interface FormerRepositoryNamesTable {
  owner_id: string;
  name_key: string;
  repository_id: string;
  left_at: Date;
  /** The time from which the service may check whether another repository took the name. */
  check_after: Date;
}

/** Lookups that run, or that ended without a result that is stored elsewhere. */
interface LookupsTable {
  /** The key of the lookup's job. */
  key: string;
  state: 'running' | 'absent' | 'failed' | 'delayed_by_allowance' | 'delayed_by_quota';
  /** True when an owner requested the lookup. */
  for_owner: Generated<boolean>;
  error_code: string | null;
  error_message: string | null;
  /** The time of the first of the failures that followed each other, also while the lookup runs again; null: none. */
  failing_since: Generated<Date | null>;
  /**
   * The time until which the outcome stands and the lookup is not started again; of a running or delayed lookup the end
   * of its claim.
   */
  retry_at: Date;
}

/** Counters, one row for each day on which they were fetched; null: never known. */
interface CountersTable extends Counters {
  account_id: string;
  day: string;
  /** True when public and private contributions are counted together; only where there are private ones. */
  includes_private: Generated<boolean>;
  /** Counters that the last request did not get: their values are older, or null. */
  missing: Generated<string[]>;
  updated_at: Date;
}

interface RepositoriesTable {
  id: string;
  provider: string;
  external_id: string;
  handle: string;
  owner_id: string;
  name: string;
  description: Generated<string>;
  language: Generated<string>;
  license: Generated<string>;
  default_branch: Generated<string>;
  is_private: boolean;
  /** For a private repository, the name of the provider's credential that shows it. */
  credential_name: string | null;
  is_fork: boolean;
  stars: Generated<number>;
  forks: Generated<number>;
  open_issues: Generated<number>;
  size_kib: Generated<number>;
  named_at: Date;
  listed_at: Date;
  /** The time at which all contributions were last known to be stored; null: never. */
  collected_at: Date | null;
  /** The node that is reading its contributions; void once that node has ended. */
  collector_node: number | null;
  deleted_at: Date | null;
  /** The time since when it is being erased: a row without a name, to which others still refer. Null: it is not. */
  erased_at: Generated<Date | null>;
  /** Since when a living installation covers it, so that all its details are read and kept current; null: none does. */
  installed_at: Date | null;
  /** Details that the repository's achievements need, and languages where people want them. */
  needs: Generated<PendingKind[]>;
  created_at: Date;
  updated_at: Date;
}

/** The node of each queue worker, so that other nodes can take over a dead node's jobs at once. */
interface WorkersTable {
  id: string;
  node: number;
}

/** Images that cards show, by their source address. */
interface ImagesTable {
  url: string;
  /** Null when the address had no image at the last request. */
  small: Buffer | null;
  large: Buffer | null;
  etag: string | null;
  failures: number;
  refresh_at: Date;
  used_at: Date;
  /** Null: it belongs to accounts, as their avatar. */
  repository_id: Generated<string | null>;
}
