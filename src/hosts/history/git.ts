import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { devNull } from 'node:os';
import { Readable } from 'node:stream';
import { AppError } from '../../model/errors.ts';

/** The remote that git may connect to, and the credential for it. */
export interface RemoteAccess {
  /** `http:` or `https:`, without user and password. */
  url: string;
  /** Value of the Authorization header. */
  authorization?: string | undefined;
  /** The path of the file with the certificate authorities that git trusts; undefined: those of the system. */
  authorities?: string | undefined;
}

/** The file descriptor that git writes its HTTP headers to, for `CurlTrace`. */
const traceDescriptor = 3;

/** The environment variables that git needs. All others could change how git works, and are not passed on. */
const inherited = [
  'PATH',
  'TMPDIR',
  'http_proxy',
  'https_proxy',
  'HTTPS_PROXY',
  'all_proxy',
  'ALL_PROXY',
  'no_proxy',
  'NO_PROXY',
  'GIT_SSL_CAINFO',
  'GIT_SSL_CAPATH',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/** The time, in s, after which git gives up a remote that sends less than a byte a second. */
const stalledAfterSeconds = 60;

/** The last five keep git's memory, which `startGit` limits, from growing with the cores of the machine. */
const settings: [string, string][] = [
  ['core.hooksPath', devNull],
  ['credential.helper', ''],
  ['fetch.unpackLimit', '1'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['core.bigFileThreshold', '16m'],
  ['core.deltaBaseCacheLimit', '32m'],
  ['pack.deltaCacheSize', '32m'],
  ['pack.threads', '2'],
  ['pack.windowMemory', '64m'],
];

// Releases of git before 2.44 ignore GIT_NO_LAZY_FETCH; without an allowed protocol they cannot fetch either.
const offline = { GIT_ALLOW_PROTOCOL: '' };

const online = {
  GIT_ALLOW_PROTOCOL: 'http:https',
  GIT_TRACE_CURL: String(traceDescriptor),
  GIT_TRACE_CURL_NO_DATA: '1',
  GIT_TRACE_REDACT: '1',
};

/** The status and headers of a remote's response to one request of git. */
interface HttpResponse {
  status: number;
  /** The target of a redirect, as it was sent. */
  location: string | undefined;
  /** The header as it was sent. */
  retryAfter: string | undefined;
  contentType: string | undefined;
}

/** None of the headers that are read is longer. */
const maxLineLength = 8 * 1024;

/**
 * Reads response headers from the output of GIT_TRACE_CURL: git itself reports little about a response, and nothing
 * about the target of a redirect.
 */
class CurlTrace {
  lastResponse: HttpResponse | undefined;
  #rest = '';

  push(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = (lines.pop() ?? '').slice(0, maxLineLength);
    for (const line of lines) this.#readLine(line);
  }

  #readLine(line: string): void {
    const [, header] = /<= Recv header: (.*)$/.exec(line) ?? [];
    if (header === undefined) return;
    const [, status] = /^HTTP\/[\d.]+ (\d{3})/.exec(header) ?? [];
    if (status !== undefined) {
      this.lastResponse = {
        status: Number(status),
        location: undefined,
        retryAfter: undefined,
        contentType: undefined,
      };
    }
    const [, name, value] = /^([\w-]+): (.*)$/.exec(header.trimEnd()) ?? [];
    if (this.lastResponse === undefined || value === undefined) return;
    if (name?.toLowerCase() === 'location') this.lastResponse.location = value;
    if (name?.toLowerCase() === 'retry-after') this.lastResponse.retryAfter = value;
    if (name?.toLowerCase() === 'content-type') this.lastResponse.contentType = value;
  }
}

interface GitOptions {
  signal: AbortSignal;
  /** Without it, git cannot connect to any other machine. */
  remote?: RemoteAccess;
  /** The time, in ms, after which git is killed when the remote has sent no response yet. */
  firstResponseMs?: number;
}

export interface GitEnd {
  /** Null: git was killed. */
  code: number | null;
  /** The end of what git wrote to standard error, in English. */
  complaint: string;
  /** The last response of the remote; undefined when there was none. */
  response: HttpResponse | undefined;
  /** True when git was killed because the remote sent no response in time. */
  isSilent: boolean;
}

interface GitOutcome extends GitEnd {
  output: string;
}

/** The time, in ms, after which a local git process that writes nothing is killed. */
const silenceMs = 120_000;
const versionTimeoutMs = 10_000;
const maxOutputBytes = 1024 * 1024;
const maxComplaintLength = 8 * 1024;
/**
 * The memory of each git process, in MiB. Histories of 1.4 million commits take 150, and 265 while their packs are joined.
 * An object that is no file is held in memory as a whole, and takes no space on the disk when it repeats itself.
 */
export const gitMemoryMiB = 512;
/**
 * Replaces a shell by git after limiting its data: files that git maps do not count. Systems that lack the limit, such as
 * macOS, or have a lower one, go on without it.
 */
const limitedGit = `ulimit -d ${gitMemoryMiB * 1024} 2>/dev/null || :; exec git "$@"`;
/** The status of a shell that does not find a program (POSIX, 2.8.2). */
const notFound = 127;

/** The first release that takes configuration from the environment, which `gitEnvironment` needs. */
const oldestGit = [2, 31] as const;

let isGitFit = false;

/**
 * Checks that there is a usable git.
 * @throws AppError `misconfigured` when git is missing or too old.
 */
export async function requireGit(signal = AbortSignal.timeout(versionTimeoutMs)): Promise<void> {
  if (isGitFit) return;
  await findGit(signal);
  isGitFit = true;
}

/**
 * Returns the version of git, such as `2.39.5`.
 * @throws AppError `misconfigured` when git is missing or too old.
 */
export async function findGit(signal: AbortSignal): Promise<string> {
  const { output } = await runGit(devNull, ['version'], { signal });
  const [, version, major, minor] = /^git version ((\d+)\.(\d+)[\w.]*)/.exec(output) ?? [];
  const isOld = Number(major) < oldestGit[0] || (Number(major) === oldestGit[0] && Number(minor) < oldestGit[1]);
  if (version === undefined || isOld) {
    throw new AppError(
      'misconfigured',
      `Histories are read by git ${oldestGit.join('.')} or later; this one is older.`,
    );
  }
  return version;
}

/**
 * Runs git on a local copy until it ends, with or without an error.
 * @throws the signal's reason when it is aborted; no process is left then.
 */
export async function runGit(
  directory: string,
  parameters: readonly string[],
  options: GitOptions,
): Promise<GitOutcome> {
  const running = startGit(directory, parameters, options);
  const chunks: Buffer[] = [];
  let size = 0;
  running.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxOutputBytes) chunks.push(chunk);
    else running.kill();
  });
  const end = await running.end;
  options.signal.throwIfAborted();
  return { ...end, output: Buffer.concat(chunks).toString('utf8') };
}

