import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** A server of PostgreSQL as a target of connections: the path of its socket, or its host and port. */
export type DatabaseTarget = { path: string } | { host: string; port: number };

/** A proxy between the service and its database that can fall silent, drop all connections, or lead elsewhere. */
export interface DatabaseLink extends AsyncDisposable {
  port: number;
  /** Stops passing data on, while connections stay open: the existing ones alone, or new ones too. */
  silence(connections: 'all' | 'existing'): void;
  refuseConnections(): void;
  /** Ends all connections, and lets new ones work again. */
  acceptConnections(): void;
  /** Connects later clients to another server. */
  connectTo(target: DatabaseTarget): void;
}

export async function startDatabaseLink(firstTarget: DatabaseTarget): Promise<DatabaseLink> {
  let target = firstTarget;
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let state: 'whole' | 'silent' | 'broken' = 'whole';
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  };
  const forward = (from: Socket, to: Socket): void => {
    from.on('data', (chunk) => {
      if (!silent.has(from) && !silent.has(to)) to.write(chunk);
    });
    from.on('close', () => to.destroy());
  };
  const server = createServer((near) => {
    if (state === 'broken') {
      near.destroy();
      return;
    }
    track(near);
    if (state === 'silent') return;
    const far = track(connect(target));
    forward(near, far);
    forward(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const destroySockets = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    silence: (connections) => {
      for (const socket of sockets) silent.add(socket);
      if (connections === 'all') state = 'silent';
    },
    refuseConnections: () => {
      state = 'broken';
      destroySockets();
    },
    acceptConnections: () => {
      state = 'whole';
      destroySockets();
    },
    connectTo: (next) => {
      target = next;
    },
    [Symbol.asyncDispose]: async () => {
      destroySockets();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts a link to a test database. @returns the link, with the address of the database through it. */
export async function linkTo(databaseUrl: string): Promise<DatabaseLink & { url: string }> {
  const { searchParams, hostname, port, pathname, username } = new URL(databaseUrl);
  const directory = searchParams.get('host');
  const target = directory?.startsWith('/')
    ? { path: join(directory, `.s.PGSQL.${searchParams.get('port') ?? '5432'}`) }
    : { host: hostname, port: Number(port || '5432') };
  const link = await startDatabaseLink(target);
  const user = searchParams.get('user') ?? username;
  return Object.assign(link, { url: `postgresql://${user}@127.0.0.1:${link.port}${pathname}` });
}
