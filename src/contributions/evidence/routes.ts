import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../accounts/resolve.ts';
import { AccountPath, type RequestContext } from '../../http/pipeline/endpoint.ts';
import { dataTypes, EnvelopeSchema } from '../../http/pipeline/envelope.ts';
import { PageParameters } from '../../http/pipeline/pagination.ts';
import { addEndpoint } from '../../http/pipeline/pipeline.ts';
import { renderDocument } from '../../http/pipeline/response.ts';
import { sendResponse } from '../../http/pipeline/send.ts';
import type { App } from '../../http/server/app.ts';
import { type CounterName, counterNames } from '../../model/counters.ts';
import { itemised } from '../../model/kinds.ts';
import { derivedRules, rules } from '../../model/rules.ts';
import { toListKey } from '../../model/windows/cursors.ts';
import { countedUntil, type Window, WindowParameters } from '../../model/windows/window.ts';
import { findDays } from '../history.ts';
import { findProgress } from '../totals/progress-store.ts';
import { areTotalsWanted } from '../totals/wanted-totals-store.ts';
import { findMissing, loadWindows, ofHost, wholeDays } from '../windows/counted-window.ts';
import { countParts } from '../windows/counted-window-store.ts';
import { type LoadedEvidence, readItemFilter } from './evidence.ts';
import { endOfCounted, type ItemScope } from './items-store.ts';
import { ListParameters, loadList, narrowedBy } from './list.ts';
import { EvidenceItem, evidenceListing, presentEvidence } from './present.ts';

const CounterPath = Type.Object({
  ...AccountPath.properties,
  counter: Type.Enum([...counterNames], { description: 'A counter of endpoint 2.' }),
});

const Query = Type.Object({
  ...PageParameters.properties,
  ...WindowParameters.properties,
  ...ListParameters.properties,
  private: Type.Optional(
    Type.Boolean({ description: 'Include private contributions, where the caller may see them.', default: false }),
  ),
});

type Context = RequestContext<Static<typeof CounterPath>, Static<typeof Query>>;

const Definition = Type.Object(
  {
    id: Type.String({ examples: ['commit.author'] }),
    counter: Type.String({ examples: ['commits'] }),
    description: Type.String(),
    since_version: Type.String({ examples: ['0.1'] }),
  },
  { title: 'Definition' },
);

/** Registers the items behind the counters of endpoint 2, and the rules by which they count. */
export function evidenceRoutes(app: App, services: RouteServices): void {
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/contributions/:counter',
    operationId: 'listCounterEvidence',
    tag: 'Contributions',
    summary: 'The items that a counter counts, newest first',
    description:
      '`meta_data.total` is the counter, `itemised` the number of items on all pages, `remainder` the rest by reason: together they are the counter.',
    readers: 'public',
    params: CounterPath,
    query: Query,
    listing: evidenceListing,
    dataType: 'unknown',
    item: EvidenceItem,
    hasCsv: true,
    load: (context) => load(services, context),
    present: (loaded, context) => presentEvidence(services, loaded, context, context.query.format),
  });
  app.get(
    '/v1/definitions',
    {
      schema: {
        operationId: 'listDefinitions',
        tags: ['Contributions'],
        summary: 'The rules by which contributions count',
        security: [],
        response: { 200: EnvelopeSchema(Definition), 304: Type.Null() },
      },
    },
    async (request, reply) => sendResponse(request, reply, definitions),
  );
}

/** The rules of all numbers, which stay the same while the service runs. */
const definitions = renderDocument(describeRules(), 3600);

function describeRules(): object {
  const data = [...rules, ...derivedRules].map(({ id, counter, means, surprise, since }) => ({
    id,
    counter,
    description: surprise === undefined ? means : `${means} ${surprise}`,
    since_version: since,
  }));
  return { meta_data: { count: data.length, data_type: dataTypes.unknown }, data };
}

type Ends = Pick<Window, 'since' | 'until'>;

function toEnds({ since, until }: ItemScope): Ends {
  return { since, until };
}

/** The number whose items are listed. */
interface ShownNumber {
  /** Returns the number for a window, or for the lifetime; null: not known. */
  of: (ends: Ends) => Promise<number | null>;
  /** The counters that may lack contributions in the window; absent: not known. */
  missing?: readonly CounterName[];
}

