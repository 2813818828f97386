import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { GitHost } from '../github/git-host.ts';
import { authenticate, simulatedTokens, type TokenName } from '../github/tokens.ts';
import type { World } from '../github/world/world.ts';
import type { Place, Reply } from './answers.ts';
import { answerGraphql } from './graphql.ts';
import { type Hidden, nothingHidden } from './hidden.ts';
import { checkAnswer, checkRequest } from './interface.ts';
import { answer } from './routes.ts';

/**
 * A simulated GitLab that tells a simulated world: requests and answers are checked against its documentation, and lists are
 * paged as there.
 */
export interface GitLabSimulator extends AsyncDisposable {
  url: string;
  apiUrl: string;
  world: World;
  tokens: Record<TokenName, string>;
  /** Every request to the interface, as `WHO PATH`. */
  requests: string[];
  gitRequests: string[];
  /** Answers in place of the next request, while there are any. */
  surprises: ((path: string) => Reply | undefined)[];
  hidden: Hidden;
  /** Tokens that may read nothing but who their bearer is. */
  narrowTokens: Set<string>;
  close(): Promise<void>;
}

export interface GitLabSimulatorOptions {
  world: World;
  /** How much is on a page at most. Default 100. */
  maxPerPage?: number;
  /** How long a list may be that tells how long it is. Default 10,000. */
  totalsUpTo?: number;
}

const insufficientScope: Reply = {
  status: 403,
  body: {
    error: 'insufficient_scope',
    error_description: 'The request requires higher privileges than provided by the access token.',
    scope: 'api read_api',
  },
};

export async function startGitLabSimulator(options: GitLabSimulatorOptions): Promise<GitLabSimulator> {
  const { world, maxPerPage = 100, totalsUpTo = 10_000 } = options;
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requests: string[] = [];
  const gitRequests: string[] = [];
  const surprises: GitLabSimulator['surprises'] = [];
  const hidden = nothingHidden();
  const narrowTokens = new Set<string>();
  const faults: string[] = [];
  const git = new GitHost(world, (authorization) => authenticate(world, authorization));

  const replyTo = async (request: IncomingMessage, address: URL): Promise<Reply> => {
    const who = authenticate(world, request.headers.authorization);
    const path = address.pathname.slice('/api/v4'.length);
    const isGraphql = request.method === 'POST' && address.pathname === '/api/graphql';
    requests.push(`${who?.name ?? 'stranger'} ${isGraphql ? 'graphql' : `${path}${address.search}`}`);
    const place: Place = {
      world,
      url,
      query: address.searchParams,
      maxPerPage,
      totalsUpTo,
      viewer: who?.viewer,
      hidden,
    };
    const isNarrow = narrowTokens.has(who?.name ?? '') && path !== '/user';
    const surprise = surprises[0]?.(isGraphql ? 'graphql' : `${path}${address.search}`);
    if (surprise !== undefined) return surprise;
    if (isNarrow) return insufficientScope;
    if (isGraphql) {
      if (who === undefined) return { status: 401, body: { errors: [{ message: 'Invalid token' }] } };
      return answerGraphql(place, await text(request));
    }
    const described = checkRequest(request.method ?? '', path, address.searchParams);
    const reply = answer(place, described);
    if (reply.status === 200) checkAnswer(described.name, reply.body);
    return reply;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = new URL(request.url ?? '/', url);
    if (!address.pathname.startsWith('/api/')) {
      gitRequests.push(`${request.method} ${address.pathname}`);
      await git.handle(request, response);
      return;
    }
    const { status, body, headers } = await replyTo(request, address);
    const always = { 'content-type': 'application/json', date: world.now().toUTCString() };
    response.writeHead(status, { ...always, ...headers }).end(JSON.stringify(body));
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch((error: unknown) => {
      faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      process.stderr.write(`simulated GitLab: ${faults.at(-1)}\n`);
      response.writeHead(418).end();
    });
  });
  const close = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await git.close();
    if (faults.length > 0) throw new Error(`no such request may be sent: ${faults.join('\n')}`);
  };
  return {
    url,
    apiUrl: `${url}/api/v4`,
    world,
    tokens: Object.fromEntries(simulatedTokens.map(({ name, secret }) => [name, secret])) as Record<TokenName, string>,
    requests,
    gitRequests,
    surprises,
    hidden,
    narrowTokens,
    close,
    [Symbol.asyncDispose]: close,
  };
}
