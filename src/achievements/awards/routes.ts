import { Type } from 'typebox';
import {
  AccountPath,
  type AccountRouteContext,
  type HandlerResult,
  problemResponses,
  type ResolvedAccount,
  respondForAccount,
} from '../../accounts/routes.ts';
import type { App } from '../../http/app.ts';
import { EnvelopeSchema, envelope, formatTimestamp } from '../../http/envelope.ts';
import { FormatParameter, isImageFormat, withImages } from '../../http/images.ts';
import { cutPage, PageParameters, type PageStart, type Place, staleCursor } from '../../http/pagination.ts';
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
const defaultLimit = 30;

/** Registers endpoint 4: the achievements that an account was awarded. */
export function awardRoutes(app: App, context: AccountRouteContext): void {
  app.get(
    '/v1/:provider/entities/:name/achievements',
    {
      schema: {
        summary: 'Achievements that an account was awarded, newest first',
        description:
          "From public repositories; with the account's service token, or where its owner publishes them, from private ones too.",
        params: AccountPath,
        querystring: withImages(Query.properties, context.pictures),
        response: { 200: EnvelopeSchema(AwardItem), ...problemResponses },
      },
      config: { cards: ['achievements'] },
    },
    async (request, reply) => {
      const { limit = defaultLimit, format } = request.query;
      const start = context.cursors.readStart(listing, request.query);
      const picture = isImageFormat(format)
        ? context.pictures.request('achievements', format, request.query)
        : undefined;
      const exchange = { request, reply, dataType: 'achievement', picture } as const;
      return respondForAccount(context, exchange, request.params, (asked) =>
        makePage(context, asked, { limit, start }),
      );
    },
  );
}

async function makePage(
  context: AccountRouteContext,
  { account, provider, isOwner }: ResolvedAccount,
  { limit, start }: { limit: number; start: PageStart },
): Promise<HandlerResult> {
  const includesPrivate = isOwner || account.publishesPrivate;
  const audience = { accountId: account.id, isOwner, includesPrivate };
  const found = await findAwardPage(context.connection, audience, {
    limit: limit + 1,
    after: start.after && placeOf('after', start.after, account.id),
    before: start.before && placeOf('before', start.before, account.id),
  });
  const { page, hasPrevious, hasNext } = cutPage(found, limit, start);
  const cursor = (award: Award | undefined): string | undefined =>
    award && context.cursors.write(listing, [account.id, ...award.place]);
  return {
    envelope: envelope({
      dataType: 'achievement',
      data: page.map((award) => toItem(award, provider)),
      includesPrivate,
      previousCursor: hasPrevious ? cursor(page[0]) : undefined,
      nextCursor: hasNext ? cursor(page.at(-1)) : undefined,
    }),
    shown: {
      repositoriesOfImages: new Map(page.map((award) => [iconUrl(award, provider), award.repositoryId])),
    },
    staleAt: context.resolver.staleAt(account.askedAt ?? context.now()),
    ...(includesPrivate && { audience: 'everybody_for_now' }),
  };
}

function placeOf(parameter: string, [accountId, awardedAtUs, id]: Place, askedId: string): AwardPlace {
  if (accountId !== askedId || typeof awardedAtUs !== 'string' || typeof id !== 'string') throw staleCursor(parameter);
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
  return iconSource === null ? '' : provider.fileUrl(iconSource, icon.replace(/^\.\//, ''));
}
