import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Connection } from '../database/connection.ts';
import { AppError } from '../errors.ts';
import type { App } from '../http/app.ts';
import type { Caller } from '../http/caller.ts';
import { type dataTypes, type Envelope, EnvelopeSchema, envelope } from '../http/envelope.ts';
import type { CardImages, CardInput, ImageRequest } from '../http/images.ts';
import { type Cursors, PageParameters } from '../http/pagination.ts';
import { ProblemSchema } from '../http/problem.ts';
import {
  holdsCredential,
  pageLinks,
  sendPending,
  sendPendingImage,
  sendRedirect,
  sendResponse,
} from '../http/replies.ts';
import { type Audience, compressResponse, type RenderedResponse, renderResponse } from '../http/response.ts';
import { cacheKey, type ResponseCache } from '../http/response-cache.ts';
import type { Provider } from '../providers/provider.ts';
import { nameKey } from './account.ts';
import { Entity, toEntity } from './entity.ts';
import { refreshJob } from './jobs.ts';
import type { Resolver } from './resolve.ts';
import { type Account, findById, findByName, isShown } from './store.ts';

/** The services that every route about an account uses. */
export interface AccountRouteContext {
  connection: Connection;
  providers: ReadonlyMap<string, Provider>;
  resolver: Resolver;
  cache: ResponseCache;
  /** Returns whether changes reach the cache; while they do not, no response comes from it. */
  isCacheLive: () => boolean;
  cursors: Cursors;
  now: () => Date;
  /** The time that a caller waits for data that is not stored. */
  lookUpBudgetMs: number;
  pictures: CardImages;
  /** Returns the public base URL of this service, without a trailing slash. */
  publicUrl: () => string;
}

export const AccountPath = Type.Object({
  provider: Type.String({ maxLength: 100, description: 'Identifier of the code host, e.g. `github`.' }),
  name: Type.String({
    maxLength: 255,
    description:
      'Account name on the provider; the letter case does not matter. Of a group below another at GitLab `group%2Fsub`.',
  }),
});

/** The resolved account of a request. */
export interface ResolvedAccount {
  account: Account;
  provider: Provider;
  /** The time until which the caller waits. */
  deadline: Date;
  /** True when the caller has proved to own the account. */
  isOwner: boolean;
}

/** The result of a handler: a response, a redirect, or undefined while nothing at all is known yet. */
export type HandlerResult = HandlerResponse | Moved | undefined;

/** A redirect: the requested repository has another name now. */
export interface Moved {
  /** The present name of the repository. */
  repository: string;
}

interface HandlerResponse {
  envelope: Envelope;
  staleAt: Date;
  /** Set when the data is public only as long as the owner wants it so. */
  audience?: 'everybody_for_now';
  /** Further data that only cards show. */
  shown?: Omit<CardInput, 'answer'>;
  /** False when the response depends on more than this account's own data, so that it cannot be cached. */
  isKept?: boolean;
}

/** A request about an account, its reply, and the type of the items in the response. */
export interface Exchange {
  request: FastifyRequest;
  reply: FastifyReply;
  dataType: keyof typeof dataTypes;
  /** The card to draw; undefined for a response in JSON. */
  picture?: ImageRequest | undefined;
}

/** The part of the time for a response that is reserved for drawing: at most this time, and at most this share. */
const maxDrawingMs = 600;
const maxDrawingShare = 0.25;

