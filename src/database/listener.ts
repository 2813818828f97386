import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { Client, type ClientConfig } from 'pg';
import { advisoryLocks } from './advisory-locks.ts';
import type { Connection } from './connection.ts';
import { breakOff } from './pool.ts';

const channel = 'plaudit';
const reconnectDelayMs = { first: 100, most: 5000 };
const heartbeat = { everyMs: 10_000, timeoutMs: 5000 };

/**
 * A message to all nodes: stored data changed, a lookup has an outcome, an account is erased, installations changed, or
 * credentials were withdrawn.
 */
export interface Announcement {
  kind: 'account' | 'lookup' | 'erased' | 'installations' | 'withdrawn';
  /** An account's id, a lookup's key, or a provider's name. */
  key: string;
}

export interface Listener {
  /** This node's number, unique among living nodes. */
  node: number;
  /** False while the connection is broken, when changes may be missed. */
  isConnected(): boolean;
  /** Returns the time in ms since this node last had contact with the database. */
  sinceContactMs(): number;
  /** Waits until this node has received every change that was committed before; not while the connection is broken. */
  catchUp(): Promise<void>;
  close(): Promise<void>;
}

/** Announces a change to every node, once the surrounding transaction commits. */
export async function announce(connection: Connection, { kind, key }: Announcement): Promise<void> {
  await sql`select pg_notify(${channel}, ${`${kind} ${key}`})`.execute(connection);
}

/** SQL for the numbers of the living nodes, for use in `in (...)`. */
export const livingNodes = sql<number>`
  select objid::bigint::integer from pg_locks
  where locktype = 'advisory' and granted and objsubid = 2 and classid::bigint = ${advisoryLocks.livingNodes}
    and database = (select oid from pg_database where datname = current_database())`;

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
  log: (line: string) => void;
}): Promise<Listener> {
  const closing = new AbortController();
  let node: number | undefined;
  let client: Client | undefined;
  let reconnecting: Promise<void> | undefined;
  const contact: Contact = { at: performance.now(), silentSince: undefined };

  const open = async (): Promise<void> => {
    const fresh = new Client({ ...options.clientConfig, query_timeout: heartbeat.timeoutMs });
    fresh.on('error', () => {});
    fresh.on('notification', ({ payload }) => emitAnnouncement(payload, options.onAnnouncement));
    fresh.on('end', () => {
      if (client !== fresh) return;
      client = undefined;
      if (!closing.signal.aborted) reconnecting = reconnect();
    });
    try {
      await fresh.connect();
      node ??= await nextNodeNumber(fresh);
      // Shared, because the server may still hold the lock of this node's broken connection.
      await fresh.query('select pg_advisory_lock_shared($1, $2)', [advisoryLocks.livingNodes, node]);
      await fresh.query(`listen ${channel}`);
      client = fresh;
      contact.at = performance.now();
    } catch (error) {
      await fresh.end().catch(() => {});
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
  const stopPulse = startPulse(() => client, contact);

  return {
    node: node ?? 0,
    isConnected: () => client !== undefined,
    sinceContactMs: () => performance.now() - contact.at,
    // The server sends pending notifications before the result of the next query.
    catchUp: async () => {
      await client?.query('select 1').catch(() => {});
    },
    close: async () => {
      closing.abort();
      stopPulse();
      await reconnecting;
      await client?.end().catch(() => {});
    },
  };
}

/** The contact of this node with the database; times as of `performance.now()`. */
interface Contact {
  /** The time of the last response. */
  at: number;
  /** The time at which a request without a response was sent; undefined while the connection responds. */
  silentSince: number | undefined;
}

/** Checks the connection at intervals, and breaks it off when it is silent. @returns a function that ends it. */
function startPulse(current: () => Client | undefined, contact: Contact): () => void {
  const pulse = setInterval(() => {
    const client = current();
    const sentAt = performance.now();
    client?.query('select 1').then(
      () => {
        contact.at = performance.now();
      },
      () => {
        contact.silentSince = sentAt;
        breakOff(client);
      },
    );
  }, heartbeat.everyMs);
  pulse.unref();
  return () => clearInterval(pulse);
}

async function succeeds(work: Promise<void>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

async function nextNodeNumber(client: Client): Promise<number> {
  const { rows } = await client.query<{ number: number }>("select nextval('node_numbers')::integer as number");
  const number = rows[0]?.number;
  if (number === undefined) throw new Error('the sequence of node numbers gave none');
  return number;
}

function emitAnnouncement(payload: string | undefined, onAnnouncement: (announcement: Announcement) => void): void {
  const [, kind, key] = /^(\w+) (.+)$/.exec(payload ?? '') ?? [];
  // Nodes of newer releases may announce kinds that this one does not know.
  const known = (['account', 'lookup', 'erased', 'installations', 'withdrawn'] as const).find((one) => one === kind);
  if (known !== undefined && key !== undefined) onAnnouncement({ kind: known, key });
}