/** Reads the number as endpoint 2 shows it. */
async function readNumber(
  services: RouteServices,
  context: Context,
  { window, includesPrivate }: { window: Window | undefined; includesPrivate: boolean },
): Promise<ShownNumber> {
  const { counter } = context.params;
  if (window === undefined) {
    const [newest] = await findDays(services, context, { limit: 1, start: {}, includesPrivate });
    return { of: async () => newest?.counters[counter] ?? 0 };
  }
  const read = (ends: Ends) =>
    loadWindows(services, context, { window: { ...window, ...ends }, limit: 1, withPrivate: includesPrivate });
  const present = await read(window);
  return {
    of: async (ends) => {
      // A cursor keeps the window of the first page, which differs from the present one after midnight.
      const isPresent =
        ends.since?.getTime() === window.since?.getTime() && ends.until?.getTime() === window.until?.getTime();
      const { windows } = isPresent ? present : await read(ends);
      return windows[0]?.counters[counter] ?? null;
    },
    // The items of a number that the host reports may be incomplete, although the number is not.
    ...((present.source === 'collected' || !ofHost.includes(counter)) && { missing: present.missing }),
  };
}

async function load(services: RouteServices, context: Context): Promise<LoadedEvidence> {
  const { connection, now, cursors } = services;
  const { account, provider, isOwner, query, page, params } = context;
  const { counter } = params;
  const includesPrivate = query.private === true && (isOwner || account.publishesPrivate);
  const widen = (exact: Window): Window => (includesPrivate && !isOwner ? wholeDays(exact) : exact);
  const window = context.window && widen(context.window);
  const isOrganization = account.type === 'organization';
  const counters = itemised.filter(({ name }) => name === counter);
  const scope: ItemScope = {
    personId: isOrganization || counter === 'stars' ? null : account.id,
    ownerId: isOrganization || counter === 'stars' ? account.id : null,
    repositoryId: null,
    seesPrivateOf: isOwner && includesPrivate ? account.id : null,
    since: window?.since ?? null,
    until: window?.until ?? null,
    countedUntil: window && countedUntil(window, now()),
    filter: readItemFilter(query, counter),
    starKey: counter === 'stars' ? cursors.orderKey('stars') : undefined,
  };
  const counted = { id: account.id, isOwner: isOrganization, withPrivate: includesPrivate };
  const countIn = async (within: ItemScope): Promise<number> => {
    const [part] = await countParts(connection, counted, { bounds: [within.since, endOfCounted(within)] });
    return part?.[counter] ?? 0;
  };
  const isNumberWanted = query.excluded !== true && scope.filter === undefined;
  const number = isNumberWanted ? await readNumber(services, context, { window, includesPrivate }) : undefined;
  const { period, since, until, time_zone: timeZone } = query;
  const of = [account.id, counter, isOwner, includesPrivate];
  const key = toListKey([...of, narrowedBy(query), period, since, until, timeZone]);
  let shown: number | undefined;
  const wanted = {
    counters: counter === 'contributed_to' ? null : counters,
    scope,
    countsPrivate: includesPrivate,
    count: async (within: ItemScope) => {
      shown = (await number?.of(toEnds(within))) ?? (await countIn(within));
      return { total: shown, countedWithPrivate: includesPrivate ? await countIn(within) : null };
    },
    hostSearch: isOrganization ? undefined : provider.accounts.toSearchUrl?.(account.name, counter),
  };
  const list = { query, window, widen, ofContributors: false, readerId: isOwner ? account.id : null };
  const found = await loadList(services, wanted, list, { ...page, key });
  const terms = { ...counted, ...toEnds(found.scope) };
  const isMore = shown !== undefined && (found.evidence?.total ?? 0) > shown;
  const incomplete =
    (isMore || (await areTotalsWanted(connection, account)) ? [counter] : number?.missing) ??
    (await findMissing(connection, terms, account.type));
  const missing = incomplete.filter((name) => name === counter);
  const collected = { accountId: account.id, repositoryId: null, withPrivate: isOwner && includesPrivate };
  return {
    ...found,
    window: window && { since: found.scope.since, until: found.scope.until, timeZone: window.timeZone },
    asOf: account.fetchedAt ?? now(),
    missing,
    progress: await findProgress(connection, collected, missing, now()),
    includesPrivate,
  };
}
