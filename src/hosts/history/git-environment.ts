import assert from 'node:assert/strict';
import { devNull } from 'node:os';

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
export const traceDescriptor = 3;

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

// Releases of git before 2.44 ignore GIT_NO_LAZY_FETCH; without an allowed protocol they cannot fetch either.
const offline = { GIT_ALLOW_PROTOCOL: '' };

const online = {
  GIT_ALLOW_PROTOCOL: 'http:https',
  GIT_TRACE_CURL: String(traceDescriptor),
  GIT_TRACE_CURL_NO_DATA: '1',
  GIT_TRACE_REDACT: '1',
};

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
