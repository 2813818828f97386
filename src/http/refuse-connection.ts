import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../errors.ts';
import { type Problem, payloadTooLarge, tooSlow, toProblem } from './problem.ts';

/** Sends an error in the documented shape when the bytes of a client are not a readable request. */
export function refuseConnection(
  error: NodeJS.ErrnoException,
  socket: Socket,
  options: { now: () => Date; newRequestId: () => string },
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = problemOfConnection(error, options.now());
  const body = JSON.stringify(problem.body);
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n` +
      `content-type: application/json; charset=utf-8\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `cache-control: no-store\r\nx-request-id: ${options.newRequestId()}\r\nconnection: close\r\n\r\n${body}`,
  );
}

/** Returns the problem of a request that cannot be read. */
function problemOfConnection({ code }: NodeJS.ErrnoException, now: Date): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return payloadTooLarge('The address and headers are too large.', 431);
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow(now);
  return toProblem(new AppError('invalid_input', 'The request is not well-formed HTTP.'), now);
}
