import { Type } from 'typebox';
import type { RouteServices } from '../../accounts/resolve.ts';
import type { ResolvedAccount } from '../../http/pipeline/endpoint.ts';
import { type PageStart, type Place, staleCursor } from '../../http/pipeline/pagination.ts';
import { type PersonType, personTypes } from '../../model/agents.ts';
import { invalid } from '../../model/errors.ts';
import { type ContributionKind, contributionKinds, namesOfKinds } from '../../model/kinds.ts';
import { nearest } from '../../model/text.ts';
import { fromCursor, toCursor, toListKey } from '../../model/windows/cursors.ts';
import { countedUntil, type Window, WindowParameters, type WindowText } from '../../model/windows/window.ts';
import { type Collected, noSuchRepository } from './collected.ts';
import type { Contributor, Scope } from './contributor.ts';
import {
  type CountedContributions,
  findRepositoryIds,
  findWindowContributors,
  type ListPlace,
  type PeopleFilter,
} from './windowed-list-store.ts';

const maxRepositories = 50;
const maxListLength = 8000;
const kindNames = namesOfKinds(contributionKinds);

/** The parameters that limit what a list of contributors counts, and whom it shows. */
export const WindowedListQuery = Type.Object({
  ...WindowParameters.properties,
  kinds: Type.Optional(
    Type.String({
      maxLength: 100,
      description: `Kinds of contributions to count, with commas between: ${kindNames.join(', ')}. Default: all.`,
      examples: ['commits,reviews'],
    }),
  ),
  type: Type.Optional(
    Type.Enum([...personTypes], {
      description:
        'Lists accounts of this type alone. An `agent` is a program that writes with people; its `type` in responses is `bot`.',
    }),
  ),
});

const namesParameter = (effect: string) =>
  Type.Optional(
    Type.String({
      maxLength: maxListLength,
      description: `${effect}: up to ${maxRepositories} names of repositories of the account, with commas between.`,
      examples: ['hello-world,docs'],
    }),
  );

/** The parameter that limits a list to newcomers. */
export const NewcomersQuery = Type.Object({
  newcomers: Type.Optional(
    Type.Boolean({
      description:
        'True: only people whose first contribution to these repositories is in the window, which needs a beginning.',
      default: false,
    }),
  ),
});

/** The parameters that narrow the repositories of an account. */
export const RepositoriesQuery = Type.Object({
  repository: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Name of one repository to narrow the list to.',
      examples: ['hello-world'],
    }),
  ),
  repositories: namesParameter('Counts these repositories alone'),
  exclude_repositories: namesParameter('Leaves these repositories out'),
});

/** The parameters of a request, as their schemas read them. */
export interface WindowedListTexts extends WindowText {
  kinds?: string | undefined;
  type?: PersonType | undefined;
  repositories?: string | undefined;
  exclude_repositories?: string | undefined;
  newcomers?: boolean | undefined;
}

/** The limits of a list of contributors. */
export interface Limits {
  /** Undefined: lifetime. */
  window: Window | undefined;
  kinds: readonly ContributionKind[];
  type: PersonType | undefined;
  repositories: readonly string[] | undefined;
  excluded: readonly string[];
  /** True: only people whose first contribution is in the window. */
  newcomers: boolean;
  /** The parameters of the window as the request gives them; a cursor belongs to one combination. */
  texts: readonly (string | undefined)[];
}

/**
 * Reads the limits of a list.
 * @returns undefined when the request has none; the stored list of the lifetime is used then.
 * @throws AppError `invalid_input` that names the parameter and the nearest valid value.
 */
export function readLimits(texts: WindowedListTexts, window: Window | undefined): Limits | undefined {
  const { kinds, type, repositories, exclude_repositories: excluded, newcomers = false } = texts;
  if (newcomers && (window?.since ?? null) === null) throw invalid('newcomers needs a window with a beginning.');
  const given = [window, kinds, type, repositories, excluded];
  if (given.every((limit) => limit === undefined)) return undefined;
  return {
    window,
    kinds: readKinds(kinds),
    type,
    ...readRepositories(texts),
    newcomers,
    texts: [texts.since, texts.until, texts.period, texts.time_zone],
  };
}

/**
 * Reads kinds of contributions, by default all.
 * @throws AppError `invalid_input` with the nearest kind.
 */
export function readKinds(text: string | undefined): readonly ContributionKind[] {
  if (text === undefined) return contributionKinds;
  const wanted = split(text);
  const unknown = wanted.find((name) => !kindNames.includes(name));
  if (unknown !== undefined || wanted.length === 0) {
    const meant = unknown === undefined ? undefined : nearest(unknown, kindNames);
    throw invalid(
      `kinds must be one or more of ${kindNames.join(', ')}, with commas between.`,
      meant === undefined ? undefined : { name: 'kinds', meant },
    );
  }
  return contributionKinds.filter((kind) => namesOfKinds([kind]).some((name) => wanted.includes(name)));
}

