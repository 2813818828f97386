import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { GraphQLError } from 'graphql';
import type { Exchange, Rewrite } from '../host.ts';
import type { Account, Repository } from '../world/model.ts';
import type { Viewer, World } from '../world/world.ts';
import type { App, AppCaller } from './app/app.ts';
import { respondToChecks } from './app/checks.ts';
import type { Installation } from './app/installation.ts';
import { respondToApp } from './app/routes.ts';
import type { Fault, Faults } from './faults.ts';
import { executeQuery, type GraphqlBody, type Prepared, prepare } from './graphql/execute.ts';
import { time } from './graphql/field-request.ts';
import type { Limits, Resource } from './limits.ts';
import type { RefusingOrganizations } from './organization-refusals.ts';
import { distort } from './page-faults.ts';
import {
  badGateway,
  faultReply,
  primaryLimitReply,
  type Reply,
  rateLimitBody,
  resourceLimits,
  secondaryLimitReply,
} from './refusals.ts';
import { checkResponse } from './rest/openapi.ts';
import { findRoute, missing } from './rest/routes.ts';
import { authenticate } from './tokens.ts';

/** A request and its outcome. */
export interface LoggedRequest {
  /** `GET /users/ada`, or the name of the GraphQL operation. */
  name: string;
  token: string;
  status: number;
  /** Points of the primary limit. */
  cost: number;
  variables?: unknown;
}

export interface ApiOptions {
  world: World;
  origin: string;
  apiUrl: string;
  limits: Limits;
  faults: Faults;
  app: App;
  refusing: RefusingOrganizations;
  now: () => Date;
  onRequest: (request: LoggedRequest) => void;
  /** The number of contributions of heavy accounts that one response may count. */
  heavyLimit: number;
  rewrite: Rewrite | undefined;
}

interface ApiRequest {
  name: string;
  token: string;
  method: string;
  viewer: Viewer;
  /** The installation of the App that sends the request; null for other callers. */
  installation: Installation | null;
  resource: Resource;
  fault: Fault | undefined;
  logged: LoggedRequest;
}

const maxBodyBytes = 1024 * 1024;

/** Responds to REST and GraphQL requests as GitHub does, with its limits and with injected faults. */
export class Api {
  readonly #options: ApiOptions;
  #heavyFailures = 0;

  constructor(options: ApiOptions) {
    this.#options = options;
  }

