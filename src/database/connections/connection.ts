import type { Kysely } from 'kysely';
import type { Client, ClientConfig, Pool } from 'pg';
import type { Tables } from '../tables/tables.ts';
import type { FullDisk } from './unavailable.ts';

/** The connection that a store works on: the pool, or one transaction. */
export type Connection = Kysely<Tables>;

/** A connection with a statement without a response. */
export interface WaitingClient {
  client: Client;
  /** The server's number of its session. */
  pid: number;
  /** The time, as of `performance.now()`, since which nothing has arrived on it. */
  sinceMs: number;
}

export interface ConnectionPool {
  connection: Connection;
  pool: Pool;
  /** Replaces the connections on which nothing has arrived for a time, also those with a running statement. */
  dropSilent(forMs: number): void;
  /** Finds the connections that wait for a response and on which nothing has arrived for a time. */
  findWaiting(forMs: number): WaitingClient[];
  /** Remembers statements of the pool that failed because the disk of the database is full. */
  fullDisk: FullDisk;
  close(): Promise<void>;
}

export interface Database extends ConnectionPool, AsyncDisposable {
  /** Settings for further pools. Behind a pooler, `statement_timeout` is false, and each transaction may have another session. */
  clientConfig: ClientConfig;
  /** Settings for connections whose session lasts: its locks, settings and channels. */
  sessionConfig: ClientConfig;
  /** Settings for connections to a standby of the database; undefined: there is none. */
  replicaConfig: ClientConfig | undefined;
  /** A description of the database for people, without secrets. */
  description: string;
}