function readNames(parameter: string, text: string): string[] {
  const wanted = [...new Set(split(text))];
  if (wanted.length > 0 && wanted.length <= maxRepositories) return wanted;
  throw invalid(`${parameter} must be 1 to ${maxRepositories} names of repositories, with commas between.`);
}

function split(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** A page of the contributors within limits. */
interface WindowPage {
  /** One more than the limit of the page when contributors follow. */
  found: Contributor[];
  /** The number of contributors after the page, which an image shows. */
  further: number;
  /**
   * The beginning of all cursors of the list: the window, so that the pages of `last-7d` fit together past midnight.
   */
  listKey: Place;
  window: Pick<Window, 'since' | 'until' | 'timeZone'> | undefined;
}

/**
 * Finds a page of the contributors within limits. Requests for the same page share one computation.
 * @throws AppError `not_found` for a repository that the caller may not see; `invalid_input` for a cursor of another
 *   list.
 */
export async function loadWithinLimits(
  { connection, computations, now }: Pick<RouteServices, 'connection' | 'computations' | 'now'>,
  { account, isOwner }: Pick<ResolvedAccount, 'account' | 'isOwner'>,
  { scope }: Pick<Collected, 'scope'>,
  limits: Limits,
  page: { limit: number; start: PageStart; withBots: boolean },
): Promise<WindowPage> {
  const { limit, start, withBots } = page;
  const { only, except } = await findScope(connection, scope, limits, isOwner);
  const filter = toListKey([scope, limits.kinds, limits.type, only, except, withBots, limits.newcomers, limits.texts]);
  const { since, until, place } = readCursor(start, filter, limits.window);
  const { newcomers } = limits;
  const counted: CountedContributions = {
    scope,
    since,
    until: limits.window === undefined ? null : countedUntil({ ...limits.window, since, until }, now()),
    kinds: limits.kinds,
    only,
    except,
    newcomers,
  };
  const type = limits.type ?? (withBots ? undefined : 'people');
  const people: PeopleFilter = { type, viewerId: isOwner ? account.id : null };
  const wanted = {
    limit: limit + 1,
    after: start.after === undefined ? undefined : place,
    before: start.before === undefined ? undefined : place,
  };
  const listKey = [filter, toCursor(since), toCursor(until)];
  const key = `contributors ${JSON.stringify([listKey, wanted, people])}`;
  const { contributors, remaining } = await computations.share(account.id, key, () =>
    findWindowContributors(connection, counted, people, wanted),
  );
  const { window } = limits;
  return {
    found: contributors,
    further: Math.max(0, remaining - limit),
    listKey,
    window: window && { since, until, timeZone: window.timeZone },
  };
}

/**
 * Finds the ids of the repositories to which a request narrows those of an account.
 * @returns undefined when the request does not narrow them.
 * @throws AppError `invalid_input` for too many names; `not_found` for a repository that the caller may not see.
 */
export async function findNarrowed(
  connection: RouteServices['connection'],
  scope: Scope,
  { repositories, exclude_repositories: excluded }: Pick<WindowedListTexts, 'repositories' | 'exclude_repositories'>,
  isOwner: boolean,
): Promise<{ only: string[] | null; except: string[] } | undefined> {
  if (repositories === undefined && excluded === undefined) return undefined;
  return findScope(connection, scope, readRepositories({ repositories, exclude_repositories: excluded }), isOwner);
}

type NamedRepositories = Pick<Limits, 'repositories' | 'excluded'>;

function readRepositories({
  repositories,
  exclude_repositories: excluded,
}: Pick<WindowedListTexts, 'repositories' | 'exclude_repositories'>): NamedRepositories {
  return {
    repositories: repositories === undefined ? undefined : readNames('repositories', repositories),
    excluded: excluded === undefined ? [] : readNames('exclude_repositories', excluded),
  };
}

async function findScope(
  connection: RouteServices['connection'],
  { accountId, includesPrivate }: Scope,
  { repositories, excluded }: NamedRepositories,
  isOwner: boolean,
): Promise<{ only: string[] | null; except: string[] }> {
  const wanted = [...(repositories ?? []), ...excluded];
  const ids = await findRepositoryIds(connection, accountId, wanted, { withPrivate: includesPrivate });
  const findId = (name: string): string => {
    const id = ids.get(name.toLowerCase());
    if (id === undefined) throw noSuchRepository(isOwner);
    return id;
  };
  return { only: repositories?.map(findId) ?? null, except: excluded.map(findId) };
}

function readCursor(
  start: PageStart,
  filter: string,
  window: Window | undefined,
): { since: Date | null; until: Date | null; place?: ListPlace } {
  const cursor = start.after ?? start.before;
  if (cursor === undefined) return { since: window?.since ?? null, until: window?.until ?? null };
  const [ofFilter, since, until, contributions, name, id] = cursor;
  const isOfList =
    ofFilter === filter &&
    since !== undefined &&
    until !== undefined &&
    typeof contributions === 'number' &&
    typeof name === 'string' &&
    typeof id === 'string';
  if (!isOfList) throw staleCursor(start.after === undefined ? 'before' : 'after');
  return { since: fromCursor(since), until: fromCursor(until), place: { contributions, name, id } };
}
