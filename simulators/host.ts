import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GitHost } from './github/git-host.ts';
import { authenticate, simulatedTokens, type TokenName } from './github/tokens.ts';
import { type SignInHost, SignInServer } from './sign-in.ts';
import type { Repository } from './world/model.ts';
import type { Viewer, World } from './world/world.ts';

/** The common parts of simulated code hosts: a server with an interface, and git beside it. */

/** The webhook secret of services on simulated hosts. */
export const deliverySecret = 'a secret for deliveries';

export interface HostReply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  /** Route as the description writes it, or the name of the GraphQL operation; absent: it is not rewritten. */
  operation?: string;
  /** The text of a GraphQL operation, and its variables in place of the address. */
  graphqlRequest?: { query: string; address: string };
}

/** Response of an interface before it is sent; it fits the host's description. */
export interface Exchange {
  /** Name of the token. */
  caller: string;
  /** Route as the description writes it, or the name of the GraphQL operation. */
  operation: string;
  /** Address of the request with its query, or the variables of the GraphQL operation as JSON. */
  address: string;
  /** Text of the GraphQL query. */
  query?: string;
  body: unknown;
}

/** Returns the body that is sent in place of the one that fits the description. */
export type Rewrite = (exchange: Exchange) => unknown;

/** A request to the interface. */
export interface HostRequest {
  request: IncomingMessage;
  address: URL;
  /** Undefined for an invalid credential. */
  caller: { name: string; viewer: Viewer } | undefined;
}

export interface SimulatedHost extends AsyncDisposable {
  url: string;
  tokens: Record<TokenName, string>;
  /** The authorization server for sign-in. */
  signIn: SignInServer;
  gitRequests: string[];
  /** Repositories that git does not show, though they exist. */
  withoutGit: Set<Repository>;
  /** Repositories that git does not serve just now. */
  gitUnavailable: Set<Repository>;
  /** Repositories of which git receives something that it does not understand. */
  gitUnreadable: Set<Repository>;
  /**
   * Beginnings of requests (`POST /api/`): for each, the next such request is carried out, and its response is lost.
   */
  losses: string[];
  /** @throws Error when a request was sent that may not be. */
  close(): Promise<void>;
}

/** Starts a simulated host. `host.respond` throws for a request that may not be sent. */
export async function startHost(host: {
  name: string;
  world: World;
  /** The paths of the authorization server, and whether it issues ID tokens. */
  signIn: Omit<SignInHost, 'url'>;
  /** The beginning of all paths of the interface. */
  apiPrefix: string;
  /** True when git is for signed-in callers alone. */
  isClosed?: boolean;
  respond: (request: HostRequest) => HostReply | Promise<HostReply>;
  rewrite?: Rewrite | undefined;
}): Promise<SimulatedHost> {
  const { name, world, apiPrefix, isClosed = false, respond, rewrite } = host;
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gitRequests: string[] = [];
  const losses: string[] = [];
  const faults: string[] = [];
  const tokens = secretsByName();
  const signIn = new SignInServer({ ...host.signIn, url }, tokens);
  const git = new GitHost(world, (authorization) =>
    isClosed && authorization === undefined ? undefined : authenticate(world, authorization),
  );
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = new URL(request.url ?? '/', url);
    if (await signIn.handle(request, response, address)) return;
    if (!address.pathname.startsWith(apiPrefix)) {
      gitRequests.push(`${request.method} ${address.pathname}`);
      await git.handle(request, response);
      return;
    }
    const caller = authenticate(world, request.headers.authorization);
    const reply = await respond({ request, address, caller });
    const { status, headers } = reply;
    const lost = losses.findIndex((begin) => `${request.method} ${address.pathname}`.startsWith(begin));
    if (lost >= 0) {
      losses.splice(lost, 1);
      request.socket.destroy();
      return;
    }
    const always = { 'content-type': 'application/json;charset=utf-8', date: world.now().toUTCString() };
    const body = rewriteBody(rewrite, reply, {
      caller: caller?.name ?? 'stranger',
      address: `${address.pathname}${address.search}`,
    });
    response.writeHead(status, { ...always, ...headers }).end(JSON.stringify(body));
  };
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch((error: unknown) => {
      faults.push(error instanceof Error ? (error.stack ?? error.message) : String(error));
      process.stderr.write(`simulated ${name}: ${faults.at(-1)}\n`);
      response.writeHead(418).end();
    });
  });
  const close = (): Promise<void> => closeHost(server, git, faults);
  return {
    url,
    tokens,
    signIn,
    gitRequests,
    withoutGit: git.switchedOff,
    gitUnavailable: git.unavailable,
    gitUnreadable: git.unreadable,
    losses,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Returns the body that is sent, which tests may change. */
function rewriteBody(
  rewrite: Rewrite | undefined,
  { status, body, operation, graphqlRequest }: HostReply,
  request: Pick<Exchange, 'caller' | 'address'>,
): unknown {
  if (rewrite === undefined || operation === undefined || status >= 300) return body;
  return rewrite({ ...request, ...graphqlRequest, operation, body });
}

/** @throws Error when a request was sent that may not be. */
async function closeHost(server: Server, git: GitHost, faults: readonly string[]): Promise<void> {
  server.close();
  server.closeAllConnections();
  await git.close();
  if (faults.length > 0) throw new Error(`no such request may be sent: ${faults.join('\n')}`);
}

function secretsByName(): Record<TokenName, string> {
  return Object.fromEntries(simulatedTokens.map(({ name, secret }) => [name, secret])) as Record<TokenName, string>;
}
