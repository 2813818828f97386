import { json, text } from 'node:stream/consumers';
import { type HostReply, type Rewrite, type SimulatedHost, startHost } from '../host.ts';
import { gitLabSignIn } from '../sign-in.ts';
import type { World } from '../world/world.ts';
import { executeGraphql, operationName } from './graphql.ts';
import { type Hidden, nothingHidden } from './hidden.ts';
import { checkRequest, checkResponse } from './interface.ts';
import type { Reply, ResponseContext } from './responses.ts';
import { respond } from './routes.ts';

/**
 * A simulated GitLab that serves a simulated world: requests and responses are checked against GitLab's documentation,
 * and lists are paged as there.
 */
export interface GitLabSimulator extends SimulatedHost {
  apiUrl: string;
  world: World;
  /** Every request to the interface, as `WHO PATH`; `WHO POST PATH` for a write. */
  requests: string[];
  /** The first function may return a response that replaces the regular one. */
  overrides: ((path: string) => Reply | undefined)[];
  hidden: Hidden;
  /** Tokens that may read nothing but their own user. */
  narrowTokens: Set<string>;
  /** Tokens without write access. */
  readingTokens: Set<string>;
  /** Expiry dates of tokens by name; other tokens do not expire. */
  lastDays: Map<string, string>;
}

export interface GitLabSimulatorOptions {
  world: World;
  /** The largest page. Default 100. */
  maxPerPage?: number;
  /** The largest list that reports its length. Default 10,000. */
  totalsUpTo?: number;
  /** Changes responses after they are checked. */
  rewrite?: Rewrite;
}

const insufficientScope = (scope: string): Reply => ({
  status: 403,
  body: {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope,
  },
});

/** Endpoints that need no scope but `read_user`, or none. */
const forEveryToken = new Set(['/user', '/metadata', '/personal_access_tokens/self']);

export async function startGitLabSimulator(options: GitLabSimulatorOptions): Promise<GitLabSimulator> {
  const { world, maxPerPage = 100, totalsUpTo = 10_000, rewrite } = options;
  const requests: string[] = [];
  const overrides: GitLabSimulator['overrides'] = [];
  const hidden = nothingHidden();
  const narrowTokens = new Set<string>();
  const readingTokens = new Set<string>();
  const lastDays = new Map<string, string>();
  const listScopes = (token: string): string[] => {
    if (narrowTokens.has(token)) return ['read_user'];
    return readingTokens.has(token) ? ['read_api'] : ['api'];
  };
  const host = await startHost({
    name: 'GitLab',
    world,
    signIn: { ...gitLabSignIn, paths: { authorize: '/oauth/authorize', token: '/oauth/token' } },
    apiPrefix: '/api/',
    rewrite,
    respond: async ({ request, address, caller }): Promise<HostReply> => {
      const { pathname, search, searchParams: query } = address;
      const isGraphql = request.method === 'POST' && pathname === '/api/graphql';
      const path = isGraphql ? 'graphql' : pathname.slice('/api/v4'.length);
      const isWriting = request.method === 'POST' && !isGraphql;
      requests.push(`${caller?.name ?? 'stranger'} ${isWriting ? 'POST ' : ''}${path}${search}`);
      const override = overrides[0]?.(`${path}${search}`);
      if (override !== undefined) return override;
      if (narrowTokens.has(caller?.name ?? '') && !forEveryToken.has(path)) return insufficientScope('api read_api');
      if (isWriting && readingTokens.has(caller?.name ?? '')) return insufficientScope('api');
      const token = { scopes: listScopes(caller?.name ?? ''), lastDay: lastDays.get(caller?.name ?? '') ?? null };
      const own = { world, url: address.origin, query, maxPerPage, totalsUpTo, viewer: caller?.viewer, hidden };
      const context: ResponseContext = { ...own, token };
      if (isGraphql) {
        if (caller === undefined) return { status: 401, body: { errors: [{ message: 'Invalid token' }] } };
        const body = await text(request);
        const { query: graphqlQuery, variables } = JSON.parse(body) as { query: string; variables: object };
        const reply = await executeGraphql(context, body);
        return {
          ...reply,
          operation: operationName(graphqlQuery),
          graphqlRequest: { query: graphqlQuery, address: JSON.stringify(variables) },
        };
      }
      const body = isWriting ? await json(request) : undefined;
      const described = checkRequest(request.method ?? '', path, query, body);
      const reply = respond(context, described);
      if (reply.status === 200 || reply.status === 201) checkResponse(described, reply.body);
      return { ...reply, operation: described.name };
    },
  });
  const tokens = { narrowTokens, readingTokens, lastDays };
  return { ...host, apiUrl: `${host.url}/api/v4`, world, requests, overrides, hidden, ...tokens };
}
