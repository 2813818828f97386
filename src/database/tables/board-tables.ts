import type { Generated, GeneratedAlways, JSONColumnType } from 'kysely';

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
  /** The definitions of its boards without errors; null where an earlier release has read it. */
  boards: JSONColumnType<object[]> | null;
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
  name: GeneratedAlways<string>;
  description: GeneratedAlways<string>;
  /** True when it ranks the members of a team alone. */
  is_of_team: GeneratedAlways<boolean>;
  /** False when the file no longer defines it. */
  is_current: boolean;
  is_private: boolean;
  /** `provider/name` of the owners that its patterns name, in lower case. */
  owners: string[];
  /** The teams of hosts that it names: `provider/organization/team`, in lower case. */
  teams: Generated<string[]>;
  /** The accounts that it names: `provider/login`, in lower case. */
  people: Generated<string[]>;
  /** The time that the last ranking of affected people took. */
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

/** The ranking of a board. Its people are in `board_ranks`, in versions, so that pages of one fit together. */
interface BoardRankingsTable {
  board_id: string;
  version: number;
  /** The oldest version of which all rows are stored. */
  oldest_version: number;
  since: Date | null;
  until: Date | null;
  /** A hash of the rules, the window and the repositories; people of a ranking with another one are all counted again. */
  basis: string;
  /** The number of repositories that it counts. */
  members: number;
  /** True when only members of a team of the host are ranked, so that it is for the owner of the board. */
  is_of_team: boolean;
  /** The number of ranked people when all were counted last. */
  people: number;
  /** How complete each repository is (`Coverage`). */
  coverage: JSONColumnType<object>;
  as_of: Date | null;
  /** The time of the last check that found it current. */
  built_at: Date;
  /** The time at which all people were counted last, and the time that it took. */
  whole_at: Date;
  whole_cost_ms: number;
  /** All people are counted again until a ranking begins after this time. */
  whole_until: Date | null;
}

/** A count of all people of a board, until it replaces the ranking. Its people are in `next_board_ranks` at first. */
interface NextBoardRankingsTable extends Omit<BoardRankingsTable, 'oldest_version'> {
  /** The repositories that the board counts from then on; null: the same ones. */
  repository_ids: string[] | null;
}

/** Some of the people whose rows differ in the next version. */
interface NextBoardRanksTable {
  board_id: string;
  part: number;
  people: JSONColumnType<object[]>;
}

/** A person with points, or with items that the board may count, between two versions. */
interface BoardRanksTable {
  board_id: string;
  account_id: string;
  /** The first version with this row, and the first one without it; null: the present one has it. */
  since_version: number;
  until_version: number | null;
  ended_at: Date | null;
  /** False for people who are on no page: they have no points, are hidden or excluded. */
  is_ranked: boolean;
  points: number;
  /** Decides between people with the same points, the earliest first; null where these share a rank. */
  ordered_at: Date | null;
  /** In lower case. */
  name: string;
  /** The part of the points that grants give. */
  granted: number;
  /** Points by the number of the rule in the file, from 1. */
  by_rule: JSONColumnType<Record<string, number>>;
  /** The rank at the end of the last day with a ranking. */
  previous_rank: number | null;
  is_newcomer: boolean;
  is_returning: boolean;
  /** The first counted contribution to the repositories, in the window or before. */
  first_at: Date | null;
  /** The contribution with which the person reached the points; null for points of grants alone. */
  reached_at: Date | null;
  teams: string[];
  /** Teams of the board that the person is in as a member of a team of the host; for the owner of the board alone. */
  member_teams: string[];
}

/** A change after which points of people on a board have to be counted again; both lists null: those of all people. */
interface BoardChangesTable {
  board_id: string;
  people: string[] | null;
  /** Addresses whose accounts are among the people, as they are when the points are counted. */
  identities: number[] | null;
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
  /** Its rule; empty for an imported season of which no rule is known. */
  definition: JSONColumnType<object>;
  coverage: JSONColumnType<object>;
  as_of: Date | null;
  /** The repositories that were not complete when it was frozen. */
  missing: string[];
  frozen_at: Date;
  /** The repositories that it counted; null: the release that counted it did not store them. */
  counted: JSONColumnType<object[]> | null;
  /** The accounts that its rule names: `provider/login`, in lower case. */
  people: Generated<string[]>;
  /** The members of the team that alone are ranked, as they were when it was frozen; null: there is no such team, or it was not readable. */
  team_members: string[] | null;
  /** The reason of this version. */
  reason: string;
  /** Changes of ranks and points since the version before. */
  differences: JSONColumnType<object[]>;
  /** A compact JWS; null when a person in it was erased or hidden, until a version without that person is signed. */
  statement: string | null;
  /** False until its table is stored and signed; no reader sees it before. */
  is_written: Generated<boolean>;
}

/** Some of the people of a version of a season that is not written yet. */
interface NextSeasonRanksTable {
  board_id: string;
  number: number;
  version: number;
  part: number;
  people: JSONColumnType<object[]>;
  /** The accounts of these people. */
  account_ids: string[];
}

/** The name of an account that was erased or hidden, until a version of the season without it is signed. */
interface WithdrawnNamesTable {
  board_id: string;
  number: number;
  /** `provider/login`, in lower case. */
  name: string;
}

/** An erased or hidden account that seasons name, until the statements of all of them are withdrawn. */
interface PendingWithdrawalsTable {
  id: Generated<string>;
  account_id: string;
  /** `provider/login` in lower case, as seasons name it; null for an organization. */
  name: string | null;
  /** The key of the last season whose statements were withdrawn. */
  board_id: Generated<string>;
  number: Generated<number>;
}

/** An account that a board names and that was not stored when it was looked up last. */
interface NamedPeopleTable {
  /** `provider/login`, in lower case. */
  name: string;
  looked_up_at: Date;
  /** True when the host had no such account, or showed none. */
  is_absent: boolean;
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
  /** The points without grants (`points`, `by_rule`) of the repositories that were complete; null: nothing was missing. */
  settled: JSONColumnType<object> | null;
}

export interface BoardTables {
  board_files: BoardFilesTable;
  boards: BoardsTable;
  board_repositories: BoardRepositoriesTable;
  board_rankings: BoardRankingsTable;
  board_ranks: BoardRanksTable;
  next_board_rankings: NextBoardRankingsTable;
  next_board_ranks: NextBoardRanksTable;
  board_changes: BoardChangesTable;
  host_teams: HostTeamsTable;
  host_team_members: HostTeamMembersTable;
  named_people: NamedPeopleTable;
  withdrawn_names: WithdrawnNamesTable;
  pending_withdrawals: PendingWithdrawalsTable;
  board_leaders: BoardLeadersTable;
  board_seasons: BoardSeasonsTable;
  board_season_ranks: BoardSeasonRanksTable;
  next_season_ranks: NextSeasonRanksTable;
}
