import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AppError } from '../errors.ts';
import { type Answer, isNotModified, notModifiedHeaders, renderAnswer } from '../http/answer.ts';
import type { AnswerCache } from '../http/answer-cache.ts';
import type { App } from '../http/app.ts';
import { type dataTypes, type Envelope, EnvelopeSchema, envelope } from '../http/envelope.ts';
import { type Cursors, PageParameters } from '../http/pagination.ts';
import { ProblemSchema } from '../http/problem.ts';
import type { Provider } from '../providers/provider.ts';
import { Entity, toEntity } from './entity.ts';
import type { Resolver } from './resolve.ts';
import type { Account } from './store.ts';

/** What every route about an account needs. */
export interface AccountRouteContext {
  providers: ReadonlyMap<string, Provider>;
  resolver: Resolver;
  cache: AnswerCache;
  cursors: Cursors;
  now: () => Date;
  /** How long a caller waits for what was never seen before. */
  lookUpBudgetMs: number;
  /** How addresses of this service begin for those outside, without a trailing slash. */
  publicUrl: () => string;
}

export const AccountPath = Type.Object({
  provider: Type.String({ maxLength: 100, description: 'Identifier of the code host, e.g. `github`.' }),
  name: Type.String({ maxLength: 255, description: 'Account name on the provider; the letter case does not matter.' }),
});

/** What an account's route knows of the request once the account is found. */
export interface AskedAccount {
  account: Account;
  provider: Provider;
  /** Until when the caller waits. */
  deadline: Date;
}

/** What a route makes of an account: an answer, or undefined while nothing at all is known yet. */
export type Made = { envelope: Envelope; staleAt: Date } | undefined;

const pendingRetryAfterS = 3;

/** Answers a request about an account, from finding it by its name to the bytes. */
export async function answerAboutAccount(
  context: AccountRouteContext,
  exchange: { request: FastifyRequest; reply: FastifyReply; dataType: keyof typeof dataTypes },
  asked: { provider: string; name: string },
  make: (found: AskedAccount) => Promise<Made>,
): Promise<FastifyReply> {
  const { request, reply, dataType } = exchange;
  const provider = context.providers.get(asked.provider);
  if (provider === undefined) {
    const known = [...context.providers.keys()].join(', ');
    throw new AppError('not_found', `There is no such provider here; those that are: ${known}.`);
  }
  if (!provider.isPossibleName(asked.name)) throw noSuchAccount();
  const begun = context.cache.begin();
  const deadline = new Date(context.now().getTime() + context.lookUpBudgetMs);
  const resolution = await context.resolver.resolve(asked, deadline);
  switch (resolution.state) {
    case 'absent':
      throw noSuchAccount();
    case 'pending':
      return sendPending(reply, dataType);
    case 'renamed':
      return sendRedirect(request, reply, resolution.account.name);
    case 'present':
      break;
  }
  const { account } = resolution;
  const made = await make({ account, provider, deadline });
  if (made === undefined) return sendPending(reply, dataType);
  const links = pageLinks(`${context.publicUrl()}${request.url}`, made.envelope);
  const answer = renderAnswer({ ...made, accountId: account.id, links, now: context.now() });
  context.cache.put(request.url, answer, begun);
  return sendAnswer(request, reply, answer);
}

/** Endpoint 1: the account itself. */
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
      return answerAboutAccount(
        context,
        { request, reply, dataType: 'entity' },
        request.params,
        async ({ account, provider }) => ({
          envelope: envelope({ dataType: 'entity', data: [toEntity(account, provider.accountUrl(account.name))] }),
          staleAt: context.resolver.staleAt(account.askedAt ?? context.now()),
        }),
      );
    },
  );
}

/** The responses that every route may give besides its own, for the description of the interface. */
export const problemResponses = {
  202: EnvelopeSchema(Type.Unknown()),
  400: ProblemSchema,
  401: ProblemSchema,
  404: ProblemSchema,
  429: ProblemSchema,
  502: ProblemSchema,
  503: ProblemSchema,
};

function sendAnswer(request: FastifyRequest, reply: FastifyReply, answer: Answer): FastifyReply {
  return isNotModified(request.headers['if-none-match'], answer.etag)
    ? reply.code(304).headers(notModifiedHeaders(answer)).send()
    : reply.code(200).headers(answer.headers).send(answer.body);
}

function sendPending(reply: FastifyReply, dataType: keyof typeof dataTypes): FastifyReply {
  return reply
    .code(202)
    .headers({ 'retry-after': String(pendingRetryAfterS), 'cache-control': 'no-store' })
    .type('application/json; charset=utf-8')
    .send(Buffer.from(JSON.stringify(envelope({ dataType, data: [] }))));
}

/** The same address with the account's present name. */
function sendRedirect(request: FastifyRequest, reply: FastifyReply, name: string): FastifyReply {
  const address = request.url.replace(/^(\/v1\/[^/]+\/entities\/)[^/?]+/, `$1${encodeURIComponent(name)}`);
  return reply
    .code(301)
    .headers({ location: address, 'cache-control': 'public, max-age=60' })
    .type('application/json; charset=utf-8')
    .send(Buffer.from(JSON.stringify(envelope({ dataType: 'unknown', data: [] }))));
}

/** Addresses of the neighbouring pages, for the Link header (RFC 8288). */
function pageLinks(address: string, { previous_cursor, next_cursor }: Envelope): { prev?: string; next?: string } {
  const withCursor = (parameter: string, cursor: string): string => {
    const url = new URL(address);
    url.searchParams.delete('after');
    url.searchParams.delete('before');
    url.searchParams.set(parameter, cursor);
    return url.href;
  };
  return {
    ...(previous_cursor !== undefined && { prev: withCursor('before', previous_cursor) }),
    ...(next_cursor !== undefined && { next: withCursor('after', next_cursor) }),
  };
}

function noSuchAccount(): AppError {
  return new AppError('not_found', 'There is no such account on this provider.');
}
