import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GitHost } from '../github/git-host.ts';
import { authenticate, simulatedTokens, type TokenName } from '../github/tokens.ts';
import type { World } from '../github/world/world.ts';
import type { Place, Reply } from './answers.ts';
import { answer } from './routes.ts';
import { checkAnswer, checkRequest } from './swagger.ts';

/**
 * A simulated Gitea that tells a simulated world: its answers have the shapes of recorded ones, requests and answers are
 * checked against a real instance's description, and lists are paged as there.
 */
export interface GiteaSimulator extends AsyncDisposable {
  url: string;
  apiUrl: string;
  world: World;
  tokens: Record<TokenName, string>;
  /** Every request to the interface, as `WHO PATH`. */
  requests: string[];
  gitRequests: string[];
  /** Answers in place of the next request, while there are any. */
  surprises: ((path: string) => Reply | undefined)[];
  /** Visibility of accounts that are not for everybody, by id. */
  hidden: Map<number, string>;
  /** Ids of issues that were imported from another host. */
  imported: Set<number>;
  close(): Promise<void>;
}

export interface GiteaSimulatorOptions {
  world: World;
  /** How much is on a page at most. Default 50, as where nothing is configured. */
  maxPerPage?: number;
  /** Hears of a request before it is answered. */
  onRequest?: (path: string) => void;
}

export async function startGiteaSimulator(options: GiteaSimulatorOptions): Promise<GiteaSimulator> {
  const { world, maxPerPage = 50, onRequest } = options;
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const requests: string[] = [];
  const gitRequests: string[] = [];
  const surprises: GiteaSimulator['surprises'] = [];
  const hidden = new Map<number, string>();
  const imported = new Set<number>();
  const faults: string[] = [];
  const git = new GitHost(world, (authorization) => authenticate(world, authorization));

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams, search } = new URL(request.url ?? '/', url);
    if (!pathname.startsWith('/api/v1/')) {
      gitRequests.push(`${request.method} ${pathname}`);
      await git.handle(request, response);
      return;
    }
    const path = pathname.slice('/api/v1'.length);
    const who = authenticate(world, request.headers.authorization);
    const described = checkRequest(request.method ?? '', path, searchParams);
    requests.push(`${who?.name ?? 'stranger'} ${path}${search}`);
    onRequest?.(`${path}${search}`);
    const place: Place = { world, url, query: searchParams, maxPerPage, viewer: who?.viewer, hidden, imported };
    const reply = surprises[0]?.(`${path}${search}`) ?? answer(place, described);
    if (reply.status === 200) checkAnswer(described.path, reply.body);
    const headers = { 'content-type': 'application/json;charset=utf-8', date: world.now().toUTCString() };
    response.writeHead(reply.status, { ...headers, ...reply.headers }).end(JSON.stringify(reply.body));
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch((error: unknown) => {
      faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      process.stderr.write(`simulated Gitea: ${faults.at(-1)}\n`);
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
    apiUrl: `${url}/api/v1`,
    world,
    tokens: Object.fromEntries(simulatedTokens.map(({ name, secret }) => [name, secret])) as Record<TokenName, string>,
    requests,
    gitRequests,
    surprises,
    hidden,
    imported,
    close,
    [Symbol.asyncDispose]: close,
  };
}
