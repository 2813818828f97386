import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { asListenError, formatUrl } from './listen.ts';

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

/** The most connections that wait for a process to take them over; the server closes further ones. */
const maxWaiting = 10_000;
/** The longest wait, in ms, at a stop for processes to take over the connections that they were handed. */
const handedOverWithinMs = 500;

/**
 * A process that takes over connections. It confirms each one, so that connections which it had not confirmed when it
 * ended can go to another process.
 */
export class Receiver {
  readonly #hand: (socket: Socket, id: number) => void;
  readonly #waiting = new Map<number, Socket>();
  #lastId = 0;
  /** The connections that the process reported as open. */
  open = 0;

  /** @param hand sends a connection to the process; it stays open here until it is confirmed. */
  constructor(hand: (socket: Socket, id: number) => void) {
    this.#hand = hand;
  }

  /** The number of connections that the process has not confirmed. It is greater than 0 while the process is busy. */
  get waiting(): number {
    return this.#waiting.size;
  }

  give(socket: Socket): void {
    this.#lastId += 1;
    this.#waiting.set(this.#lastId, socket);
    this.#hand(socket, this.#lastId);
  }

  /** Notes that the process has taken a connection over. */
  confirm(id: number): void {
    // Closes this process's descriptor alone.
    this.#waiting.get(id)?.destroy();
    this.#waiting.delete(id);
  }

  /** Removes the connections that the process has not confirmed, and returns them. */
  takeBack(): Socket[] {
    const sockets = [...this.#waiting.values()];
    this.#waiting.clear();
    return sockets;
  }
}

/**
 * Listens on the address of the service, and hands each connection to the least busy process. This process reads
 * nothing from a connection, so that another process can still take it over when the first one ends.
 */
export class Entrance {
  readonly url: string;
  readonly #server: Server;
  readonly #receivers = new Set<Receiver>();
  readonly #onNone: (socket: Socket) => void;

  /**
   * @param onNone receives the connections while there is no process to take them over.
   * @throws AppError `misconfigured` that names PORT or HOST when the address cannot be listened on.
   */
  static async open(
    { host, port }: { host: string; port: number },
    onNone: (socket: Socket) => void,
  ): Promise<Entrance> {
    // As http.createServer does.
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true });
    server.maxConnections = maxWaiting;
    try {
      server.listen(port, host);
      await once(server, 'listening');
    } catch (error) {
      throw asListenError('PORT', { host, port }, error);
    }
    return new Entrance(server, formatUrl(host, server.address()), onNone);
  }

  private constructor(server: Server, url: string, onNone: (socket: Socket) => void) {
    this.#server = server;
    this.url = url;
    this.#onNone = onNone;
    server.on('connection', (socket) => {
      socket.on('error', () => {});
      this.#pass(socket);
    });
  }

  add(receiver: Receiver): void {
    this.#receivers.add(receiver);
  }

  /** Hands over no further connections to a process that is about to end. */
  retire(receiver: Receiver): void {
    this.#receivers.delete(receiver);
  }

  /** Hands the connections that an ended process has not confirmed to other processes. */
  remove(receiver: Receiver): void {
    this.retire(receiver);
    for (const socket of receiver.takeBack()) this.#pass(socket);
  }

  /** Stops listening, and waits up to 500 ms for processes to take over the accepted connections. */
  async close(): Promise<void> {
    this.#server.close();
    const deadline = performance.now() + handedOverWithinMs;
    while (performance.now() < deadline && [...this.#receivers].some(({ waiting }) => waiting > 0)) await wait(5);
  }

  #pass(socket: Socket): void {
    let best: Receiver | undefined;
    for (const receiver of this.#receivers) if (best === undefined || isLessBusy(receiver, best)) best = receiver;
    if (best === undefined) this.#onNone(socket);
    else best.give(socket);
  }
}

function isLessBusy(one: Receiver, other: Receiver): boolean {
  if (one.waiting !== other.waiting) return one.waiting < other.waiting;
  return one.open < other.open;
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
