import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { listRefs } from './ls-refs.ts';
import { gitEnvironment } from './run-git.ts';

/** `unauthorized` results in status 401, which GitHub sends to anonymous callers for private repositories. */
export type ResolvedRepository = { directory: string } | 'not_found' | 'unauthorized' | 'unavailable' | 'unreadable';

/**
 * Returns the bare repository of a path if the bearer of the Authorization header may read it.
 * @param path as in the address, decoded, without the suffix that git adds: `/owner/name.git`.
 */
export type ResolveRepository = (
  path: string,
  authorization: string | undefined,
) => ResolvedRepository | Promise<ResolvedRepository>;

export interface SmartHttpOptions {
  /** True when clients may leave out trees and files, which old servers do not support. Default true. */
  allowFilter?: boolean;
}

const maxHeaderBytes = 16 * 1024;
const uploadPackStep = '/git-upload-pack';
const uploadPackHeaders = { 'content-type': 'application/x-git-upload-pack-result', 'cache-control': 'no-cache' };

/** Serves bare repositories for reading over git's smart HTTP protocol (`man gitprotocol-http`). */
export function smartHttp(
  resolve: ResolveRepository,
  options: SmartHttpOptions = {},
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  return async (request, response) => {
    const gitRequest = parseRequest(request);
    if (gitRequest === undefined) return refuse(response, 404);
    const resolved = await resolve(gitRequest.repository, request.headers.authorization);
    if (resolved === 'not_found') return refuse(response, 404);
    if (resolved === 'unauthorized') return refuse(response, 401);
    if (resolved === 'unavailable') return refuse(response, 503);
    if (resolved === 'unreadable') {
      const service = { 'content-type': 'application/x-git-upload-pack-advertisement' };
      response.writeHead(200, service).end('damaged');
      return;
    }
    const environment = backendEnvironment(request, gitRequest, resolved.directory, options);
    if (gitRequest.step !== uploadPackStep) {
      if (!isCapabilityListing(request)) return listByOldProtocol(response, environment);
      const { headers, body } = await findCapabilities(resolved.directory, options, environment);
      response.writeHead(200, headers).end(body);
      return;
    }
    const body = isRefListing(request) ? await buffer(request) : undefined;
    const refs = body && (await listRefs(resolved.directory, body));
    if (refs !== undefined) {
      response.writeHead(200, uploadPackHeaders).end(refs);
      return;
    }
    const isPacked = request.headers['content-encoding'] === 'gzip';
    await uploadPack(body === undefined ? request : [body], response, {
      isPacked,
      directory: resolved.directory,
      environment,
    });
  };
}

/** Requests of fetches are longer, or compressed. */
const maxRefListingBytes = 1000;

/** Returns whether a request may be the command that lists references. */
function isRefListing({ method, headers }: IncomingMessage): boolean {
  const length = Number(headers['content-length'] ?? Number.NaN);
  const isPlain = headers['content-encoding'] === undefined;
  return method === 'POST' && headers['git-protocol'] === 'version=2' && isPlain && length <= maxRefListingBytes;
}

interface Capabilities {
  headers: Record<string, string>;
  body: Buffer;
}

/**
 * The capabilities of git in protocol 2 by `allowFilter` and the kind of ids. They are the same for every repository, so
 * git lists them once.
 */
const capabilities = new Map<string, Promise<Capabilities>>();