/** Handles a request about an account, from the lookup of its name to the bytes of the response. */
export async function respondForAccount(
  context: AccountRouteContext,
  exchange: Exchange,
  asked: { provider: string; name: string },
  make: (found: ResolvedAccount) => Promise<HandlerResult>,
): Promise<FastifyReply> {
  const { request, reply } = exchange;
  const provider = providerOf(context, asked.provider);
  if (!provider.isPossibleName(asked.name)) throw noSuchAccount();
  const begun = context.cache.begin();
  const deadline = deadlineOf(context, exchange);
  const resolution = await context.resolver.resolve(asked, deadline);
  if (resolution.state === 'absent') throw noSuchAccount();
  if (resolution.state === 'pending') return sendNotYet(context, exchange);
  const { account } = resolution;
  const isOwner = request.caller?.accountId === account.id;
  if (!isShown(account) && !isOwner) throw noSuchAccount();
  if (resolution.state === 'renamed') return sendRedirect(request, reply, { account: account.name });
  const kept = keptPicture(context, exchange, account);
  if (kept !== undefined) return sendResponse(request, reply, kept);
  const made = await make({ account, provider, deadline, isOwner });
  return sendMade(context, exchange, { account, made, begun, deadline });
}

/** Handles an owner's request about their own account; other callers cannot find out whether the account exists. */
export async function respondForOwner(
  context: AccountRouteContext,
  exchange: Exchange,
  asked: { provider: string; name: string },
  make: (found: ResolvedAccount) => Promise<HandlerResult>,
): Promise<FastifyReply> {
  const begun = context.cache.begin();
  const owned = await requireOwner(context, exchange, asked);
  if (owned === 'redirected') return exchange.reply;
  const { account, provider } = owned;
  if (!account.pinned && context.resolver.isStale(account.askedAt)) {
    context.resolver.askInBackground(refreshJob(account.id));
  }
  const deadline = deadlineOf(context, exchange);
  const made = await make({ account, provider, deadline, isOwner: true });
  return sendMade(context, exchange, { account, made, begun, deadline });
}

/**
 * Requires a service token of the account, and redirects from a former name of the account to its present one.
 * @param needs `manage` when the request changes anything.
 * @throws AppError `unauthenticated` without a token, `forbidden` with one for another account, or too small a scope.
 */
export async function requireOwner(
  context: Pick<AccountRouteContext, 'connection' | 'providers'>,
  { request, reply }: Pick<Exchange, 'request' | 'reply'>,
  asked: { provider: string; name: string },
  needs: 'read' | 'manage' = 'read',
): Promise<{ account: Account; provider: Provider; caller: Caller } | 'redirected'> {
  const { caller } = request;
  if (caller === null) {
    throw new AppError('unauthenticated', 'This address needs a service token of the account: Authorization: Bearer.');
  }
  const provider = providerOf(context, asked.provider);
  const account = await findById(context.connection, caller.accountId);
  const isTheirs = account?.provider === asked.provider && provider.isPossibleName(asked.name);
  if (!isTheirs) throw notTheirs();
  if (needs === 'manage' && !caller.mayManage) {
    throw new AppError('forbidden', 'This token may only read: its scope lacks "manage".');
  }
  if (nameKey(account.name) === nameKey(asked.name)) return { account, provider, caller };
  const holder = await findByName(context.connection, asked.provider, asked.name);
  if (holder?.state !== 'renamed' || holder.account.id !== account.id) throw notTheirs();
  await sendRedirect(request, reply, { account: account.name });
  return 'redirected';
}

function notTheirs(): AppError {
  return new AppError('forbidden', 'This token is not for this account.');
}

/** Returns the time until which a response may wait for a provider; the rest of the budget is for drawing the card. */
function deadlineOf({ now, lookUpBudgetMs }: AccountRouteContext, { picture }: Exchange): Date {
  const drawingMs = picture === undefined ? 0 : Math.min(maxDrawingMs, lookUpBudgetMs * maxDrawingShare);
  return new Date(now().getTime() + lookUpBudgetMs - drawingMs);
}

/** Sends that the data is still being fetched, as JSON or as a card. */
async function sendNotYet(
  { pictures }: AccountRouteContext,
  { request, reply, dataType, picture }: Exchange,
): Promise<FastifyReply> {
  if (picture === undefined) return sendPending(reply, dataType);
  return sendPendingImage(request, reply, await pictures.drawCollecting(picture));
}

