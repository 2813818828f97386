import type { Server } from 'node:http';
import { Socket } from 'node:net';

/** The interval, in ms, at which a falling number of open connections is reported. */
const reportEveryMs = 20;

/** Serves connections that another process accepted. */
export interface HandedOver {
  /** Serves a connection. There is none when its client has left before it could be handed over. */
  add(socket: unknown): void;
  /** The number of open connections. */
  readonly open: number;
  /** Closes idle connections, and waits until the others have ended. */
  close(): Promise<void>;
}

/**
 * Lets a server that does not listen serve connections. It must not be closed before them.
 * @param onFewer called after connections were closed.
 */
export function serveHandedOver(server: Server, onFewer: () => void = () => {}): HandedOver {
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
      // As the connections that an HTTP server accepts itself.
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
