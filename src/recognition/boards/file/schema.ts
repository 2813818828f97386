import { type Static, Type } from 'typebox';
import type { UnreportedKind } from '../../../hosts/interface/provider.ts';
import { maxConditionLength } from '../../rules/conditions/parser.ts';
import { actions, actorAliases, actors } from '../../rules/conditions/vocabulary.ts';
import { maxPoints } from '../../rules/file/file-schema.ts';
import type { Reading } from '../../rules/file/read-trigger.ts';
import { moments, seasonUnits } from '../board.ts';

/** The host of a file, to which names without a provider refer. */
export interface FileHost {
  provider: string;
  /** The name of the account that has the boards; absent: not known. */
  owner?: string | undefined;
  /** True for a board that was stored by the rules of its time, which may have permitted more. */
  isStored?: boolean;
  /**
   * Returns the data that a host does not return, so that conditions that need it get a warning; undefined for a name of
   * no host.
   */
  unreportedBy?: (provider: string) => readonly UnreportedKind[] | undefined;
}

/** The file that is being read, its host, and the faults that were found until now. */
export interface BoardReading extends Omit<Reading, 'unreported'>, FileHost {}

/** The schema of the boards file, for its reader and, as JSON Schema, for editors. */

const maxBoards = 50;
export const maxRepositories = 500;
export const maxRules = 50;
/** The most characters of all conditions of a board: every ranking and preview makes SQL of them, 2 ms for a thousand. */
export const maxConditions = 20_000;
const maxPeople = 500;
export const maxGrants = 200;

const closed = { additionalProperties: false };
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const text = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description });
const points = (description: string) => Type.Integer({ minimum: 1, maximum: maxPoints, description });
const word = (description: string) =>
  Type.Unsafe<string>({ type: ['string', 'number', 'boolean'], minLength: 1, maxLength: 100, description });
const date = 'a day, as YYYY-MM-DD';
const instant = 'a day, as YYYY-MM-DD, or a moment, as YYYY-MM-DDTHH:MM:SSZ';
/** Accounts of hosts; GitLab's groups have paths. */
const login = Type.String({
  pattern: '^@?([A-Za-z0-9_.-]{1,100}/)*[A-Za-z0-9_.-]{1,100}(\\[bot\\])?$',
  description: 'a login, of another host as PROVIDER/LOGIN',
});
export const RepositoryText = Type.String({
  minLength: 1,
  maxLength: 400,
  description: 'OWNER/NAME or OWNER/*, or the same after !',
});
const hostTeam = Type.String({
  pattern: '^@?([A-Za-z0-9_.-]{1,100}/){1,20}[A-Za-z0-9_.-]{1,100}$',
  description: 'a team, as ORGANIZATION/TEAM',
});

export const RuleEntry = Type.Object(
  {
    actor: Type.Optional(
      Type.Enum([...actors, ...Object.keys(actorAliases)], { description: 'who gets the points; default: author' }),
    ),
    action: Type.Enum(
      actions.filter((action) => action !== 'point'),
      { description: 'the kind of contribution' },
    ),
    condition: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: maxConditionLength,
        description: "a condition, as in merged = true & labels in ['bug']; without one, every contribution counts",
      }),
    ),
    at: Type.Optional(
      Type.Enum([...moments], { description: 'the moment that counts; default: since when the condition holds' }),
    ),
    decided_until: Type.Optional(
      text(
        40,
        `with at: created, until when a merge, an end or a label counts; default: the end of the window; ${instant}`,
      ),
    ),
    own: flag('true to count reviews and comments of people on items of their own'),
    each: flag('true to count several reviews of a person on one item on one day'),
    points: points(`a whole number from 1 to ${maxPoints}`),
    per_day: Type.Optional(points('the most points of this rule on one day')),
    decay: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 100,
        description: 'a number from 0 to 100: the n-th of a day counts 1/(1 + decay * (n - 1))',
      }),
    ),
  },
  { ...closed, description: 'a rule that gives points' },
);

