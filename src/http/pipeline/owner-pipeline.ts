import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type TObject, type TSchema, Type } from 'typebox';
import type { App } from '../server/app.ts';
import { authorizeOwner, resolveOwn } from './authorize.ts';
import {
  AccountPath,
  type Confirmation,
  changeProblemResponses,
  type OwnerContext,
  type OwnerEndpoint,
  privateProblemResponses,
} from './endpoint.ts';
import { withDefaultLimit } from './pagination.ts';
import { readAs } from './parameters.ts';
import { type PipelineServices, readPage } from './pipeline.ts';
import { sendLines, sendNothing, sendPrivately, sendRedirect } from './send.ts';

export interface OwnerServices extends Pick<PipelineServices, 'resolver' | 'cursors' | 'endpoints'> {
  /** Confirms that the person behind a caller still administers the account. @throws AppError `forbidden` */
  confirmOwner: (
    owner: Pick<OwnerContext<object, object, unknown>, 'account' | 'caller'>,
    confirmation: Confirmation,
  ) => Promise<void>;
}

/** Adds an endpoint for owners, whose requests take the five steps of `respondToOwner`. */
export function addOwnerEndpoint<
  Data,
  Path extends TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
>(app: App, services: OwnerServices, declared: OwnerEndpoint<Path, Query, Body, Data>): void {
  const endpoint = withConfirmation(services, declared);
  const { method, path, operationId, tag, summary, description, params, query, body, response, listing } = endpoint;
  const success = response === undefined ? { 204: Type.Null() } : { [endpoint.status ?? 200]: response };
  const schema = {
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    params,
    ...(query !== undefined && {
      querystring: listing === undefined ? query : withDefaultLimit(query, listing.defaultLimit),
    }),
    ...(body !== undefined && { body }),
    security: [{ serviceToken: [] }],
    response: { ...success, ...(method === 'GET' ? privateProblemResponses : changeProblemResponses) },
  };
  services.endpoints.addOwned(endpoint);
  app.route({
    method,
    url: path,
    schema,
    config: endpoint.config ?? {},
    ...(endpoint.bodyLimit !== undefined && { bodyLimit: endpoint.bodyLimit }),
    handler: async (request, reply) => respondToOwner(services, endpoint, request, reply),
  });
}

/** Returns an endpoint that loads nothing before its caller is confirmed; pages load it without a request. */
function withConfirmation<Path extends TObject, Query extends TObject, Body extends TSchema, Data>(
  { confirmOwner }: OwnerServices,
  endpoint: OwnerEndpoint<Path, Query, Body, Data>,
): OwnerEndpoint<Path, Query, Body, Data> {
  const { load, needs, confirmation = needs === 'manage' ? 'if doubtful' : undefined } = endpoint;
  if (confirmation === undefined) return endpoint;
  return {
    ...endpoint,
    load: async (context) => {
      await confirmOwner(context, confirmation);
      return load(context);
    },
  };
}

/** Responds to an owner's request about their account: resolve → authorize → load → present → send. */
async function respondToOwner<Path extends TObject, Query extends TObject, Body extends TSchema, Data>(
  services: OwnerServices,
  endpoint: OwnerEndpoint<Path, Query, Body, Data>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const params = readAs(endpoint.params, request.params);
  const query = readAs(endpoint.query, request.query);
  const body = readAs(endpoint.body, request.body);
  const page = readPage(services, endpoint, request.query);

  const resolution = await resolveOwn(services.resolver, readAs(AccountPath, request.params), request.caller);

  const { state, account, provider, caller } = authorizeOwner(resolution, request.caller, endpoint.needs);
  if (state === 'renamed') return sendRedirect(request, reply, { account: account.name });

  const context = { account, provider, caller, params, query, body, page };
  const data = await endpoint.load(context);

  const presented = endpoint.present?.(data, context);

  if (presented === undefined) return sendNothing(reply);
  if (presented instanceof Readable) return sendLines(reply, presented);
  return sendPrivately(reply, presented, endpoint.status);
}
