import assert from 'node:assert/strict';
import { request } from 'node:http';
import { connect } from 'node:net';
import type { TestService } from './service.ts';

export interface Raw {
  status: number;
  body: string;
  bytes: Buffer;
  headers: Record<string, string | string[] | undefined>;
}

/** Sends a request without normalizing its path. */
export function send(
  service: TestService,
  path: string,
  method = 'GET',
  headers: Record<string, string> = {},
  body = '',
): Promise<Raw> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        const bytes = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, body: bytes.toString(), bytes, headers: response.headers });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Sends bytes that need not be HTTP, and reads the response until the service closes the connection. */
export function sendBytes(url: string, bytes: string): Promise<Raw> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname, () => socket.write(bytes));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString();
      const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
      const [line = '', ...fields] = head.split('\r\n');
      const headers = Object.fromEntries(fields.map((field) => field.toLowerCase().split(': ', 2)));
      resolve({ status: Number(line.split(' ')[1]), body, bytes: Buffer.from(body), headers });
    });
  });
}

/** Sends a delivery, and asserts that it is stored. @returns whether it is `accepted`, `ignored` or a duplicate. */
export async function sendDelivery(
  service: TestService,
  provider: string,
  { headers, body }: { headers: Record<string, string>; body: string },
): Promise<string> {
  const response = await send(service, `/v1/${provider}/webhooks`, 'POST', headers, body);
  assert.equal(response.status, 202, response.body);
  return (JSON.parse(response.body) as { data: { state: string } }).data.state;
}

/** Asserts that a response is a documented error without internal details. */
export function assertProblem({ status, body, headers }: Raw, title: string): void {
  const parsed = JSON.parse(body) as { error: { code: number; type: string; message: string } };
  assert.deepEqual(Object.keys(parsed), ['error'], title);
  assert.deepEqual(Object.keys(parsed.error).toSorted(), ['code', 'message', 'type'], title);
  assert.ok(Number.isInteger(parsed.error.code) && parsed.error.code <= 10, title);
  assert.match(parsed.error.type, /^[a-z_]+$/);
  assert.ok(parsed.error.message.length > 0 && parsed.error.message.length < 500, title);
  assert.doesNotMatch(parsed.error.message, /\/src\/|node_modules|at .*:\d+:\d+|select .* from/i, title);
  assert.ok(headers['x-request-id'] !== undefined, title);
  assert.ok(status >= 400 && status < 500, `${title}: ${status} ${body}`);
}
