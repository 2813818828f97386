import { EventEmitter } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client, type ClientConfig, escapeIdentifier, type Notification, type Pool } from 'pg';
import { breakOff, endConnection } from '../connections/pool.ts';
import { transportSettings } from '../connections/session-settings.ts';
import { advisoryLocks } from '../schema/advisory-locks.ts';
import {
  type Announcement,
  channel,
  deleteAnnouncements,
  findPosition,
  keptForS,
  type Position,
  readAnnouncements,
  toAnnouncement,
} from './announcements.ts';

/** Changes that are not announced, such as times of fetches, are in reads from a replica after one to two of these, in s. */
const markEveryS = 1;

type Mark = Pick<Position, 'at' | 'lsn'>;

/** The part of the server's log that reads of this node have to contain. */
export class Progress {
  /** The end of the log when the last change was announced to this node. */
  #changed: number;
  /** Two earlier ends of the log, at least `markEveryS` apart. */
  #marks: readonly [older: Mark, newer: Mark];

  constructor(position: Mark) {
    this.#changed = position.lsn;
    this.#marks = [position, position];
  }

  /** @param isChanged whether changes were announced since the last position, or may have been. */
  add(position: Mark, { isChanged }: { isChanged: boolean }): void {
    if (isChanged) this.#changed = position.lsn;
    const [, newer] = this.#marks;
    if (position.at - newer.at >= markEveryS) this.#marks = [newer, { at: position.at, lsn: position.lsn }];
  }

  get neededLsn(): number {
    return Math.max(this.#changed, this.#marks[0].lsn);
  }
}

/** The channels on which the job runner listens (graphile-worker, src/main.ts). */
const jobChannels = ['jobs:insert', 'worker:migrate'];

/** Emits the notifications that the node's session receives on other channels than its own. */
export type Notifications = EventEmitter<{ notification: [Notification] }>;

/**
 * The part of a connection that a listener uses. This connection never breaks: the node replaces its session when that
 * breaks.
 */
class Listening extends EventEmitter {
  readonly #notifications: Notifications;
  readonly #pass = (notification: Notification): void => void this.emit('notification', notification);

  constructor(notifications: Notifications) {
    super();
    this.#notifications = notifications;
    notifications.on('notification', this.#pass);
  }

  /** The session listens to the channels already. */
  async query(): Promise<void> {}

  end(): void {
    this.#notifications.off('notification', this.#pass);
  }
}

interface Receivers {
  onAnnouncement: (announcement: Announcement) => void;
  /** Called with notifications on the channels of jobs. */
  onNotification: (notification: Notification) => void;
  /** Called when announcements were missed, or are too many. */
  onMissed: () => void;
}

/** Reads the announcements of all nodes over one connection, from the position of its start on. */
export class Follower {
  readonly #client: Client;
  readonly #receivers: Receivers;
  #position: Position;
  /** An earlier position; announcements before it are deleted `keptForS` later, when every node has read them. */
  #earlier: Position;
  readonly #progress: Progress;
  #reading: Promise<void> | undefined;
  #begunAt = 0;
  #next: Promise<void> | undefined;

  static async begin(client: Client, receivers: Receivers): Promise<Follower> {
    client.on('notification', (notification) => {
      if (notification.channel !== channel) return receivers.onNotification(notification);
      const [, kind, key] = /^(\w+) (.+)$/.exec(notification.payload ?? '') ?? [];
      const announcement = toAnnouncement(kind, key);
      if (announcement !== undefined) receivers.onAnnouncement(announcement);
    });
    for (const name of [channel, ...jobChannels]) await client.query(`listen ${escapeIdentifier(name)}`);
    return new Follower(client, receivers, await findPosition(client));
  }

  private constructor(client: Client, receivers: Receivers, position: Position) {
    this.#client = client;
    this.#receivers = receivers;
    this.#position = position;
    this.#earlier = position;
    this.#progress = new Progress(position);
  }

  /** The end of the log, in bytes, up to which a replica must have replayed it so that reads from it are current. */
  get neededLsn(): number {
    return this.#progress.neededLsn;
  }

  get isReading(): boolean {
    return this.#reading !== undefined;
  }

  /** The time at which the last read began, as of `performance.now()`. */
  get begunAt(): number {
    return this.#begunAt;
  }

  /**
   * Reads everything that was announced before the call, and passes it to the receivers. Callers share a read that has not
   * begun.
   * @throws the error of the connection.
   */
  read(): Promise<void> {
    if (this.#reading === undefined) return this.#begin();
    this.#next ??= this.#reading.catch(() => {}).then(() => this.#begin());
    return this.#next;
  }

  #begin(): Promise<void> {
    this.#next = undefined;
    this.#begunAt = performance.now();
    this.#reading = this.#readOnce().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #readOnce(): Promise<void> {
    const { position, count, announcements } = await readAnnouncements(this.#client, this.#position);
    this.#position = position;
    // Before receivers drop cached responses: a replica that lags behind must not fill the cache with the former data again.
    this.#progress.add(position, { isChanged: count > 0 || announcements === undefined });
    if (announcements === undefined) this.#receivers.onMissed();
    else for (const announcement of announcements) this.#receivers.onAnnouncement(announcement);
    if (position.at - this.#earlier.at < keptForS) return;
    const readByAll = this.#earlier;
    this.#earlier = position;
    // The next read shows whether the connection is broken.
    await deleteAnnouncements(this.#client, readByAll).catch(() => {});
  }
}

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

function createNotifications(): Notifications {
  const notifications: Notifications = new EventEmitter();
  // Each kind of workers has a listener, and workers that are ending keep theirs, so any number is no leak.
  notifications.setMaxListeners(0);
  return notifications;
}

/**
 * Returns a pool for the job runner, which takes a connection for each kind of workers to listen on, and keeps it. Here
 * it listens to the session that the node keeps anyway. A pooler would give it sessions that change.
 */
export function poolOfJobs(pool: Pool, notifications: Notifications): Pool {
  const connect = (onConnect?: (error: undefined, client: Listening, release: () => void) => void): unknown => {
    if (onConnect === undefined) return pool.connect();
    const listening = new Listening(notifications);
    onConnect(undefined, listening, () => listening.end());
    return undefined;
  };
  return Object.create(pool, { connect: { value: connect }, query: { value: pool.query.bind(pool) } });
}
