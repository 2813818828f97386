import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Rewrite } from '../host.ts';
import { gitHubSignIn, SignInServer } from '../sign-in.ts';
import { namedAccounts } from '../world/cast.ts';
import { generateWorld, type Size } from '../world/generate.ts';
import type { Repository } from '../world/model.ts';
import type { World } from '../world/world.ts';
import { Api, type LoggedRequest } from './api.ts';
import { App } from './app/app.ts';
import { avatar } from './avatar.ts';
import { type Controlled, control } from './control.ts';
import { Faults } from './faults.ts';
import { GitHost } from './git-host.ts';
import { documentedLimits, type LimitSettings, Limits } from './limits.ts';
import { RefusingOrganizations } from './organization-refusals.ts';
import { authenticate, simulatedTokens, type TokenName } from './tokens.ts';

export interface SimulatorOptions {
  /** Default 1. */
  seed?: number;
  /** Default small. */
  size?: Size;
  /** Overrides the size's number of repositories of the organization. */
  repositories?: number;
  /** Replaces the generated world. */
  world?: World;
  now?: () => Date;
  limits?: Partial<LimitSettings>;
  /** Default: a free port. */
  port?: number;
  /** The number of contributions of heavy accounts that one response may count. Default 90. */
  heavyLimit?: number;
  /** Receives each request to the API before its response. */
  onRequest?: (request: LoggedRequest) => void;
  /** Changes responses after they are checked. */
  rewrite?: Rewrite;
}

/** A simulated GitHub on loopback. */
export interface Simulator extends AsyncDisposable {
  url: string;
  apiUrl: string;
  world: World;
  faults: Faults;
  limits: Limits;
  /** A GitHub App that accounts may install. */
  app: App;
  /** Organizations that refuse credentials, by SAML single sign-on or an IP allow list. */
  refusing: RefusingOrganizations;
  /** Every request to the API, oldest first. */
  requests: LoggedRequest[];
  /** Paths of git's requests, oldest first. */
  gitRequests: string[];
  /** Repositories that git does not serve, though they exist. */
  withoutGit: Set<Repository>;
  /** Repositories that git does not serve just now. */
  gitUnavailable: Set<Repository>;
  /** The authorization server for sign-in. */
  signIn: SignInServer;
  accounts: typeof namedAccounts;
  tokens: Record<TokenName, string>;
  close(): Promise<void>;
}

/**
 * https://docs.github.com/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps
 * Responses have the parameter `iss` since April 2026 (langfuse/langfuse#13091).
 * https://docs.github.com/apps/github-authentication-discovery-endpoints
 */
const signInPaths = { authorize: '/login/oauth/authorize', token: '/login/oauth/access_token' };

export async function startSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const { seed = 1, size = 'small', now = () => new Date(), heavyLimit = 90, repositories } = options;
  const world =
    options.world ?? (await generateWorld({ seed, size, now, ...(repositories !== undefined && { repositories }) }));
  const server = createServer();
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const apiUrl = `${url}/api`;
  const faults = new Faults(seed);
  const limits = new Limits({ ...documentedLimits, ...options.limits }, now);
  const requests: LoggedRequest[] = [];
  const gitRequests: string[] = [];
  const app = new App({ world, origin: url, apiUrl, now, seed });
  const refusing = new RefusingOrganizations(world);
  const onRequest = (request: LoggedRequest): void => {
    requests.push(request);
    options.onRequest?.(request);
  };
  const { rewrite } = options;
  const parts = { world, app, refusing, limits, faults };
  const api = new Api({ ...parts, now, origin: url, apiUrl, heavyLimit, rewrite, onRequest });
  const git = toGitHost(world, app);

  const signIn = new SignInServer(
    { ...gitHubSignIn, url, paths: signInPaths, issuer: `${url}/login/oauth` },
    secretsByName(),
  );
  const handle = handler(url, {
    signIn,
    api,
    git,
    gitRequests,
    controlled: { ...parts, requests },
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    handle(request, response).catch((error: unknown) => reportOwnFault(response, error));
  });
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
    app.deliverer.target = null;
    await app.deliverer.idle();
    await git.close();
  };
  return {
    url,
    apiUrl,
    world,
    faults,
    limits,
    app,
    refusing,
    requests,
    gitRequests,
    withoutGit: git.switchedOff,
    gitUnavailable: git.unavailable,
    signIn,
    accounts: namedAccounts,
    tokens: secretsByName(),
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Serves git to callers that the App or their token gives access to. */
function toGitHost(world: World, app: App): GitHost {
  return new GitHost(world, (authorization) => {
    const caller = app.authenticate(authorization);
    if (caller === undefined) return authenticate(world, authorization);
    return 'refusal' in caller ? undefined : caller;
  });
}

function handler(
  url: string,
  parts: { signIn: SignInServer; api: Api; git: GitHost; gitRequests: string[]; controlled: Controlled },
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const address = new URL(request.url ?? '/', url);
    const { pathname, searchParams } = address;
    if (await parts.signIn.handle(request, response, address)) return;
    if (pathname.startsWith('/api/')) {
      await parts.api.handle(request, response, pathname.slice('/api'.length), searchParams);
    } else if (pathname.startsWith('/avatars/u/')) {
      const id = Number(pathname.slice('/avatars/u/'.length));
      response.writeHead(200, { 'content-type': 'image/png' }).end(avatar(id));
    } else if (pathname.startsWith('/_simulator/')) {
      await control(request, response, pathname, parts.controlled);
    } else {
      parts.gitRequests.push(`${request.method} ${pathname}`);
      await parts.git.handle(request, response);
    }
  };
}

/** Reports a fault of the simulator on stderr, so that no test takes it for a fault of GitHub. */
function reportOwnFault(response: ServerResponse, error: unknown): void {
  process.stderr.write(`simulator: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  if (!response.headersSent) response.writeHead(500);
  response.end(JSON.stringify({ message: String(error) }));
}

function secretsByName(): Record<TokenName, string> {
  return Object.fromEntries(simulatedTokens.map(({ name, secret }) => [name, secret])) as Record<TokenName, string>;
}
