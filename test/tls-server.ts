import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as send } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect, createServer as createPlainServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { linkTo } from './database-link.ts';

const run = promisify(execFile);

export interface Authority {
  /** The path of its certificate. */
  caFile: string;
  /** The certificate of localhost that it issued, and its key: paths. */
  certFile: string;
  keyFile: string;
}

/** Creates a certificate authority that no system knows, and has it issue a certificate for localhost. */
export async function createAuthority(directory: string): Promise<Authority> {
  const path = (name: string): string => join(directory, name);
  const openssl = (...parameters: string[]): Promise<unknown> => run('openssl', parameters, { cwd: directory });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const authority = ['-subj', '/CN=Private authority', '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '3650'];
  await openssl('req', '-x509', ...newKey, ...authority);
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const issued = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-keyout', 'server.key', '-out', 'server.pem', '-days', '3650'];
  await openssl('req', '-x509', ...newKey, ...names, ...issued);
  return { caFile: path('ca.pem'), certFile: path('server.pem'), keyFile: path('server.key') };
}

/** Starts a server of TLS that passes requests on to a server without it. */
export async function startTlsServer(
  { certFile, keyFile }: Authority,
  target: string,
): Promise<AsyncDisposable & { url: string }> {
  const server = createServer({ cert: await readFile(certFile), key: await readFile(keyFile) });
  server.on('request', (request, response) => {
    const { method = 'GET', headers, url = '/' } = request;
    const passed = send(new URL(url, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The first message of a client of PostgreSQL that wants TLS (PostgreSQL manual, section 54.7, SSLRequest). */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/** Starts a server of TLS in front of a test database. It refuses connections without TLS. */
export async function startTlsDatabase(
  { certFile, keyFile }: Authority,
  databaseUrl: string,
): Promise<AsyncDisposable & { url: string }> {
  const certificate = { cert: await readFile(certFile), key: await readFile(keyFile) };
  const link = await linkTo(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createPlainServer((near) => {
    sockets.add(near);
    near.on('error', () => {}).on('close', () => sockets.delete(near));
    near.once('data', (first) => {
      if (!first.equals(sslRequest)) {
        near.destroy();
        return;
      }
      near.write('S');
      const secured = new TLSSocket(near, { isServer: true, ...certificate }).on('error', () => near.destroy());
      const far = connect(link.port, '127.0.0.1').on('error', () => near.destroy());
      secured.pipe(far).pipe(secured);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(link.url);
  url.hostname = 'localhost';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await link[Symbol.asyncDispose]();
    },
  };
}
