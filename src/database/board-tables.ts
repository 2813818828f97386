import type { Generated, JSONColumnType } from 'kysely';

/** Tables of boards. `Date` is timestamptz. */

/** A file of boards of a repository, or the document that an owner sent in its place. */
interface BoardFilesTable {
  owner_id: string;
  /** Null for a document that the owner sent. */
  repository_id: string | null;
  /** Null when the repository has no file. */
  path: string | null;
  oid: string | null;
  /** The newest commit of the default branch when it was read. */
  revision: string | null;
  text: string;
  reports: JSONColumnType<object[]>;
  read_at: Date;
}

interface BoardsTable {
  id: string;
  owner_id: string;
  slug: string;
  /** Its position in the file. */
  place: number;
  /** The board as the file has it, with the provider of the file. */
  definition: JSONColumnType<object>;
  /** False when the file no longer defines it. */
  is_current: boolean;
  is_private: boolean;
  /** `provider/name` of the owners that its patterns name, in lower case. */
  owners: string[];
  /** The teams of hosts that it names: `provider/organization/team`, in lower case. */
  teams: Generated<string[]>;
  /** The newest ranking; null before the first one. */
  ranking_id: number | null;
  /** The time that the last ranking took. */
  cost_ms: Generated<number>;
  created_at: Date;
  /** The time at which a window may be due to be frozen; null: none will be. */
  freeze_at: Date | null;
}

/** The repositories that a board's patterns matched at its last ranking. */
interface BoardRepositoriesTable {
  board_id: string;
  repository_id: string;
}

/** A ranking as it was at one moment, so that its pages fit together. */
interface BoardRankingsTable {
  id: Generated<number>;
  board_id: string;
  /** The last ranking of a former day, with which ranks are compared. */
  base_id: number | null;
  since: Date | null;
  until: Date | null;
  /** A hash of all its ranks. */
  digest: string;
  /** The number of repositories that it counts. */
  members: number;
  /** How complete each repository is (`Coverage`). */
  coverage: JSONColumnType<object>;
  as_of: Date | null;
  /** The time of the last check that found it current. */
  built_at: Date;
  /** The time since which it has these ranks. */
  changed_at: Date;
}

interface BoardRanksTable {
  ranking_id: number;
  /** The position in the listing, from 1; people with the same rank have different places. */
  place: number;
  rank: number;
  account_id: string;
  points: number;
  /** The part of the points that grants give. */
  granted: number;
  /** Points by the number of the rule in the file, from 1. */
  by_rule: JSONColumnType<Record<string, number>>;
  previous_rank: number | null;
  is_newcomer: boolean;
  is_returning: boolean;
  /** The first counted contribution to the repositories, in the window or before. */
  first_at: Date | null;
  /** The contribution with which the person reached the points; null for points of grants alone. */
  reached_at: Date | null;
  teams: string[];
  /** Teams of the board that the person is in as a member of a team of the host; for the owner of the board alone. */
  member_teams: Generated<string[]>;
}

/** A team of the owner of a board that the board names. */
interface HostTeamsTable {
  owner_id: string;
  /** `provider/organization/team`, in lower case. */
  name: string;
  /** The time when the host last showed its members; null: it does not. */
  read_at: Date | null;
  tried_at: Date;
}

interface HostTeamMembersTable {
  owner_id: string;
  team: string;
  account_id: string;
}

/** People who came to lead a board. */
interface BoardLeadersTable {
  board_id: string;
  account_id: string;
  since: Date;
  points: number;
}

/** A version of a frozen window of a board. */
interface BoardSeasonsTable {
  board_id: string;
  number: number;
  version: number;
  since: Date | null;
  until: Date;
  definition: JSONColumnType<object>;
  coverage: JSONColumnType<object>;
  as_of: Date | null;
  /** The repositories that were not complete when it was frozen. */
  missing: string[];
  frozen_at: Date;
  /** The reason of this version. */
  reason: string;
  /** Changes of ranks and points since the version before. */
  differences: JSONColumnType<object[]>;
  /** A compact JWS; null when a person in it was erased or hidden, until a version without that person is signed. */
  statement: string | null;
}

interface BoardSeasonRanksTable {
  board_id: string;
  number: number;
  version: number;
  place: number;
  rank: number;
  account_id: string | null;
  /** True when the person was erased or hidden before this version. */
  is_anonymous: boolean;
  points: number;
  granted: number;
  by_rule: JSONColumnType<Record<string, number>>;
  previous_rank: number | null;
  is_newcomer: boolean;
  is_returning: boolean;
  teams: string[];
}

export interface BoardTables {
  board_files: BoardFilesTable;
  boards: BoardsTable;
  board_repositories: BoardRepositoriesTable;
  board_rankings: BoardRankingsTable;
  board_ranks: BoardRanksTable;
  host_teams: HostTeamsTable;
  host_team_members: HostTeamMembersTable;
  board_leaders: BoardLeadersTable;
  board_seasons: BoardSeasonsTable;
  board_season_ranks: BoardSeasonRanksTable;
}