function isCapabilityListing({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers['git-protocol'] === 'version=2';
}

async function findCapabilities(
  directory: string,
  { allowFilter = true }: SmartHttpOptions,
  env: NodeJS.ProcessEnv,
): Promise<Capabilities> {
  const isSha256 = /objectformat = sha256/i.test(await readFile(join(directory, 'config'), 'utf8'));
  const kind = `${allowFilter} ${isSha256}`;
  const found = capabilities.get(kind) ?? readCapabilities(env);
  capabilities.set(kind, found);
  return found;
}

async function readCapabilities(env: NodeJS.ProcessEnv): Promise<Capabilities> {
  const child = spawn('git', ['http-backend'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const output = Buffer.concat(await child.stdout.toArray());
  const end = output.indexOf('\r\n\r\n');
  const headers = output
    .toString('latin1', 0, end)
    .split('\r\n')
    .map((line) => line.split(/: (.*)/s));
  return {
    headers: Object.fromEntries(headers.map(([name = '', value = '']) => [name, value])),
    body: output.subarray(end + 4),
  };
}

interface GitRequest {
  /** The part of the path that names the repository. */
  repository: string;
  /** The suffix that git adds to the path. */
  step: string;
  query: string;
}

/** Returns undefined for a request that is not a step of a fetch. */
function parseRequest({ method, url = '' }: IncomingMessage): GitRequest | undefined {
  const { pathname, search } = new URL(url, 'http://localhost');
  const [, repository, step] = /^(.*)(\/info\/refs|\/git-upload-pack)$/.exec(pathname) ?? [];
  if (repository === undefined || step === undefined) return undefined;
  const isListing = step === '/info/refs' && method === 'GET' && search === '?service=git-upload-pack';
  const isFetch = step === uploadPackStep && method === 'POST' && search === '';
  if (!isListing && !isFetch) return undefined;
  return { repository: decodePath(repository), step, query: search.slice(1) };
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function refuse(response: ServerResponse, status: 401 | 404 | 503): void {
  if (status === 401) response.setHeader('www-authenticate', 'Basic realm="git"');
  response.writeHead(status, { 'content-type': 'text/plain' }).end('The repository cannot be read.\n');
}

/** The environment of a CGI program (RFC 3875, section 4.1), as `git http-backend` reads it. */
function backendEnvironment(
  { method, headers }: IncomingMessage,
  { step, query }: GitRequest,
  directory: string,
  { allowFilter = true }: SmartHttpOptions,
): NodeJS.ProcessEnv {
  return {
    ...gitEnvironment,
    REQUEST_METHOD: method,
    PATH_TRANSLATED: `${directory}${step}`,
    QUERY_STRING: query,
    CONTENT_TYPE: headers['content-type'] ?? '',
    CONTENT_LENGTH: headers['content-length'],
    HTTP_CONTENT_ENCODING: headers['content-encoding'],
    GIT_PROTOCOL: headers['git-protocol']?.toString(),
    GIT_HTTP_EXPORT_ALL: '1',
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'uploadpack.allowFilter',
    GIT_CONFIG_VALUE_0: String(allowFilter),
    GIT_CONFIG_KEY_1: 'safe.directory',
    GIT_CONFIG_VALUE_1: '*',
  };
}

/** Sends the references in the protocols before 2. */
async function listByOldProtocol(response: ServerResponse, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn('git', ['http-backend'], { env, stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  await sendOutput(child, response, () => pipeResponse(child, response));
}

/** Runs `git upload-pack` for a POST request, because `git http-backend` would start two more processes. */
async function uploadPack(
  body: AsyncIterable<Buffer> | Iterable<Buffer>,
  response: ServerResponse,
  { isPacked, directory, environment: env }: { isPacked: boolean; directory: string; environment: NodeJS.ProcessEnv },
): Promise<void> {
  const parameters = ['upload-pack', '--stateless-rpc', '--strict', directory];
  const child = spawn('git', parameters, { env, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  // Git may respond before it has read the whole request, so a failed write is no error.
  const sent = (isPacked ? pipeline(body, createGunzip(), child.stdin) : pipeline(body, child.stdin)).catch(
    () => undefined,
  );
  response.writeHead(200, uploadPackHeaders);
  await sendOutput(child, response, () => pipeline(child.stdout, response));
  await sent;
}

/** Runs `send` until it and the process end. The process ends with the connection at the latest. */
async function sendOutput(child: ChildProcess, response: ServerResponse, send: () => Promise<void>): Promise<void> {
  const end = once(child, 'close');
  response.once('close', () => stopGroup(child));
  try {
    await send();
  } catch {
    response.destroy();
    stopGroup(child);
  }
  await end;
}

/** Kills the backend and every process that it has started. */
function stopGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // All processes of the group have ended.
  }
}

async function pipeResponse(child: ChildProcess, response: ServerResponse): Promise<void> {
  if (child.stdout === null) throw new Error('The backend has no output.');
  const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
  let head = Buffer.alloc(0);
  let end = -1;
  while (end < 0) {
    const { value } = await chunks.next();
    if (value === undefined || head.length > maxHeaderBytes) throw new Error('The backend sent no header.');
    head = Buffer.concat([head, value]);
    end = head.indexOf('\r\n\r\n');
  }
  writeHead(response, head.toString('latin1', 0, end));
  await pipeline(async function* () {
    yield head.subarray(end + 4);
    yield* { [Symbol.asyncIterator]: () => chunks };
  }, response);
}

function writeHead(response: ServerResponse, head: string): void {
  let status = 200;
  for (const line of head.split('\r\n')) {
    const [name = '', value = ''] = line.split(/: (.*)/s);
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else response.setHeader(name, value);
  }
  response.writeHead(status);
}
