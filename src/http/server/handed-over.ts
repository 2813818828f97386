import type { Server as HttpServer } from 'node:http';
import { Socket } from 'node:net';

/** The time, in ms, after a connection was closed until `onFewer` is called, once for all that are closed by then. */
const reportEveryMs = 20;

/** Serves connections that another process accepted. */
export interface HandedOver {
  /** Serves a connection. Does nothing for `undefined`, which Node passes when the client has left before. */
  add(socket: unknown): void;
  /** The number of open connections. */
  readonly open: number;
  /** Closes idle connections, and waits until all busy ones have ended. */
  close(): Promise<void>;
}

/**
 * Lets a server that does not listen serve connections. The server must not be closed before its connections.
 * @param onFewer called after the number of open connections has fallen.
 */
export function serveHandedOver(server: HttpServer, onFewer: () => void = () => {}): HandedOver {
  const sockets = new Set<Socket>();
  const drained = Promise.withResolvers<void>();
  let isClosing = false;
  let report: NodeJS.Timeout | undefined;
  // Node enforces its time limits of requests and knows idle connections from this event on (lib/_http_server.js).
  server.emit('listening');
  return {
    get open() {
      return sockets.size;
    },
    add: (socket) => {
      if (!(socket instanceof Socket)) return;
      // An HTTP server sets this for connections that it accepts itself.
      socket.allowHalfOpen = true;
      sockets.add(socket);
      socket.once('close', () => {
        sockets.delete(socket);
        if (isClosing && sockets.size === 0) drained.resolve();
        report ??= setTimeout(() => {
          report = undefined;
          onFewer();
        }, reportEveryMs).unref();
      });
      server.emit('connection', socket);
      socket.resume();
    },
    close: () => {
      isClosing = true;
      if (sockets.size === 0) drained.resolve();
      server.closeIdleConnections();
      return drained.promise;
    },
  };
}
