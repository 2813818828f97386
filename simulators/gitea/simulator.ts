import { json } from 'node:stream/consumers';
import { type Rewrite, type SimulatedHost, startHost } from '../host.ts';
import { giteaSignIn } from '../sign-in.ts';
import type { Repository } from '../world/model.ts';
import type { World } from '../world/world.ts';
import type { Reply, ResponseContext } from './responses.ts';
import { respond } from './routes.ts';
import { lackedScopes, lacksScope } from './scopes.ts';
import { checkRequest, checkResponse } from './swagger.ts';

/**
 * A simulated Gitea that serves a simulated world: its responses have the shapes of recorded ones, requests and
 * responses are checked against the API description of a real instance, and lists are paged as there.
 */
export interface GiteaSimulator extends SimulatedHost {
  apiUrl: string;
  world: World;
  /** Every request to the interface, as `WHO PATH`; `WHO POST PATH` for a write. */
  requests: string[];
  /** The first function may return a response that replaces the regular one. */
  overrides: ((path: string) => Reply | undefined)[];
  /** Functions that are awaited before each response. */
  pauses: ((path: string) => Promise<void>)[];
  /** Visibility of accounts that are not public, by id. */
  hidden: Map<number, string>;
  /** Ids of issues that were imported from another host. */
  imported: Set<number>;
  /** Repositories with a push that is not processed yet. */
  unprocessedPushes: Set<Repository>;
  /** Names of tokens without write access. */
  readingTokens: Set<string>;
  /** Scopes of tokens by name; other tokens have all scopes for reading. */
  scopes: Map<string, readonly string[]>;
}

export interface GiteaSimulatorOptions {
  world: World;
  /** The largest page. Default 50, as in Gitea's default configuration. */
  maxPerPage?: number;
  /** True when the instance refuses callers who are not signed in. */
  isClosed?: boolean;
  /** Receives each request before its response. */
  onRequest?: (path: string) => void;
  /** Changes responses after they are checked. */
  rewrite?: Rewrite;
}

const onlySignedIn: Reply = { status: 403, body: { message: 'Only signed in user is allowed to call APIs.' } };

export async function startGiteaSimulator(options: GiteaSimulatorOptions): Promise<GiteaSimulator> {
  const { world, maxPerPage = 50, isClosed = false, onRequest, rewrite } = options;
  const requests: string[] = [];
  const overrides: GiteaSimulator['overrides'] = [];
  const pauses: GiteaSimulator['pauses'] = [];
  const hidden = new Map<number, string>();
  const imported = new Set<number>();
  const unprocessedPushes = new Set<Repository>();
  const readingTokens = new Set<string>();
  const scopes: GiteaSimulator['scopes'] = new Map();
  const host = await startHost({
    name: 'Gitea',
    world,
    signIn: {
      paths: { authorize: '/login/oauth/authorize', token: '/login/oauth/access_token' },
      ...giteaSignIn,
    },
    apiPrefix: '/api/v1/',
    isClosed,
    rewrite,
    respond: async ({ request, address, caller }) => {
      const { searchParams: query, search } = address;
      const path = address.pathname.slice('/api/v1'.length);
      const isWriting = request.method === 'POST';
      const body = isWriting ? await json(request) : undefined;
      const described = checkRequest(request.method ?? '', path, query, body);
      requests.push(`${caller?.name ?? 'stranger'} ${isWriting ? 'POST ' : ''}${path}${search}`);
      onRequest?.(`${path}${search}`);
      for (const pause of pauses) await pause(`${path}${search}`);
      const context: ResponseContext = {
        world,
        url: address.origin,
        query,
        maxPerPage,
        viewer: caller?.viewer,
        hidden,
        imported,
        unprocessedPushes,
      };
      const closed = isClosed && request.headers.authorization === undefined ? onlySignedIn : undefined;
      const override = overrides[0]?.(`${path}${search}`) ?? closed;
      const isRefused = isWriting && readingTokens.has(caller?.name ?? '');
      const missingScopes = lackedScopes(scopes.get(caller?.name ?? ''), described.path);
      const refused = isRefused ? 'write:issue' : missingScopes;
      const refusal = refused === undefined ? undefined : lacksScope(refused);
      const reply = override ?? refusal ?? respond(context, described);
      if (reply.status === 200 || reply.status === 201)
        checkResponse(described.path, reply.body, { isWritten: isWriting });
      return { ...reply, operation: described.path };
    },
  });
  return {
    ...host,
    apiUrl: `${host.url}/api/v1`,
    world,
    requests,
    overrides,
    pauses,
    hidden,
    imported,
    unprocessedPushes,
    readingTokens,
    scopes,
  };
}
