import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, get, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Database } from '../src/database/connections/connection.ts';
import { openDatabase } from '../src/database/connections/open.ts';

const program = fileURLToPath(new URL('../bin/plaudit.js', import.meta.url));
const bareServer = fileURLToPath(import.meta.url);

/** A server in a process of its own. */
export interface ServerProcess extends AsyncDisposable {
  url: string;
  /** Returns the resident memory, in MiB. */
  residentMib(): Promise<number>;
  /** Returns the processor time used so far, in ms. */
  cpuMs(): Promise<number>;
  /** Returns the same for this process and each of its child processes. */
  cpuMsOfEach(): Promise<number[]>;
}

/** A data directory with a database that this process has open too. */
export interface DataDir extends AsyncDisposable {
  dataDir: string;
  database: Database;
}

/**
 * Creates a data directory that exists until it is disposed.
 * @param fill prepares the directory before its database is opened; by default it is empty.
 */
export async function makeDataDir(fill: (dataDir: string) => Promise<void> = async () => {}): Promise<DataDir> {
  const dataDir = await mkdtemp(join(tmpdir(), 'plaudit-bench-'));
  const remove = (): Promise<void> => rm(dataDir, { recursive: true, force: true });
  try {
    await fill(dataDir);
  } catch (error) {
    await remove();
    throw error;
  }
  const database = await openDatabase({ databaseUrl: undefined, dataDir, log: () => {} });
  return {
    dataDir,
    database,
    [Symbol.asyncDispose]: async () => {
      await database.close();
      await remove();
    },
  };
}

/** Starts the service as a process; without a network unless the settings name one. */
export async function startService(settings: Record<string, string>): Promise<ServerProcess> {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const environment = {
    WORKERS: '1',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
    GITHUB_API_URL: 'http://127.0.0.1:9',
  };
  const env = { PATH, NODE_COMPILE_CACHE, ...environment, ...settings };
  return started(spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] }));
}

/**
 * Starts a bare `node:http` server that sends the same bytes and headers to all clients.
 * @param like the URL whose response it sends.
 * @param headers of the request for that response.
 */
export async function startBareServer(like: string, headers: Record<string, string> = {}): Promise<ServerProcess> {
  const args = [bareServer, like, JSON.stringify(headers)];
  return started(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
}

/** Waits until a process says where it listens. */
export async function started(child: ChildProcess): Promise<ServerProcess> {
  if (child.stdout === null) throw new Error('the process has no output');
  const lines = createInterface({ input: child.stdout });
  for await (const line of lines) {
    const url = /listens on (http:\/\/[^\s,]+)/.exec(line)?.[1];
    if (url === undefined) continue;
    child.stdout.resume();
    return {
      url,
      residentMib: () => residentMib(child.pid ?? 0),
      cpuMs: () => cpuMs(child.pid ?? 0),
      cpuMsOfEach: async () => Promise.all([child.pid ?? 0, ...(await findChildren(child.pid ?? 0))].map(cpuMs)),
      [Symbol.asyncDispose]: async () => {
        const end = once(child, 'close');
        child.kill('SIGTERM');
        await end;
      },
    };
  }
  throw new Error('the server did not start');
}

export async function residentMib(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

async function findChildren(pid: number): Promise<number[]> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return children.split(' ').filter(Boolean).map(Number);
}

/** Returns the processor time of a process, in ms; Linux counts it in hundredths of a second. */
async function cpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The fields after the name of the process, which may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Runs the bare server: fetches one response, then sends only that, byte for byte. */
async function serveBare(like: string, requestHeaders: OutgoingHttpHeaders): Promise<void> {
  const [original] = (await once(get(like, { headers: requestHeaders }), 'response')) as [IncomingMessage];
  const body = await buffer(original);
  const headers = Object.fromEntries(
    Object.entries(original.headers).filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)),
  );
  const { 'content-type': _type, 'content-length': _length, ...unchanged } = headers;
  const server = createServer((request, response) => {
    if (request.headers['if-none-match'] === headers['etag']) {
      response.writeHead(304, unchanged);
      response.end();
      return;
    }
    response.writeHead(200, headers);
    response.end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  console.log(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

if (process.argv[1] === bareServer)
  await serveBare(process.argv[2] ?? '', JSON.parse(process.argv[3] ?? '{}') as OutgoingHttpHeaders);
