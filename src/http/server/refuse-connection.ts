import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '../../model/errors.ts';
import {
  expectationFailed,
  methodNotAllowed,
  type Problem,
  payloadTooLarge,
  tooSlow,
  toProblem,
} from '../pipeline/problem.ts';

interface Options {
  now: () => Date;
  newRequestId: () => string;
}

/** The option of servers that leaves requests without a host to `problemOfRequest`: Node sends them 400 without a body. */
export const readsWithoutHost = { requireHostHeader: false };

/** The methods of the service, without OPTIONS, which every path has. */
export const methods = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT'];

/** Sends errors in the documented shape to requests that Node refuses by itself, with an empty response or with none. */
export function refuseUnread(server: Server, options: Options): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseConnection(error, socket, options));
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) =>
    refuse(response, expectationFailed(), options),
  );
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => {});
    end(socket, methodNotAllowed(methods), options);
  });
}

/** Sends an error in the documented shape when the bytes of a client are not a readable request. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex, options: Options): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else end(socket, problemOfConnection(error, options.now()), options);
}

/** Returns the problem of a request without a host, which HTTP/1.1 demands (RFC 9112, section 3.2). */
export function problemOfRequest({ httpVersion, headers }: IncomingMessage, now: Date): Problem | undefined {
  if (httpVersion !== '1.1' || headers.host !== undefined) return undefined;
  return toProblem(new AppError('invalid_input', 'The request has no Host header.'), now);
}

/** Sends an error to a request that is not read further. Its body may still arrive, so the connection ends. */
export function refuse(response: ServerResponse, problem: Problem, options: Options): void {
  const body = JSON.stringify(problem.body);
  response.writeHead(problem.status, toHeaders(problem, body, options)).end(body);
}

function end(socket: Duplex, problem: Problem, options: Options): void {
  const body = JSON.stringify(problem.body);
  const headers = Object.entries(toHeaders(problem, body, options)).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${headers.join('')}\r\n${body}`);
}

function toHeaders({ headers }: Problem, body: string, { newRequestId }: Options): Record<string, string> {
  return {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
    'x-request-id': newRequestId(),
    connection: 'close',
  };
}

/** Returns the problem of a request that cannot be read. */
function problemOfConnection({ code }: NodeJS.ErrnoException, now: Date): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return payloadTooLarge('The address and headers are too large.', 431);
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return payloadTooLarge('The body is too large.');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow(now);
  return toProblem(new AppError('invalid_input', 'The request is not well-formed HTTP.'), now);
}
