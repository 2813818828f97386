import { type Static, Type } from 'typebox';
import { personTypes } from '../../accounts/agents.ts';
import type { RouteServices } from '../../accounts/resolve.ts';
import type { Connection } from '../../database/connection.ts';
import { toCsv } from '../../http/csv.ts';
import type { HandlerResult, ResolvedAccount } from '../../http/endpoint.ts';
import {
  type Evidence,
  envelope,
  formatTimestamp,
  type RemainderReason,
  TimestampSchema,
} from '../../http/envelope.ts';
import {
  cutPage,
  neighbourCursors,
  type Page,
  type PageStart,
  type Place,
  staleCursor,
} from '../../http/pagination.ts';
import type { Repositories } from '../../providers/provider.ts';
import { fromCursor, toCursor } from '../../windows/cursors.ts';
import type { Window } from '../../windows/window.ts';
import { coAuthored, ruleOf, rules, type StoredCounter } from '../kinds.ts';
import { type ExcludedItem, exclusionReasons, findExcluded } from './excluded-store.ts';
import type { ItemFilter } from './filter-store.ts';
import {
  countContributedRepositories,
  countErased,
  countItems,
  findContributedRepositories,
  findItems,
  type Item,
  type ItemPlace,
  type ItemScope,
} from './store.ts';

/** An item behind a number. */
export const EvidenceItem = Type.Object(
  {
    kind: Type.String({ examples: ['pull_request'] }),
    repository: Type.String({ description: 'Owner and name.', examples: ['octocat/hello-world'] }),
    number: Type.Union([Type.Null(), Type.Integer()], {
      description: 'Of an issue, pull request or discussion, where it is known.',
    }),
    oid: Type.Union([Type.Null(), Type.String()], { description: 'Of a commit.' }),
    title: Type.String({ description: 'Empty where it is not known.', examples: ['Fix the parser'] }),
    url: Type.String({ format: 'uri', description: 'Page of the item at the host, or of its repository.' }),
    occurred_dttm: TimestampSchema('When it counted; of a star the day.'),
    rule: Type.String({ description: 'Id of the rule in `/v1/definitions`.', examples: [rules[0]?.id ?? ''] }),
    assisted: Type.Union([Type.Null(), Type.Boolean()], {
      description:
        'True: the message of the commit names a program that helped to write it. Null: not known, or no commit.',
    }),
    reason: Type.Optional(
      Type.Enum([...exclusionReasons], { description: 'With `excluded=true`: why the item does not count.' }),
    ),
  },
  { title: 'EvidenceItem' },
);

export const EvidenceFormat = Type.Optional(
  Type.Enum(['json', 'csv'], { description: '`csv` returns the same page as CSV.', default: 'json' }),
);

export const ExcludedParameter = Type.Optional(
  Type.Boolean({ description: 'Lists data that was seen and does not count, with the reason.', default: false }),
);

/** The parameters that narrow the items, and with them the number. */
export const ItemFilterParameters = Type.Object({
  type: Type.Optional(
    Type.Enum([...personTypes], {
      description:
        'Lists what accounts of this type did alone; of commits, their authors. An `agent` is a program that writes with people.',
    }),
  ),
  assisted: Type.Optional(
    Type.Boolean({ description: '`true`: commits that a program helped to write. `false`: everything else.' }),
  ),
});

/** Returns the filter that parameters give; undefined without any. */
export function readItemFilter({ type, assisted }: Static<typeof ItemFilterParameters>): ItemFilter | undefined {
  return type === undefined && assisted === undefined ? undefined : { type, isAssisted: assisted };
}

/** The number whose items are wanted. */
export interface ItemsWanted {
  /** The counters whose items it counts; null: repositories with a contribution (`contributed_to`). */
  counters: readonly StoredCounter[] | null;
  scope: ItemScope;
  /** True: all private data counts, visible or not. */
  countsPrivate: boolean;
  /** The number without a filter, and how much of it is private data that is counted and not visible. */
  count: (scope: ItemScope) => Promise<{ total: number; countedWithPrivate: number | null }>;
  hostSearch?: string | undefined;
}

/** A page of the items behind a number. */
export interface LoadedEvidence extends Page<Item | ExcludedItem> {
  /** Undefined: the items are those that do not count. */
  evidence: Evidence | undefined;
  listKey: Place;
  window: Pick<Window, 'since' | 'until' | 'timeZone'> | undefined;
  asOf: Date;
  missing: readonly string[];
  includesPrivate: boolean;
}

/**
 * Finds a page of the items behind a number. Items and remainder always add up to the number.
 * @param key everything that the list depends on, to which cursors are bound.
 * @throws AppError `invalid_input` for a cursor of another list.
 */
export async function loadItems(
  { connection }: Pick<RouteServices, 'connection'>,
  wanted: ItemsWanted,
  { key, limit, start }: { key: string; limit: number; start: PageStart },
): Promise<Page<Item> & Pick<LoadedEvidence, 'evidence' | 'listKey'> & { scope: ItemScope }> {
  const { since, until, place } = readCursor(start, key, wanted.scope);
  const scope = { ...wanted.scope, since, until };
  const page = {
    limit: limit + 1,
    after: start.after === undefined ? undefined : place,
    before: start.before === undefined ? undefined : place,
  };
  const { counters, countsPrivate } = wanted;
  const items =
    counters === null
      ? await findContributedRepositories(connection, scope, page)
      : await findItems(connection, scope, counters, page);
  const { itemised, erased } = await countCollected(connection, scope, counters);
  const { total, countedWithPrivate } =
    scope.filter === undefined
      ? await wanted.count(scope)
      : await countFiltered(connection, { ...scope, countsPrivate }, counters);
  const hidden = countedWithPrivate === null ? 0 : Math.max(0, countedWithPrivate - itemised - erased);
  const parts: [RemainderReason, number][] = [
    ['host-total', total - itemised - erased - hidden],
    ['private', hidden],
    ['erased-account', erased],
  ];
  return {
    ...cutPage(items, limit, start),
    scope,
    listKey: [key, toCursor(since), toCursor(until)],
    evidence: {
      total,
      itemised,
      remainder: Object.fromEntries(parts.filter(([, count]) => count !== 0)),
      hostSearch: scope.filter === undefined ? wanted.hostSearch : undefined,
    },
  };
}

