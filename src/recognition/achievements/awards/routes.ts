import { LRUCache } from 'lru-cache';
import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../../accounts/resolve.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import type { Provider } from '../../../hosts/interface/provider.ts';
import { AccountPath, type HandlerResult, type RequestContext } from '../../../http/pipeline/endpoint.ts';
import { envelope, formatTimestamp, TimestampSchema, UuidSchema } from '../../../http/pipeline/envelope.ts';
import { type CardImage, FormatParameter, type ImageFormat, type Parameters } from '../../../http/pipeline/images.ts';
import {
  cutPage,
  itemsToRead,
  neighbourCursors,
  type Page,
  PageParameters,
  type Place,
  staleCursor,
} from '../../../http/pipeline/pagination.ts';
import { addEndpoint } from '../../../http/pipeline/pipeline.ts';
import type { App } from '../../../http/server/app.ts';
import { AppError } from '../../../model/errors.ts';
import { awaitAccess } from './access-store.ts';
import { countHolders } from './holders-store.ts';
import { type AwardServices, nextRoutes } from './next-routes.ts';
import { findNext, type NextAchievement } from './next-store.ts';
import { type Audience, type Award, type AwardPlace, audienceFor, findAward, findAwardPage } from './page-store.ts';

/** The greatest number of holders that is counted: one more than the greatest that cards show. */
const maxHolders = 101;
/** The time for which a number is shown as it was counted, in ms. */
const keptForMs = 60_000;
const maxKept = 10_000;

/**
 * Counts the accounts that hold an achievement and that everyone may see: cards and pages show how rare it is. A count
 * reads each holder, and the cards and pages of all holders show the same one, so each process keeps it for a minute.
 */
export class HolderCounts {
  readonly #connection: Connection;
  readonly #kept: LRUCache<string, number>;

  constructor(connection: Connection, now: () => Date) {
    this.#connection = connection;
    const perf = { now: () => now().getTime() };
    this.#kept = new LRUCache({ max: maxKept, ttl: keptForMs, ttlResolution: 0, perf });
  }

