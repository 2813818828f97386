import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Recording, recorded, recordings } from './recordings.ts';
import { checkRequest } from './swagger.ts';

/**
 * Answers with what was recorded, and with nothing else: another path, query or identity than was recorded is a fault, and
 * faults fail the test that made them. It never guesses; see `alike` and `concluded` for what follows from recordings.
 */
export interface Replay extends AsyncDisposable {
  url: string;
  apiUrl: string;
  /** Every request, as `IDENTITY PATH`. */
  requests: string[];
}

/** The credential of somebody who asked for the recordings. */
export function secretOf(identity: string): string {
  return `token-of-${identity}`;
}

/** Answers that were not recorded, but follow from those that were, and why. */
const concluded: readonly (Pick<Recording, 'as' | 'path'> & { like: string; body?: unknown; total?: number })[] = [
  // Asked for an organization, the name of a user is unknown as any other.
  ...['alice', 'carol'].map((name) => ({ as: 'anonymous', path: `/orgs/${name}`, like: 'org-missing' })),
  // Issues and pull requests were recorded together; a type shows those of it.
  {
    as: 'anonymous',
    path: '/repos/acme/handbook/issues?state=all&type=pulls&limit=50',
    like: 'issues-and-pulls',
    body: listOf('issues-and-pulls').filter((item) => Object(item).pull_request !== null),
    total: 5,
  },
  // No delivery tells of a review of the pull request that was not wanted.
  { as: 'anonymous', path: '/repos/acme/handbook/pulls/9/reviews', like: 'pull-5-reviews', body: [], total: 0 },
  // Lists of commits begin with the newest of the default branch where nothing else is said, and are cut to 50.
  {
    as: 'anonymous',
    path: '/repos/acme/handbook/commits?sha=b194b91119e3d3303ce8d2b5938974a55358577c&limit=50&stat=false&files=false&verification=false',
    like: 'commits-big-limit',
  },
  // Both tokens are of the same user, and both may read users.
  { as: 'alice-useronly', path: '/user', like: 'whoami-alice' },
];

const answers: readonly Recording[] = [
  ...recordings,
  ...concluded.map(({ as, path, like, body, total }) => {
    const { status, headers, body: said } = recorded(like);
    const count = total === undefined ? {} : { 'x-total-count': String(total) };
    return { name: `like ${like}`, as, path, status, headers: { ...headers, ...count }, body: body ?? said };
  }),
];

export async function startReplay(): Promise<Replay> {
  const faults: string[] = [];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    try {
      reply(request, response, requests);
    } catch (error) {
      faults.push(String(error));
      response.writeHead(418).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    apiUrl: `${url}/api/v1`,
    requests,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      if (faults.length > 0) throw new Error(`what was not recorded was asked for: ${faults.join('; ')}`);
    },
  };
}

function reply(request: IncomingMessage, response: ServerResponse, requests: string[]): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const path = pathname.replace(/^\/api\/v1/, '');
  if (path === pathname) throw new Error(`${pathname} is not below the interface's address`);
  checkRequest(request.method ?? '', path, searchParams);
  const identity = identityOf(request.headers.authorization);
  requests.push(`${identity} ${request.url?.replace('/api/v1', '')}`);
  const answer = find(identity, path, searchParams);
  if (answer === undefined) throw new Error(`${identity} ${path}?${searchParams.toString()}`);
  response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body));
}

function identityOf(authorization: string | undefined): string {
  if (authorization === undefined) return 'anonymous';
  const [, identity] = /^token token-of-([\w-]+)$/.exec(authorization) ?? [];
  return identity ?? 'badtoken';
}

function find(identity: string, path: string, query: URLSearchParams): Recording | undefined {
  return answers.find((answer) => {
    const [recordedPath, recordedQuery] = answer.path.split('?');
    const asked = new URLSearchParams(recordedQuery ?? '');
    if (answer.as !== identity || recordedPath !== path || alike(asked) !== alike(query)) return false;
    return asked.get('limit') === query.get('limit') || isWhole(answer);
  });
}

/** The order of parameters says nothing, and neither does the number of the first page. */
function alike(query: URLSearchParams): string {
  const kept = [...query].filter(([name, value]) => name !== 'limit' && !(name === 'page' && value === '1'));
  const parameters = new URLSearchParams(kept);
  parameters.sort();
  return parameters.toString();
}

/** Whether a list was answered with all that is on it, so that a limit makes no difference. */
function isWhole({ headers, body }: Recording): boolean {
  return Array.isArray(body) && Number(headers['x-total-count']) === body.length;
}

function listOf(name: string): unknown[] {
  const { body } = recorded(name);
  if (!Array.isArray(body)) throw new Error(`${name} is no list`);
  return body;
}
