import type { Generated, JSONColumnType } from 'kysely';
import type { Detail } from '../contributions/contribution.ts';
import type {
  AuditEntriesTable,
  EmbedsTable,
  OptOutsTable,
  OwnerKeysTable,
  RateLimitsTable,
  RevokedTokensTable,
  SeenTotalsTable,
  SigningKeysTable,
} from './access-tables.ts';
import type {
  AchievementFilesTable,
  AchievementsTable,
  AchievementWorkTable,
  AwardsTable,
} from './achievement-tables.ts';
import type {
  CalendarsTable,
  ChangedContributorsTable,
  CommitsTable,
  ContributionDaysTable,
  ContributionsTable,
  ContributorTotalsTable,
  DriftsTable,
  IdentitiesTable,
  LackingDetailsTable,
  OwnerPollsTable,
  RankingsTable,
  RanksTable,
  RepositoryIdentitiesTable,
  RepositoryPollsTable,
  RepositoryTotalsTable,
  SkippedItemsTable,
  StarEventsTable,
  StreamsTable,
  UncountedCommitsTable,
} from './contribution-tables.ts';
import type {
  DeliveriesTable,
  DeliveryChecksTable,
  OwnerDeliveriesTable,
  RedeliveriesTable,
  RejectedDeliveriesTable,
} from './delivery-tables.ts';
import type { CoveredRepositoriesTable, InstallationsTable } from './installation-tables.ts';
import type {
  CredentialKeysTable,
  CredentialSignersTable,
  FailingReceiversTable,
  NotificationsTable,
  RepositoryWebhooksTable,
  WebhookSecretsTable,
} from './notification-tables.ts';

/** The tables as the newest migration leaves them. `Date` is timestamptz; a day is text, `YYYY-MM-DD`. */
export interface Tables {
  accounts: AccountsTable;
  former_names: FormerNamesTable;
  former_repository_names: FormerRepositoryNamesTable;
  questions: QuestionsTable;
  counters: CountersTable;
  repositories: RepositoriesTable;
  streams: StreamsTable;
  skipped_items: SkippedItemsTable;
  star_events: StarEventsTable;
  drifts: DriftsTable;
  contributions: ContributionsTable;
  identities: IdentitiesTable;
  commits: CommitsTable;
  repository_totals: RepositoryTotalsTable;
  contributor_totals: ContributorTotalsTable;
  contribution_days: ContributionDaysTable;
  calendars: CalendarsTable;
  repository_identities: RepositoryIdentitiesTable;
  uncounted_commits: UncountedCommitsTable;
  lacking_details: LackingDetailsTable;
  changed_contributors: ChangedContributorsTable;
  owner_polls: OwnerPollsTable;
  repository_polls: RepositoryPollsTable;
  rankings: RankingsTable;
  ranks: RanksTable;
  achievement_files: AchievementFilesTable;
  achievements: AchievementsTable;
  awards: AwardsTable;
  achievement_work: AchievementWorkTable;
  seen_totals: SeenTotalsTable;
  signing_keys: SigningKeysTable;
  owner_keys: OwnerKeysTable;
  revoked_tokens: RevokedTokensTable;
  embeds: EmbedsTable;
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
  rate_limits: RateLimitsTable;
  secrets: SecretsTable;
  workers: WorkersTable;
  images: ImagesTable;
}