/** Returns the cached card of an equivalent URL. */
function keptPicture(
  { cache, isCacheLive, now }: AccountRouteContext,
  { request, picture }: Exchange,
  account: Account,
): RenderedResponse | undefined {
  if (picture === undefined || !isCacheLive()) return undefined;
  const name = cacheKey(pictureName(account, picture), request.caller);
  const kept = cache.get(name, now().getTime());
  if (kept !== undefined && !holdsCredential(request.url)) cache.alias(cacheKey(request.url, request.caller), name);
  return kept;
}

/** Returns the cache key of a card; no URL begins like it. */
function pictureName({ id }: Account, { key }: ImageRequest): string {
  return `${id}:${key}`;
}

async function sendMade(
  context: AccountRouteContext,
  exchange: Exchange,
  { account, made, begun, deadline }: { account: Account; made: HandlerResult; begun: number; deadline: Date },
): Promise<FastifyReply> {
  if (made === undefined) return sendNotYet(context, exchange);
  const { request, reply, picture } = exchange;
  if ('repository' in made) return sendRedirect(request, reply, made);
  const { caller } = request;
  const { cache, pictures, now } = context;
  const audience: Audience = caller === null ? (made.audience ?? 'everybody') : 'caller';
  const isKept = made.isKept !== false;
  const base = { ...made, audience, accountId: account.id };
  const address = cacheKey(request.url, caller);
  if (picture === undefined) {
    const links = pageLinks(`${context.publicUrl()}${request.url}`, made.envelope);
    const answer = renderResponse({ ...base, links, now: now() });
    if (isKept && !holdsCredential(request.url)) cache.put(address, answer, begun);
    return sendResponse(request, reply, answer);
  }
  const drawn = await pictures.draw(picture, { ...made.shown, answer: made.envelope }, deadline);
  const rendered = renderResponse({ ...base, picture: drawn, now: now() });
  const answer = isKept && picture.format === 'svg' ? await compressResponse(rendered) : rendered;
  const name = cacheKey(pictureName(account, picture), caller);
  if (isKept) cache.put(name, answer, begun);
  if (isKept && !holdsCredential(request.url)) cache.alias(address, name);
  return sendResponse(request, reply, answer);
}

/** Adds endpoint 1: the account itself. */
export function accountRoutes(app: App, context: AccountRouteContext): void {
  app.get(
    '/v1/:provider/entities/:name',
    {
      schema: {
        summary: 'An account',
        params: AccountPath,
        querystring: Type.Object({ ...PageParameters.properties, format: Type.Optional(Type.Enum(['json'])) }),
        response: { 200: EnvelopeSchema(Entity), ...problemResponses },
      },
    },
    async (request, reply) => {
      // The listing has one item: no cursor leads into it.
      context.cursors.readStart('entity', request.query);
      return respondForAccount(
        context,
        { request, reply, dataType: 'entity' },
        request.params,
        async ({ account, provider }) => ({
          envelope: envelope({ dataType: 'entity', data: [toEntity(account, provider.accountUrl(account))] }),
          staleAt: context.resolver.staleAt(account.askedAt ?? context.now()),
        }),
      );
    },
  );
}

/** The responses that all routes share, for the description of the API. */
export const problemResponses = {
  202: EnvelopeSchema(Type.Unknown()),
  400: ProblemSchema,
  401: ProblemSchema,
  404: ProblemSchema,
  429: ProblemSchema,
  502: ProblemSchema,
  503: ProblemSchema,
};

/** The same for routes that need a credential. */
export const privateProblemResponses = { ...problemResponses, 403: ProblemSchema };

/**
 * Returns the provider of a name.
 * @throws AppError `not_found`, which lists the providers that exist.
 */
export function providerOf({ providers }: Pick<AccountRouteContext, 'providers'>, name: string): Provider {
  const provider = providers.get(name);
  if (provider !== undefined) return provider;
  const known = [...providers.keys()].join(', ');
  throw new AppError('not_found', `There is no such provider here; those that are: ${known}.`);
}

function noSuchAccount(): AppError {
  return new AppError('not_found', 'There is no such account on this provider.');
}