/** The error of a git process that failed while its output was read. */
export class GitFailure extends Error {
  constructor(complaint: string) {
    super(complaint);
    this.name = 'GitFailure';
  }
}

/**
 * Runs git on a local copy and yields its output as it comes, no faster than the caller takes it. No process is left,
 * however the reading ends.
 * @throws GitFailure; the signal's reason when it is aborted.
 */
export async function* streamGit(
  directory: string,
  parameters: readonly string[],
  options: { signal: AbortSignal },
): AsyncGenerator<Buffer, void, undefined> {
  const running = startGit(directory, parameters, options);
  const chunks: AsyncIterable<Buffer> = running.stdout;
  let isWaiting = true;
  const watchdog = setTimeout(() => {
    if (isWaiting) running.kill();
  }, silenceMs);
  try {
    for await (const chunk of chunks) {
      isWaiting = false;
      yield chunk;
      isWaiting = true;
      watchdog.refresh();
    }
    const { code, complaint } = await running.end;
    options.signal.throwIfAborted();
    if (code !== 0) throw new GitFailure(complaint);
  } finally {
    clearTimeout(watchdog);
    running.kill();
    await running.end;
  }
}

interface RunningGit {
  stdout: Readable;
  /** Settles when git and every process that it started have ended. */
  end: Promise<GitEnd>;
  kill: () => void;
}