  /** @param path below the API's address. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: URLSearchParams,
  ): Promise<void> {
    const { world, faults, limits, app, onRequest } = this.#options;
    const hasBody = request.method === 'POST' || request.method === 'PATCH';
    const text = hasBody ? await readBody(request) : '';
    const isGraphql = path === '/graphql';
    const graphql = isGraphql
      ? (JSON.parse(text) as { query: string; variables?: object; operationName?: string })
      : undefined;
    const name = graphql === undefined ? `${request.method} ${path}` : (graphql.operationName ?? 'unnamed');
    const caller = app.authenticate(request.headers.authorization);
    const refusal = caller && 'refusal' in caller ? caller.refusal : undefined;
    const authenticated =
      caller === undefined ? authenticate(world, request.headers.authorization) : callerOfApp(caller);
    const token = authenticated?.name ?? 'unknown';
    const logged: LoggedRequest = { name, token, status: 0, cost: 0, variables: graphql?.variables };
    onRequest(logged);
    const fault = faults.take({ name, token });
    const found = isGraphql ? undefined : findRoute(path);
    const resource = isGraphql ? 'graphql' : (found?.route.resource ?? 'core');
    const mentioned = `${decodeURIComponent(path)} ${query.toString()} ${text}`;
    this.#applyDueRenames(mentioned, 'new');
    // An unreferenced timer, so that a slow response does not keep the simulator from ending.
    if (fault?.kind === 'slow') await wait(fault.delayMs ?? 1000, undefined, { ref: false });
    if (fault?.kind === 'never') return;
    if (fault?.kind === 'drop_before') {
      response.destroy();
      return;
    }
    if (authenticated === undefined || fault?.kind === 'bad_credentials') {
      const { status, message } = refusal ?? { status: 401, message: 'Bad credentials' };
      const headers = { date: this.#options.now().toUTCString() };
      await this.#send(request, response, { status, body: { message }, headers }, undefined, logged);
      return;
    }
    const installation = caller && 'installation' in caller ? caller.installation : null;
    const method = request.method ?? 'GET';
    const context: ApiRequest = {
      name,
      method,
      token,
      viewer: authenticated.viewer,
      installation,
      resource,
      fault,
      logged,
    };
    const isWithinLimits = limits.begin(token);
    try {
      const reply = isWithinLimits
        ? (faultReply(fault, resource) ??
          (graphql === undefined ? this.#rest(path, query, text, context) : await this.#graphql(graphql, context)))
        : secondaryLimitReply(60);
      this.#applyDueRenames(mentioned, 'old');
      const address = graphql === undefined ? `${path}?${query.toString()}` : JSON.stringify(graphql.variables);
      const body = this.#rewritten(reply, { caller: token, address, ...(graphql && { query: graphql.query }) });
      const headers = {
        ...limits.headers(token, resource),
        ...(authenticated.scopes && { 'x-oauth-scopes': authenticated.scopes.join(', ') }),
        ...reply.headers,
      };
      await this.#send(request, response, { ...reply, body, headers }, fault, logged);
    } finally {
      limits.end(token);
    }
  }

  #rest(path: string, query: URLSearchParams, body: string, request: ApiRequest): Reply {
    const { token, viewer, method, installation, resource, fault, logged } = request;
    const { world, origin, apiUrl, limits, app, refusing } = this.#options;
    // Requests for the limits are free.
    if (path === '/rate_limit') return { status: 200, body: this.#rateLimits(token) };
    const limited = limits.spend(token, resource, 1);
    if (limited !== undefined) return limited === 'primary' ? primaryLimitReply(403) : secondaryLimitReply(60);
    logged.cost = 1;
    const refused = refusing.replyFor(path, token);
    if (refused !== undefined) return refused;
    const context = { world, viewer, origin, apiUrl };
    const ofChecks =
      installation && respondToChecks({ context, installation, runs: app.checkRuns, method, path, query, body });
    if (ofChecks) return { ...ofChecks, body: distort(ofChecks.body, fault) };
    const ofTheApp = respondToApp({ app, context, method, path, query, installation, isApp: token === 'app' });
    if (ofTheApp !== undefined) return { ...ofTheApp, body: distort(ofTheApp.body, fault) };
    const found = findRoute(path);
    if (found === undefined || method !== 'GET') return missing;
    const reply = found.route.respond(context, found.parameters, query);
    if (reply.status === 200) checkResponse(found.route.path, reply.body);
    return { ...reply, operation: found.route.path, body: distort(reply.body, fault) };
  }

  #rewritten({ status, operation, body }: Reply, exchange: Omit<Exchange, 'operation' | 'body'>): unknown {
    const { rewrite } = this.#options;
    const isRewritten = rewrite !== undefined && operation !== undefined && status < 300;
    return isRewritten ? rewrite({ ...exchange, operation, body }) : body;
  }

  #rateLimits(token: string): object {
    const { limits } = this.#options;
    const describeAllowance = (resource: Resource): object => {
      const { limit, used, resetAt } = limits.allowance(token, resource);
      return { limit, used, remaining: Math.max(0, limit - used), reset: Math.floor(resetAt.getTime() / 1000) };
    };
    const core = describeAllowance('core');
    const body = {
      resources: { core, graphql: describeAllowance('graphql'), search: describeAllowance('search') },
      rate: core,
    };
    checkResponse('/rate_limit', body);
    return body;
  }

  async #graphql(
    request: { query: string; variables?: object; operationName?: string },
    { token, viewer, installation, fault, logged }: ApiRequest,
  ): Promise<Reply> {
    if (token === 'anonymous' || token === 'app') {
      return { status: 401, body: { message: 'This endpoint requires you to be authenticated.' } };
    }
    const prepared = prepare({ ...request, variables: { ...request.variables } });
    if (!('cost' in prepared)) return { status: 200, body: prepared };
    const { limits } = this.#options;
    const limited = limits.spend(token, 'graphql', prepared.cost.points);
    if (limited === 'primary') return { status: 200, body: rateLimitBody('API rate limit already exceeded for user.') };
    if (limited === 'secondary') return secondaryLimitReply(60);
    logged.cost = prepared.cost.points;
    if (fault?.kind === 'resource_limits') return resourceLimits(null);
    const { body, load } = await this.#executeQuery(prepared, { token, viewer, installation, fault });
    if (load > this.#options.heavyLimit) {
      this.#heavyFailures += 1;
      return this.#heavyFailures % 2 === 1 ? badGateway(502) : resourceLimits(body.data);
    }
    return { status: 200, body: distort(body, fault), operation: request.operationName ?? 'unnamed' };
  }

  #executeQuery(
    prepared: Prepared,
    { token, viewer, installation, fault }: Pick<ApiRequest, 'token' | 'viewer' | 'installation' | 'fault'>,
  ): Promise<{ body: GraphqlBody; load: number }> {
    const { world, origin, limits, app, refusing } = this.#options;
    const { limit, used, resetAt } = limits.allowance(token, 'graphql');
    const rateLimit = {
      limit,
      used,
      remaining: Math.max(0, limit - used),
      resetAt: time(resetAt),
      cost: prepared.cost.points,
      nodeCount: prepared.cost.nodes,
    };
    const commenter = (repository: Repository): Account | null => app.commenter(installation, repository);
    const findRefusal = (accountId: number): GraphQLError | undefined => refusing.errorFor(accountId, token);
    return executeQuery(prepared, { world, viewer, commenter, origin, rateLimit, fault, refusalOf: findRefusal });
  }

  async #send(
    request: IncomingMessage,
    response: ServerResponse,
    { status, body, headers = {} }: Reply,
    fault: Fault | undefined,
    logged: LoggedRequest,
  ): Promise<void> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const etag = `"${createHash('sha256').update(logged.token).update(text).digest('hex')}"`;
    const isUnchanged = request.method === 'GET' && status === 200 && request.headers['if-none-match'] === etag;
    logged.status = isUnchanged ? 304 : status;
    response.writeHead(logged.status, {
      'content-type': text.startsWith('<') ? 'text/html' : 'application/json; charset=utf-8',
      'x-github-request-id': `SIM:${etag.slice(1, 9)}`,
      ...(request.method === 'GET' && { etag }),
      ...headers,
      ...(fault?.kind === 'truncated' && { 'content-length': String(Buffer.byteLength(text)) }),
    });
    if (fault?.kind === 'drop_after') {
      response.destroy();
      return;
    }
    if (fault?.kind === 'drop_midway' || fault?.kind === 'truncated') {
      await new Promise<void>((resolve) => response.write(text.slice(0, text.length / 2), () => resolve()));
      response.destroy();
      return;
    }
    response.end(isUnchanged ? '' : text);
  }

  /** Renames each account with a `nextLogin` whose old or next login appears in the request. */
  #applyDueRenames(mentioned: string, login: 'old' | 'new'): void {
    const { world } = this.#options;
    for (const account of world.accounts) {
      const searchedLogin = login === 'old' ? account.login : account.nextLogin;
      if (account.nextLogin === null || searchedLogin === null) continue;
      if (!new RegExp(`(?<![\\w-])${searchedLogin}(?![\\w-])`, 'i').test(mentioned)) continue;
      account.login = account.nextLogin;
      account.nextLogin = null;
      world.markChanged();
    }
  }
}

/** Returns a caller with credentials of the App, undefined when the credentials are refused. */
function callerOfApp(caller: AppCaller): { name: string; viewer: Viewer; scopes: string[] | undefined } | undefined {
  return 'refusal' in caller ? undefined : { ...caller, scopes: undefined };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBodyBytes) throw new Error('the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
