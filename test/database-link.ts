import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** A server of PostgreSQL as a target of connections: the path of its socket, or its host and port. */
export type DatabaseTarget = { path: string } | { host: string; port: number };

/** A proxy between the service and its database that can fall silent, drop all connections, or lead elsewhere. */
export interface DatabaseLink extends AsyncDisposable {
  port: number;
  /** Lets connections stay open without passing anything on: new ones too, or only those that exist. */
  silence(connections: 'all' | 'existing'): void;
  breakOff(): void;
  /** Ends all connections; new ones work again. */
  restore(): void;
  /** Lets new connections lead to another server. */
  connectTo(target: DatabaseTarget): void;
}

export async function startDatabaseLink(first: DatabaseTarget): Promise<DatabaseLink> {
  let target = first;
  const sockets = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  let state: 'whole' | 'silent' | 'broken' = 'whole';
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.on('close', () => sockets.delete(socket)).on('error', () => {});
  };
  const pass = (from: Socket, to: Socket): void => {
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
    keep(near);
    if (state === 'silent') return;
    const far = keep(connect(target));
    pass(near, far);
    pass(far, near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    silence: (connections) => {
      for (const socket of sockets) silent.add(socket);
      if (connections === 'all') state = 'silent';
    },
    breakOff: () => {
      state = 'broken';
      breakAll();
    },
    restore: () => {
      state = 'whole';
      breakAll();
    },
    connectTo: (next) => {
      target = next;
    },
    [Symbol.asyncDispose]: async () => {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Starts a link to a test database. @returns it with the address of the database behind it. */
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