/** A user, organization or bot on a provider, known by the provider's immutable id. */
interface AccountsTable {
  id: string;
  provider: string;
  external_id: string;
  /** What the provider's API calls it by, opaque to us. */
  handle: string;
  type: 'user' | 'organization' | 'bot';
  name: string;
  display_name: Generated<string>;
  avatar_url: Generated<string>;
  website: Generated<string>;
  description: Generated<string>;
  /** Null: never asked. */
  socials: JSONColumnType<{ provider: string; name: string; url: string }[]> | null;
  followers: Generated<number>;
  following: Generated<number>;
  /** The sum of the public counters. */
  experience: Generated<number>;
  /** When the provider last said that this account bears `name`; of two that claim a name, the newer one has it. */
  named_at: Date;
  /** When the provider was last asked for the whole record. Null: known only as somebody's contributor. */
  asked_at: Date | null;
  /** There is no provider behind it (a sample): it is never refreshed. */
  pinned: Generated<boolean>;
  gone_at: Date | null;
  /** What the provider's module wants to remember between two questions; only it reads this. */
  provider_memory: JSONColumnType<object> | null;
  /** Where the running listing of owned repositories stands; null: none runs, or it is at its start. */
  listing_cursor: string | null;
  listing_started_at: Date | null;
  listed_at: Date | null;
  /** When the provider last hinted that the list is another one. */
  listing_wanted_at: Date | null;
  /** Kinds of contributions to owned public repositories that are not all known. */
  uncollected: Generated<string[]>;
  /** Grows with every change of who contributed how much to what the account owns. */
  contributors_version: Generated<number>;
  /** The owner wants it shown to nobody else. */
  hidden: Generated<boolean>;
  /** The host does not show it to everybody, though it is named in what is public. */
  hidden_by_host: Generated<boolean>;
  /** When the host last said whether it shows the account; null: never. */
  checked_at: Date | null;
  /** The owner lets everybody see the numbers of private contributions. */
  publishes_private: Generated<boolean>;
  created_at: Date;
  updated_at: Date;
}

/** Names that accounts had before. */
interface FormerNamesTable {
  provider: string;
  name_key: string;
  account_id: string;
  left_at: Date;
  /** From then on the provider may be asked whether somebody else took the name. */
  check_after: Date;
  /** When the host last led from the name to the account; null: never, the service saw the rename itself. */
  redirected_at: Generated<Date | null>;
}

/** Names that repositories had before, below the account that owned them then. */
interface FormerRepositoryNamesTable {
  owner_id: string;
  name_key: string;
  repository_id: string;
  left_at: Date;
  /** From then on the provider may be asked whether another repository took the name. */
  check_after: Date;
}

/** What a provider is being asked, or was asked without a result that is stored elsewhere. */
interface QuestionsTable {
  /** The key of the job that asks. */
  key: string;
  state: 'asked' | 'absent' | 'failed';
  error_code: string | null;
  error_message: string | null;
  /** Until then the outcome stands and the provider is not asked again. */
  retry_at: Date;
}

/** What was counted, one row a day on which it was asked; null: never known. */
interface CountersTable {
  account_id: string;
  day: string;
  /** Of public and private contributions together, kept where there are any private ones. */
  includes_private: Generated<boolean>;
  commits: number | null;
  issues: number | null;
  pull_requests: number | null;
  reviews: number | null;
  stars: number | null;
  contributed_to: number | null;
  issues_closed: number | null;
  pull_requests_merged: number | null;
  discussions: number | null;
  discussions_answered: number | null;
  /** Counters that could not be learnt when last asked: their values are older, or null. */
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
  /** Of a private one: the name of the provider's credential that shows it. */
  access: string | null;
  is_fork: boolean;
  stars: Generated<number>;
  forks: Generated<number>;
  open_issues: Generated<number>;
  size_kib: Generated<number>;
  named_at: Date;
  listed_at: Date;
  /** When all contributions were last known to be stored; null: never. */
  collected_at: Date | null;
  /** The node that is reading its contributions; void once that node is gone. */
  collector_node: number | null;
  gone_at: Date | null;
  /** Since when a living installation covers it: it is known at full depth and kept current; null: none does. */
  installed_at: Date | null;
  /** What is asked for besides, for somebody needs it. */
  needs: Generated<Detail[]>;
  created_at: Date;
  updated_at: Date;
}

/** Keys that all nodes share. */
interface SecretsTable {
  name: string;
  value: Buffer;
}

/** Which node runs which queue worker, so that a dead node's jobs can be taken over at once. */
interface WorkersTable {
  id: string;
  node: number;
}

/** Images that pictures show, by the address that they come from. */
export interface ImagesTable {
  url: string;
  /** Null: there was none when it was asked for. */
  small: Buffer | null;
  large: Buffer | null;
  etag: string | null;
  failures: number;
  refresh_at: Date;
  used_at: Date;
  /** Null: it belongs to accounts, as their avatar. */
  repository_id: Generated<string | null>;
}