export const WindowFields = Type.Object(
  {
    since: Type.Optional(text(40, instant)),
    until: Type.Optional(text(40, instant)),
    time_zone: Type.Optional(text(64, 'a time zone, as Europe/Berlin; default: UTC')),
    period: Type.Optional(text(40, 'a period, as last-30d or 2026-Q3')),
    seasons: Type.Optional(Type.Enum([...seasonUnits], { description: 'the length of each season' })),
    from: Type.Optional(text(10, `the first day of the first season: ${date}`)),
  },
  { ...closed, description: 'since and until, or period, or seasons and from' },
);

const People = Type.Object(
  {
    bots: flag('true to rank bots too'),
    exclude: Type.Optional(Type.Array(login, { maxItems: maxPeople, description: 'logins that are not ranked' })),
    newcomers: flag('true to rank only newcomers'),
    newcomer_of: Type.Optional(
      Type.Enum(['any', 'rule'], {
        description:
          'any: newcomers have no commit, issue, pull request, review or discussion before the window; rule: nothing that a rule counts',
      }),
    ),
    only_members_of: Type.Optional(hostTeam),
  },
  { ...closed, description: 'who is ranked' },
);

export const GrantEntry = Type.Object(
  {
    person: login,
    points: points('points that the person gets'),
    reason: text(500, 'the reason, which everyone can read'),
    granted_by: text(100, 'who decided it'),
    until: Type.Optional(text(10, `the last day on which it counts: ${date}`)),
  },
  { ...closed, description: 'points by decision' },
);

export const BoardFields = Type.Object(
  {
    name: word('the name of the board'),
    slug: Type.String({
      pattern: '^[A-Za-z0-9][A-Za-z0-9-]{0,63}$',
      description: 'letters, digits and hyphens, for its address',
    }),
    description: Type.Optional(Type.String({ maxLength: 2000, description: 'what the board is for' })),
    repositories: Type.Array(RepositoryText, {
      minItems: 1,
      maxItems: maxRepositories,
      description: 'the repositories',
    }),
    private: flag("true to match the owner's private repositories too"),
    window: Type.Optional(WindowFields),
    points: Type.Array(RuleEntry, { minItems: 1, maxItems: maxRules, description: 'how points are earned' }),
    people: Type.Optional(People),
    teams: Type.Optional(
      Type.Record(
        Type.String({ pattern: '^.{1,60}$' }),
        Type.Array(login, { maxItems: maxPeople, description: 'logins, and teams as @ORGANIZATION/TEAM' }),
        { maxProperties: 50, description: 'names of teams, each with its members' },
      ),
    ),
    grants: Type.Optional(Type.Array(GrantEntry, { maxItems: maxGrants, description: 'points by decision' })),
    self_merged: flag('true to count pull requests that their authors merged into repositories of their own'),
    spam_labels: Type.Optional(
      Type.Array(word('a label'), { maxItems: 50, description: 'labels of items that never count' }),
    ),
    threshold: Type.Optional(points('the points from which a person is eligible')),
    ties: Type.Optional(
      Type.Enum(['shared', 'earliest'], { description: 'shared ranks, or the one who got there first' }),
    ),
  },
  { ...closed, description: 'a board' },
);
export const BoardEntry = Type.Object({ board: BoardFields }, closed);

export const BoardsFile = Type.Object(
  {
    version: Type.Optional(
      Type.Unsafe<string>({ type: ['string', 'number'], description: 'the version of the language, 1' }),
    ),
    boards: Type.Array(BoardEntry, { maxItems: maxBoards, description: 'the boards' }),
  },
  { ...closed, title: 'Boards of an account' },
);

/** The keys of a board, of its rules and its grants, each by itself. */
export const BoardParts = Type.Partial(BoardFields);
export const RuleParts = Type.Partial(RuleEntry);
export const GrantParts = Type.Partial(GrantEntry);

export type BoardFields = Static<typeof BoardFields>;
