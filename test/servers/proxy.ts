import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { until } from '../time.ts';
import { type Authority, createAuthority } from '../tls-server.ts';

/** A proxy with TLS in front of a service, by the example in `deploy/proxy/`. */
export interface Proxy extends AsyncDisposable {
  caFile: string;
}

interface Terms {
  directory: string;
  authority: Authority;
  /** The port of the proxy. */
  port: number;
  /** The port of the service. */
  target: number;
  /** The path of the public URL. */
  base: string;
  isStripping: boolean;
}

export const proxies = ['nginx', 'caddy'] as const;

/** Returns the reason for which tests with a proxy are left out; false when they can run. */
export function missingProxy(name: (typeof proxies)[number]): string | false {
  return findProgram(name) === undefined && `${name} is not installed (apt-get install ${name})`;
}

/** Starts a proxy that leaves the path of requests as it is, or strips it. */
export async function startProxy(
  name: (typeof proxies)[number],
  terms: Pick<Terms, 'port' | 'target' | 'base' | 'isStripping'>,
): Promise<Proxy> {
  const program = findProgram(name) ?? '';
  await using stack = new AsyncDisposableStack();
  const { path: directory } = stack.use(await makeTemporaryDirectory());
  const authority = await createAuthority(directory);
  const parameters = await (name === 'nginx' ? writeNginx : writeCaddy)({ ...terms, directory, authority });
  const child = spawn(program, parameters, { env: { HOME: directory }, stdio: 'ignore' });
  stack.defer(() => end(child));
  await until(() => accepts(terms.port), `${name} listens`);
  const opened = stack.move();
  return { caFile: authority.caFile, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

function example(name: string): Promise<string> {
  return readFile(fileURLToPath(new URL(`../../deploy/proxy/${name}`, import.meta.url)), 'utf8');
}

async function writeNginx({ directory, authority, port, target, base, isStripping }: Terms): Promise<string[]> {
  const shipped = await example('nginx.conf');
  const site = shipped
    .replace(/server \{\s+listen 80;[\s\S]*?\n\}\n/, '')
    .replace(/ +listen \[::\].*\n/g, '')
    // The version of Debian 12 does not know the directive, as the file says.
    .replace(/ +#[^\n]*nginx 1\.25\.1[^\n]*\n +http2 on;\n/, '')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port} ssl;`)
    .replace('server 127.0.0.1:8080;', `server 127.0.0.1:${target};`)
    .replace(/ssl_certificate .*;/, `ssl_certificate ${authority.certFile};`)
    .replace(/ssl_certificate_key .*;/, `ssl_certificate_key ${authority.keyFile};`)
    .replace('location / {', `location ${base}/ {`)
    .replace('proxy_pass http://plaudit;', `proxy_pass http://plaudit${isStripping ? '/' : ''};`);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(directory, kind)};`,
  );
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const main = `${user} daemon off; pid ${join(directory, 'pid')}; error_log stderr; events {}`;
  const file = join(directory, 'nginx.conf');
  await writeFile(file, `${main}\nhttp { access_log off; ${folders.join(' ')}\n${site}}\n`);
  return ['-p', directory, '-c', file];
}

async function writeCaddy({ directory, authority, port, target, base, isStripping }: Terms): Promise<string[]> {
  const shipped = await example('Caddyfile');
  const site = shipped
    .replace(
      '{$PLAUDIT_SITE:plaudit.example.org} {',
      `https://localhost:${port} {\n\ttls ${authority.certFile} ${authority.keyFile}`,
    )
    .replace('{$PLAUDIT_UPSTREAM:127.0.0.1:8080}', `127.0.0.1:${target}`)
    .replace('\treverse_proxy ', `\t${isStripping ? 'handle_path' : 'handle'} ${base}* {\n\treverse_proxy `)
    .replace(/\n\}\s*$/, '\n\t}\n}\n');
  const file = join(directory, 'Caddyfile');
  await writeFile(file, `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`);
  return ['run', '--config', file, '--adapter', 'caddyfile'];
}

function findProgram(name: string): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
    .map((folder) => join(folder, name))
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function accepts(port: number): Promise<true | undefined> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
