import type { Trigger } from '../rules/config.ts';

/** A board of a boards file, with all its parts checked. */
export interface Board {
  name: string;
  /** The identity of the board among those of its owner; letter case does not matter. */
  slug: string;
  description: string;
  repositories: RepositoryPattern[];
  /** True when the patterns match the owner's private repositories too. */
  isPrivate: boolean;
  window: WindowRule;
  rules: BoardRule[];
  people: PeopleFilter;
  teams: Team[];
  grants: Grant[];
  /** False: pull requests that their author merged into a repository of their own do not count. */
  countsSelfMerged: boolean;
  /** Items with one of these labels never count. */
  spamLabels: string[];
  /** The points from which a person is eligible; null when the board has no threshold. */
  threshold: number | null;
  ties: 'shared' | 'earliest';
  /** The board as it is written, for statements and for reading it again. */
  definition: object;
}

/** Repositories of one owner; the name may contain `*` and `?`. */
export interface RepositoryPattern {
  /** False for a pattern that begins with `!`. */
  isIncluded: boolean;
  /** The possible meanings: the first part of a path can be a provider or, at GitLab, a group. */
  places: RepositoryPlace[];
  /** As it is written, without `!`. */
  text: string;
}

export interface RepositoryPlace {
  provider: string;
  owner: string;
  name: string;
}

/** The window as it is written; `src/recognition/boards/board-window.ts` turns it into instants. */
export type WindowRule =
  | { kind: 'range'; since: string | undefined; until: string | undefined; timeZone: string }
  | { kind: 'period'; period: string; timeZone: string }
  | { kind: 'seasons'; unit: SeasonUnit; from: string; timeZone: string };

export const seasonUnits = ['week', 'month', 'quarter', 'year'] as const;
type SeasonUnit = (typeof seasonUnits)[number];

/** A rule that is earned once if its condition has an aggregate, otherwise once for each contribution. */
export interface BoardRule extends Trigger {
  points: number;
  /** The most points of this rule on one day. */
  perDay: number | null;
  /** The n-th contribution of a day counts 1 / (1 + decay * (n - 1)). */
  decay: number;
  /** The moment that has to be in the window; null: the one since which the condition holds. */
  at: Moment | null;
  /** With `at: created`, the day or moment until which what a condition requires may happen; null: the end of the window. */
  decidedUntil: string | null;
  /** True: several reviews of a person on one item on one day count each. */
  countsEach: boolean;
}

export const moments = ['created', 'merged', 'closed'] as const;
export type Moment = (typeof moments)[number];

/** A person by login at a provider. */
export interface PersonName {
  provider: string;
  login: string;
}

/** A team of an organization at its host. */
export interface TeamName {
  provider: string;
  organization: string;
  team: string;
}

export interface PeopleFilter {
  withBots: boolean;
  exclude: PersonName[];
  /** True: only newcomers. */
  newcomersAlone: boolean;
  /** True: newcomers are new to the rules of the board; absent: to commits, issues, pull requests, reviews and discussions. */
  isNewToRules?: boolean;
  onlyMembersOf: TeamName | null;
}

export interface Team {
  name: string;
  people: PersonName[];
  hostTeams: TeamName[];
}

/** Points that a person gets by decision. */
export interface Grant {
  person: PersonName;
  points: number;
  reason: string;
  grantedBy: string;
  /** The last day on which it counts, `YYYY-MM-DD`; null: it has no end. */
  until: string | null;
}