function startGit(directory: string, parameters: readonly string[], options: GitOptions): RunningGit {
  const { signal, remote, firstResponseMs } = options;
  signal.throwIfAborted();
  // Git gets its own process group, so that its helpers can be ended with it.
  const child = spawn('/bin/sh', ['-c', limitedGit, 'git', ...parameters], {
    cwd: '/',
    env: gitEnvironment(directory, remote),
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  let hasEnded = false;
  const kill = (): void => {
    if (!hasEnded) killGroup(child.pid);
  };
  signal.addEventListener('abort', kill, { once: true });
  let complaint = '';
  requireStream(child, 2)
    .setEncoding('utf8')
    .on('data', (text: string) => {
      complaint = (complaint + text).slice(-maxComplaintLength);
    });
  const trace = new CurlTrace();
  requireStream(child, traceDescriptor)
    .setEncoding('latin1')
    .on('data', (text: string) => trace.push(text));
  let isSilent = false;
  const killIfSilent = (): void => {
    isSilent = trace.lastResponse === undefined;
    if (isSilent) kill();
  };
  const patience = firstResponseMs === undefined ? undefined : setTimeout(killIfSilent, firstResponseMs);
  const end = new Promise<GitEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === notFound) reject(noGit());
      else resolve({ code, complaint, response: trace.lastResponse, isSilent });
    });
  }).finally(() => {
    hasEnded = true;
    clearTimeout(patience);
    signal.removeEventListener('abort', kill);
  });
  // A git process that cannot be started rejects `end` before a caller can await it.
  end.catch(() => undefined);
  return { stdout: requireStream(child, 1), end, kill };
}

function requireStream(child: ChildProcess, descriptor: 1 | 2 | 3): Readable {
  const stream = child.stdio[descriptor];
  assert.ok(stream instanceof Readable);
  return stream;
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // No process of the group is left.
  }
}

function noGit(): AppError {
  return new AppError('misconfigured', 'Histories are read by git, and there is no git on the PATH.');
}

/**
 * Returns the whole environment of a git process that works on the bare repository in `directory`: no configuration but
 * this one, no prompt, no helper, no hook. Other users of the machine cannot see the credential anywhere.
 */
export function gitEnvironment(directory: string, remote: RemoteAccess | undefined): NodeJS.ProcessEnv {
  return {
    ...Object.fromEntries(inherited.map((name) => [name, process.env[name]])),
    // Git finds neither ~/.gitconfig nor curl's ~/.netrc here.
    HOME: devNull,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_DIR: directory,
    // Otherwise git writes every commit to a pipe by itself.
    GIT_FLUSH: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
    ...(remote?.authorities !== undefined && { GIT_SSL_CAINFO: remote.authorities }),
    ...(remote === undefined ? offline : online),
    ...configured([...settings, ...(remote === undefined ? [] : remoteSettings(remote))]),
  };
}

function remoteSettings({ url, authorization }: RemoteAccess): [string, string][] {
  const { username, password } = new URL(url);
  assert.ok(username === '' && password === '', 'a credential belongs in the Authorization header');
  assert.ok(authorization === undefined || /^[\x20-\x7e]+$/.test(authorization), 'the header has one printable line');
  const header: [string, string][] =
    authorization === undefined ? [] : [['http.extraHeader', `Authorization: ${authorization}`]];
  return [
    ['remote.origin.url', url],
    // Git would send the header to the target of a redirect, too.
    ['http.followRedirects', 'false'],
    ['http.lowSpeedLimit', '1'],
    ['http.lowSpeedTime', String(stalledAfterSeconds)],
    ...header,
  ];
}

/** Returns environment variables that configure git without a file (`man git-config`, GIT_CONFIG_COUNT). */
function configured(entries: readonly [string, string][]): Record<string, string> {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(entries.length) };
  for (const [index, [key, value]] of entries.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}
