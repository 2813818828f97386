import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client, type ClientConfig, type Notification } from 'pg';
import { breakOff, endConnection } from '../connections/pool.ts';
import { transportSettings } from '../connections/session-settings.ts';
import { Follower } from '../replica/follower.ts';
import { advisoryLocks } from '../schema/advisory-locks.ts';
import type { Announcement } from './announcements.ts';
import { createNotifications, type Notifications } from './notifications.ts';

const reconnectDelayMs = { first: 100, most: 5000 };
/** The time between two reads of announcements, in ms, and the time after which one without a result breaks the connection. */
const reads = { everyMs: 100, timeoutMs: 5000 };

/** The `application_name` of connections. */
export const usualApplication = 'plaudit';

export interface Listener {
  /** This node's number, unique among living nodes. */
  node: number;
  notifications: Notifications;
  /** False while the connection is broken, when changes may be missed. */
  isConnected(): boolean;
  /** Returns the time in ms since this node last had contact with the database. */
  sinceContactMs(): number;
  /**
   * Returns the end of the log, in bytes, up to which a replica must have replayed it so that a read from it contains every
   * change that this node knows of; undefined while the connection is broken.
   */
  neededLsn(): number | undefined;
  /** Waits until this node has read every change committed before the call. Returns at once while the connection is broken. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

/** SQL for the numbers of the living nodes, for use in `in (...)`. */
export const livingNodes = sql<number>`
  select objid::bigint::integer from pg_locks
  where locktype = 'advisory' and granted and objsubid = 2 and classid::bigint = ${advisoryLocks.livingNodes}
    and database = (select oid from pg_database where datname = current_database())`;

/** SQL for the names of the living nodes: processes of one node have the same `processGroup`. */
export const livingNodeNames = sql<string>`
  select distinct coalesce(nullif(a.application_name, ${usualApplication}), l.objid::text)
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.granted and l.objsubid = 2 and l.classid::bigint = ${advisoryLocks.livingNodes}
    and l.database = (select oid from pg_database where datname = current_database())`;

/**
 * Holds the one connection over which this node receives changes and shows the others that it lives.
 * @param options.onReset called after a time in which changes may have been missed.
 * @param options.onSilent called when the connection had fallen silent and a new one works, with the time in ms for
 * which other connections are suspect too when nothing has arrived on them.
 */
export async function listen(options: {
  clientConfig: ClientConfig;
  onAnnouncement: (announcement: Announcement) => void;
  onReset: () => void;
  onSilent: (forMs: number) => void;
  /** The common name of the processes of a node; undefined: this is the only one. */
  processGroup?: string | undefined;
  log: (line: string) => void;
}): Promise<Listener> {
  const closing = new AbortController();
  let node: number | undefined;
  let link: Link | undefined;
  let reconnecting: Promise<void> | undefined;
  const contact: Contact = { at: performance.now(), silentSince: undefined };
  const notifications = createNotifications();

  const open = async (): Promise<void> => {
    const fresh = createClient(options.clientConfig, options.processGroup);
    fresh.on('error', () => {});
    fresh.on('end', () => {
      if (link?.client !== fresh) return;
      link = undefined;
      if (!closing.signal.aborted) reconnecting = reconnect();
    });
    try {
      await fresh.connect();
      node = await showLife(fresh, node);
      const { onAnnouncement, onReset: onMissed } = options;
      const onNotification = (sent: Notification): void => void notifications.emit('notification', sent);
      link = { client: fresh, follower: await Follower.begin(fresh, { onAnnouncement, onNotification, onMissed }) };
      contact.at = performance.now();
    } catch (error) {
      await endConnection(fresh);
      throw error;
    }
  };

  const reconnect = async (): Promise<void> => {
    options.log('lost the database connection that carries changes; connecting again');
    for (let delayMs = reconnectDelayMs.first; ; delayMs = Math.min(delayMs * 2, reconnectDelayMs.most)) {
      await wait(delayMs, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return;
      if (!(await succeeds(open()))) continue;
      if (contact.silentSince !== undefined) options.onSilent(performance.now() - contact.silentSince);
      contact.silentSince = undefined;
      return options.onReset();
    }
  };

  await open();
  const stopReading = startReading(() => link, contact);

  return {
    node: node ?? 0,
    notifications,
    isConnected: () => link !== undefined,
    neededLsn: () => link?.follower.neededLsn,
    sinceContactMs: () => performance.now() - contact.at,
    // The server sends pending notifications before the result of the next query.
    catchUp: async () => {
      if (link !== undefined) await read(link, contact);
    },
    close: async () => {
      closing.abort();
      stopReading();
      await reconnecting;
      if (link !== undefined) await endConnection(link.client);
    },
  };
}

function createClient(clientConfig: ClientConfig, processGroup: string | undefined): Client {
  const name = processGroup === undefined ? {} : { application_name: `${usualApplication} ${processGroup}` };
  return new Client({ ...clientConfig, ...name, query_timeout: reads.timeoutMs });
}

/** A working connection. */
interface Link {
  client: Client;
  follower: Follower;
}

/** The contact of this node with the database; times as of `performance.now()`. */
interface Contact {
  /** The time of the last response. */
  at: number;
  /** The time at which a request without a response was sent; undefined while the connection responds. */
  silentSince: number | undefined;
}

/** Reads announcements at intervals. @returns a function that stops it. */
function startReading(current: () => Link | undefined, contact: Contact): () => void {
  const timer = setInterval(() => {
    const link = current();
    if (link !== undefined && !link.follower.isReading) void read(link, contact);
  }, reads.everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Reads the announcements so far, and breaks the connection off when it is silent. */
async function read({ client, follower }: Link, contact: Contact): Promise<void> {
  try {
    await follower.read();
    contact.at = performance.now();
  } catch {
    contact.silentSince ??= follower.begunAt;
    breakOff(client);
  }
}

async function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** Takes the lock that shows that a node lives. @returns the number of the node, a new one where it has none. */
async function showLife(client: Client, known: number | undefined): Promise<number> {
  // The server frees the lock when it notices that the connection has vanished.
  await client.query(transportSettings);
  const node = known ?? (await nextNodeNumber(client));
  // Shared, because the server may still hold the lock of this node's broken connection.
  await client.query('select pg_advisory_lock_shared($1, $2)', [advisoryLocks.livingNodes, node]);
  return node;
}

async function nextNodeNumber(client: Client): Promise<number> {
  const { rows } = await client.query<{ number: number }>("select nextval('node_numbers')::integer as number");
  const number = rows[0]?.number;
  if (number === undefined) throw new Error('the sequence node_numbers returned no number');
  return number;
}
