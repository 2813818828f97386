import { type Static, Type } from 'typebox';
import type { RouteServices } from '../../accounts/resolve.ts';
import type { App } from '../../http/app.ts';
import { AccountPath, type HandlerResult, type RequestContext } from '../../http/endpoint.ts';
import { envelope, formatTimestamp } from '../../http/envelope.ts';
import { FormatParameter } from '../../http/images.ts';
import {
  cutPage,
  neighbourCursors,
  type Page,
  PageParameters,
  type Place,
  staleCursor,
} from '../../http/pagination.ts';
import { addEndpoint } from '../../http/pipeline.ts';
import type { Provider } from '../../providers/provider.ts';
import { type Award, type AwardPlace, findAwardPage } from './page-store.ts';

const AwardItem = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Of the award.' }),
  repository_name: Type.String({ description: 'Empty where it is private and not yours to know.' }),
  name: Type.String(),
  icon_url: Type.String({ description: 'Empty where the achievement has none.' }),
  description: Type.String(),
  awarded_dttm: Type.String({ format: 'date-time', description: 'When it was earned.' }),
});

const Query = Type.Object({
  ...PageParameters.properties,
  format: FormatParameter,
  raw: Type.Optional(Type.Boolean({ description: 'Draw the icons alone.' })),
});

const listing = 'achievements';

/** Registers endpoint 4: the achievements that an account was awarded. */
export function awardRoutes(app: App, services: RouteServices): void {
  addEndpoint(app, services, {
    path: '/v1/:provider/entities/:name/achievements',
    summary: 'Achievements that an account was awarded, newest first',
    description:
      "From public repositories; with the account's service token, or where its owner publishes them, from private ones too.",
    readers: 'public',
    params: AccountPath,
    query: Query,
    listing: { name: listing, defaultLimit: 30 },
    dataType: 'achievement',
    item: AwardItem,
    cards: ['achievements'],
    load: (context) => load(services, context),
    present: (awards, context) => present(services, awards, context),
  });
}

type Context = RequestContext<unknown, Static<typeof Query>>;

interface Awards extends Page<Award> {
  includesPrivate: boolean;
}

async function load(
  { connection }: RouteServices,
  { account, isOwner, page: { limit, start } }: Context,
): Promise<Awards> {
  const includesPrivate = isOwner || account.publishesPrivate;
  const audience = { accountId: account.id, isOwner, includesPrivate };
  const found = await findAwardPage(connection, audience, {
    limit: limit + 1,
    after: start.after && placeOf('after', start.after, account.id),
    before: start.before && placeOf('before', start.before, account.id),
  });
  return { ...cutPage(found, limit, start), includesPrivate };
}

function present(
  { cursors, resolver, now }: RouteServices,
  awards: Awards,
  { account, provider }: Context,
): HandlerResult {
  const { page, includesPrivate } = awards;
  return {
    envelope: envelope({
      dataType: 'achievement',
      data: page.map((award) => toItem(award, provider)),
      includesPrivate,
      ...neighbourCursors(awards, ({ place }) => cursors.write(listing, [account.id, ...place])),
    }),
    staleAt: resolver.staleAt(account.fetchedAt ?? now()),
    cardInput: {
      repositoriesOfImages: new Map(page.map((award) => [iconUrl(award, provider), award.repositoryId])),
    },
    ...(includesPrivate && { isWithdrawable: true }),
  };
}

function placeOf(parameter: string, [accountId, awardedAtUs, id]: Place, ownerId: string): AwardPlace {
  if (accountId !== ownerId || typeof awardedAtUs !== 'string' || typeof id !== 'string') throw staleCursor(parameter);
  return [awardedAtUs, id];
}

function toItem(award: Award, provider: Provider): object {
  const { id, repositoryName, name, description, awardedAt } = award;
  return {
    id,
    repository_name: repositoryName,
    name,
    icon_url: iconUrl(award, provider),
    description,
    awarded_dttm: formatTimestamp(awardedAt),
  };
}

/** Returns the URL of an achievement's icon; empty where there is none, or where the reader may not see it. */
export function iconUrl({ icon, iconSource }: Award, provider: Provider): string {
  if (icon === '' || /^https?:/i.test(icon)) return icon;
  return (iconSource && provider.files?.urlOf(iconSource, icon.replace(/^\.\//, ''))) ?? '';
}
