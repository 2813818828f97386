import type { Generated, JSONColumnType } from 'kysely';
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
import type { DeliveriesTable, DeliveryChecksTable, RedeliveriesTable } from './delivery-tables.ts';
import type { CoveredRepositoriesTable, InstallationsTable } from './installation-tables.ts';

/** The tables as the newest migration leaves them. `Date` is timestamptz; a day is text, `YYYY-MM-DD`. */
export interface Tables {
  accounts: AccountsTable;
  former_names: FormerNamesTable;
  questions: QuestionsTable;
  counters: CountersTable;
  repositories: RepositoriesTable;
  streams: StreamsTable;
  contributions: ContributionsTable;
  identities: IdentitiesTable;
  commits: CommitsTable;
  repository_totals: RepositoryTotalsTable;
  contributor_totals: ContributorTotalsTable;
  rankings: RankingsTable;
  ranks: RanksTable;
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
  rate_limits: RateLimitsTable;
  secrets: SecretsTable;
  workers: WorkersTable;
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
  /** Since when a living installation covers it; null: none does. */
  installed_at: Date | null;
  gone_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

/** How far one kind of a repository's contributions is read. */
interface StreamsTable {
  repository_id: string;
  name: string;
  /** Kinds of contributions that are known completely once it was read whole. */
  covers: string[];
  /** Where the running scan stands; for commits, the tip that is stored. */
  cursor: string | null;
  page_size: number | null;
  /** Null: no scan is running. */
  scan_started_at: Date | null;
  /** Whether the running scan reads everything, so that what it did not see is gone. */
  scan_is_full: Generated<boolean>;
  /** How many items the provider said there were when the running scan began; null: it did not say. */
  scan_total: number | null;
  /** Of the history: grows when all of it has to be read anew to know what is gone. */
  scan_number: Generated<number>;
  /** Of the history: newest commits of which some, but maybe not all, are stored. */
  pending_tips: Generated<string[]>;
  /** Everything that changed before is stored. */
  known_until: Date | null;
  /** When a scan last ended; null: the stream was never read whole. */
  completed_at: Date | null;
  /** When a scan that read everything last ended. */
  full_scan_at: Date | null;
  /** What the provider said when the repository was last listed: how many items, the newest change, the newest commit. */
  provider_total: number | null;
  provider_changed_at: Date | null;
  provider_revision: string | null;
  failure: string | null;
}

interface ContributionsTable {
  repository_id: string;
  kind: 'issue' | 'pull_request' | 'review' | 'discussion';
  external_id: string;
  /** The pull request that a review is of. */
  parent_external_id: string | null;
  /** Null: the author's account is gone, or was never one. */
  account_id: string | null;
  answered_by: string | null;
  answered: Generated<boolean>;
  created_at: Date;
  updated_at: Date;
  closed_at: Date | null;
  merged_at: Date | null;
  /** Start of the last scan that saw it. */
  seen_at: Date;
}

/** An e-mail address in commits, and whose it is. */
interface IdentitiesTable {
  id: Generated<number>;
  provider: string;
  email: string;
  account_id: string | null;
  resolved_at: Date | null;
}

interface CommitsTable {
  repository_id: string;
  oid: Buffer;
  authored_at: Date;
  committed_at: Date;
  /** Of the scan that last saw it. */
  scan_number: number;
  /** Author first, then co-authors. */
  identity_ids: number[];
}

interface RepositoryTotalsTable {
  repository_id: string;
  commits: number;
  issues: number;
  issues_closed: number;
  pull_requests: number;
  pull_requests_merged: number;
  reviews: number;
  discussions: number;
  discussions_answered: number;
}

interface ContributorTotalsTable {
  repository_id: string;
  account_id: string;
  commits: number;
  issues: number;
  pull_requests: number;
  reviews: number;
  discussions: number;
}

/** A listing of contributors as it was at one version, so that its pages fit together. */
interface RankingsTable {
  id: Generated<number>;
  account_id: string;
  /** Null: all repositories of the account. */
  repository_id: string | null;
  /** Made of private repositories too. */
  includes_private: Generated<boolean>;
  version: number;
  built_at: Date;
}

interface RanksTable {
  ranking_id: number;
  rank: number;
  account_id: string;
  contributions: number;
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