/** Counts the collected items of a scope, and those of erased persons, which count and are not listed. */
async function countCollected(
  connection: Connection,
  scope: ItemScope,
  counters: ItemsWanted['counters'],
): Promise<{ itemised: number; erased: number }> {
  if (counters === null) return { itemised: await countContributedRepositories(connection, scope), erased: 0 };
  let erased = 0;
  for (const counter of counters) erased += await countErased(connection, scope, counter);
  return { itemised: await countItems(connection, scope, counters), erased };
}

/** Counts what a filter keeps: hosts have no such numbers, so all of it is collected. */
async function countFiltered(
  connection: Connection,
  scope: ItemScope,
  counters: ItemsWanted['counters'],
): Promise<{ total: number; countedWithPrivate: number }> {
  const { itemised, erased } = await countCollected(connection, scope, counters);
  return { total: itemised + erased, countedWithPrivate: itemised + erased };
}

function readCursor(
  start: PageStart,
  key: string,
  scope: ItemScope,
): { since: Date | null; until: Date | null; place?: ItemPlace } {
  const cursor = start.after ?? start.before;
  if (cursor === undefined) return scope;
  const [ofKey, since, until, at, kind, repositoryId, id] = cursor;
  const isOfList = ofKey === key && since !== undefined && until !== undefined && typeof at === 'number';
  if (!isOfList || typeof kind !== 'string' || typeof repositoryId !== 'string' || typeof id !== 'string') {
    throw staleCursor(start.after === undefined ? 'before' : 'after');
  }
  return { since: fromCursor(since), until: fromCursor(until), place: { at, kind, repositoryId, id } };
}

/** Finds a page of data that was seen and does not count. */
export async function loadExcluded(
  { connection }: Pick<RouteServices, 'connection'>,
  { counters, scope: wanted, ofContributors }: Pick<ItemsWanted, 'counters' | 'scope'> & { ofContributors: boolean },
  { key, limit, start }: { key: string; limit: number; start: PageStart },
): Promise<Pick<LoadedEvidence, 'evidence' | 'listKey'> & Page<ExcludedItem> & { scope: ItemScope }> {
  const { since, until, place } = readCursor(start, key, wanted);
  const scope = { ...wanted, since, until };
  const page = {
    limit: limit + 1,
    after: start.after === undefined ? undefined : place,
    before: start.before === undefined ? undefined : place,
  };
  const items = await findExcluded(connection, { ...scope, ofContributors }, counters ?? [], page);
  return {
    ...cutPage(items, limit, start),
    scope,
    listKey: [key, toCursor(since), toCursor(until)],
    evidence: undefined,
  };
}

const listing = 'evidence';
export const evidenceListing = { name: listing, defaultLimit: 30 };

/** Returns a page of evidence as JSON, or as CSV. */
export function presentEvidence(
  { cursors, resolver }: Pick<RouteServices, 'cursors' | 'resolver'>,
  loaded: LoadedEvidence,
  { provider, isOwner }: Pick<ResolvedAccount, 'provider' | 'isOwner'>,
  format: 'json' | 'csv' | undefined,
): HandlerResult {
  const { page, evidence, listKey, window, asOf, missing, includesPrivate } = loaded;
  const data = page.map((item) => toItem(item, provider.repositories));
  return {
    envelope: envelope({
      dataType: 'unknown',
      data,
      provenance: {
        asOf,
        missing,
        includesPrivate,
        ...(window && { window }),
        source: 'collected',
        ...(evidence && { evidence }),
      },
      ...neighbourCursors(loaded, ({ at, kind, repositoryId, id }) =>
        cursors.write(listing, [...listKey, at, kind, repositoryId, id]),
      ),
    }),
    staleAt: resolver.staleAt(asOf),
    ...(format === 'csv' && { csv: toCsv(columns, data) }),
    // The items are also in repositories of other accounts, of which this response does not know when they change.
    isCacheable: false,
    ...((includesPrivate || isOwner) && { isWithdrawable: true }),
  };
}

const columns = Object.keys(EvidenceItem.properties);
const pages = {
  issue: 'issue',
  pull_request: 'pull_request',
  review: 'pull_request',
  discussion: 'discussion',
} as const;

function toItem(
  item: Item | ExcludedItem,
  repositories: Pick<Repositories, 'pageOf'>,
): Record<string, string | number | boolean | null> {
  const { kind, owner, repository, number, oid, title, at, isAssisted } = item;
  const page = Object.entries(pages).find(([one]) => one === kind)?.[1];
  const address =
    oid !== null
      ? ({ kind: 'commit', oid } as const)
      : page !== undefined && number !== null
        ? { kind: page, number }
        : undefined;
  return {
    kind,
    repository: `${owner}/${repository}`,
    number,
    oid,
    title,
    url: repositories.pageOf(owner, repository, address),
    occurred_dttm: formatTimestamp(new Date(Math.floor(at / 1000))),
    assisted: isAssisted,
    ...('reason' in item && { reason: item.reason }),
    rule: item.isCoAuthored ? coAuthored : ruleOf(item.counter),
  };
}