  /** Returns the numbers of holders by the ids of achievements; 101 stands for all greater numbers. */
  async find(ids: readonly string[]): Promise<Map<string, number>> {
    const found = new Map<string, number>();
    const missing: string[] = [];
    for (const id of new Set(ids)) {
      const kept = this.#kept.get(id);
      if (kept === undefined) missing.push(id);
      else found.set(id, kept);
    }
    if (missing.length === 0) return found;
    for (const { id, holders } of await countHolders(this.#connection, { ids: missing, upTo: maxHolders })) {
      this.#kept.set(id, holders);
      found.set(id, holders);
    }
    return found;
  }
}

const AwardItem = Type.Object(
  {
    id: UuidSchema('Of the award.'),
    repository_name: Type.String({
      description: 'Empty where it is private and not yours to know.',
      examples: ['hello-world'],
    }),
    name: Type.String({ examples: ['First pull request'] }),
    icon_url: Type.String({
      description: 'Empty where the achievement has none.',
      examples: ['https://raw.githubusercontent.com/octocat/hello-world/main/icons/first.svg'],
    }),
    description: Type.String({ examples: ['Merged a first pull request.'] }),
    awarded_dttm: TimestampSchema('When it was earned.'),
    imported: Type.Optional(Type.Literal(true, { description: 'Present where another service awarded it.' })),
  },
  { title: 'Award' },
);

const Query = Type.Object({
  ...PageParameters.properties,
  format: FormatParameter,
  raw: Type.Optional(Type.Boolean({ description: 'Draw the icons alone.', default: false })),
});

const { format, raw } = Query.properties;

/** The path parameter of one award. */
export const AwardPath = Type.Object({
  award_id: Type.String({
    pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
    maxLength: 36,
    description: 'Id of an award.',
    examples: ['0198c0de-7b1e-7cc3-9d5a-3f2b1c0a9e8d'],
  }),
});

const listing = 'achievements';

/** Registers endpoint 4, the achievements that an account was awarded, and each of these awards by itself. */
export function awardRoutes(app: App, without: AwardServices): void {
  const services = { ...without, holderCounts: new HolderCounts(without.connection, without.now) };
  nextRoutes(app, services);
  const shared = { readers: 'public', dataType: 'achievement', item: AwardItem, cards: ['achievements'] } as const;
  addEndpoint(app, services, {
    ...shared,
    path: '/v1/:provider/entities/:name/achievements',
    operationId: 'listAwards',
    tag: 'Achievements',
    summary: 'Achievements that an account was awarded, newest first',
    description:
      "From public repositories; with the account's service token, or where its owner publishes them, also from private ones that " +
      'it owns, or that the code host has shown to it in the last 24 hours.',
    params: AccountPath,
    query: Query,
    listing: { name: listing, defaultLimit: 30 },
    load: (context) => loadPage(services, context),
    present: (awards, context) => present(services, awards, context),
  });
  addEndpoint(app, services, {
    ...shared,
    path: '/v1/:provider/entities/:name/achievements/:award_id',
    operationId: 'getAward',
    tag: 'Achievements',
    summary: 'One award of an account; with raw=true its icon alone',
    params: Type.Object({ ...AccountPath.properties, ...AwardPath.properties }),
    query: Type.Object({ format, raw }),
    load: async (context) => {
      const audience = await loadAudience(services, context);
      const award = await findAward(services.connection, audience, context.params.award_id);
      if (award === undefined) throw noSuchAward();
      const holders = await findHolders(services, [award], context);
      return { ...cutPage([award], 1, {}), includesPrivate: audience.includesPrivate, holders };
    },
    present: (awards, context) => present(services, awards, context),
  });
}

/** Returns the error for an award that does not exist, or that the reader may not see. */
export function noSuchAward(): AppError {
  return new AppError('not_found', 'There is no such award of this account.');
}

type Context = RequestContext<unknown, unknown>;

interface Awards extends Page<Award> {
  includesPrivate: boolean;
  /** The number of people who hold each achievement, 0 for those of private repositories; undefined where none is shown. */
  holders?: readonly number[] | undefined;
  /** The achievement that comes next, for cards. */
  next?: NextAchievement | undefined;
}

interface Services extends AwardServices {
  holderCounts: HolderCounts;
}

async function findHolders(
  { holderCounts }: Services,
  awards: readonly Award[],
  { image, cardInput }: Context,
): Promise<number[] | undefined> {
  if (image === undefined && cardInput?.includes('holders') !== true) return undefined;
  const ids = awards.filter(({ isPrivate }) => !isPrivate).map(({ achievementId }) => achievementId);
  const counts = await holderCounts.find(ids);
  return awards.map(({ achievementId }) => counts.get(achievementId) ?? 0);
}

async function loadPage(services: Services, context: Context): Promise<Awards> {
  const { connection, achievementFiles } = services;
  const { account, page } = context;
  const { limit, start } = page;
  const audience = await loadAudience(services, context);
  const isFirst = start.after === undefined && start.before === undefined;
  const [found, next] = await Promise.all([
    findAwardPage(connection, audience, {
      limit: itemsToRead(page),
      after: start.after && readPlace('after', start.after, account.id),
      before: start.before && readPlace('before', start.before, account.id),
    }),
    context.image === undefined || account.type !== 'user' || !isFirst
      ? undefined
      : findNext(connection, account.id, achievementFiles),
  ]);
  const awards = cutPage(found, limit, start);
  const holders = await findHolders(services, awards.page, context);
  return { ...awards, includesPrivate: audience.includesPrivate, holders, next };
}

async function loadAudience(services: Services, { account, isOwner, deadline, requester }: Context): Promise<Audience> {
  const audience = audienceFor(account, { isOwner, now: services.now() });
  if (audience.includesPrivate) await awaitAccess(services, account, { deadline, requester });
  return audience;
}

function present(
  { cursors, resolver, now }: RouteServices,
  awards: Awards,
  { account, provider, image }: Context,
): HandlerResult {
  const { page, includesPrivate, holders, next } = awards;
  const items = page.map((award) => toItem(award, provider));
  const nextIcon = next && iconUrl(next, provider);
  return {
    envelope: envelope({
      dataType: 'achievement',
      data: items,
      includesPrivate,
      ...neighbourCursors(awards, ({ place }) => cursors.write(listing, [account.id, ...place])),
    }),
    staleAt: resolver.staleAt(account.fetchedAt ?? now()),
    cardInput: {
      ...(image !== undefined && {
        repositoriesOfImages: new Map([
          ...page.map(({ repositoryId }, index) => [items[index]?.icon_url ?? '', repositoryId] as const),
          ...(next === undefined ? [] : [[nextIcon ?? '', next.repositoryId] as const]),
        ]),
      }),
      ...(holders !== undefined && { holders }),
      ...(next !== undefined && {
        next: { name: next.name, icon_url: nextIcon ?? '', present: next.present, wanted: next.wanted },
      }),
    },
    ...(includesPrivate && { isWithdrawable: true }),
  };
}

function readPlace(parameter: string, [accountId, awardedAtUs, id]: Place, ownerId: string): AwardPlace {
  if (accountId !== ownerId || typeof awardedAtUs !== 'string' || typeof id !== 'string') throw staleCursor(parameter);
  return [awardedAtUs, id];
}

function toItem(award: Award, provider: Provider): Static<typeof AwardItem> {
  const { id, repositoryName, name, description, awardedAt, isImported } = award;
  return {
    id,
    repository_name: repositoryName,
    name,
    icon_url: iconUrl(award, provider),
    description,
    awarded_dttm: formatTimestamp(awardedAt),
    ...(isImported && { imported: true }),
  };
}

/** Draws the card of one award. */
export function drawAward(
  { images, lookUpBudgetMs, now }: RouteServices,
  { award, provider }: { award: Award; provider: Provider },
  { format: imageFormat, query }: { format: ImageFormat; query: Parameters },
): Promise<CardImage> {
  const input = {
    envelope: envelope({ dataType: 'achievement', data: [toItem(award, provider)] }),
    repositoriesOfImages: new Map([[iconUrl(award, provider), award.repositoryId]]),
  };
  const deadline = new Date(now().getTime() + lookUpBudgetMs);
  return images.draw(images.request('achievements', imageFormat, query), input, deadline);
}

/** Returns the URL of an achievement's icon; empty where there is none, or where the reader may not see it. */
export function iconUrl({ icon, iconSource }: Pick<Award, 'icon' | 'iconSource'>, provider: Provider): string {
  if (icon === '' || /^https?:/i.test(icon)) return icon;
  return (iconSource && provider.files?.toUrl(iconSource, icon.replace(/^\.\//, ''))) ?? '';
}
