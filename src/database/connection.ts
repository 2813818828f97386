import type { Kysely } from 'kysely';
import type { ClientConfig, Pool } from 'pg';
import type { Tables } from './tables.ts';

/** The connection that a store works on: the pool, or one transaction. */
export type Connection = Kysely<Tables>;

export interface Database {
  connection: Connection;
  pool: Pool;
  /** Replaces the connections on which nothing has arrived for `forMs`. */
  dropSilent(forMs: number): void;
  /** Settings for further pools. Behind a pooler, `statement_timeout` is false, and each transaction may have another session. */
  clientConfig: ClientConfig;
  /** Settings for connections whose session lasts: its locks, settings and channels. */
  sessionConfig: ClientConfig;
  /** Settings for connections to a standby of the database; undefined: there is none. */
  replicaConfig: ClientConfig | undefined;
  /** A description of the database for people, without secrets. */
  description: string;
  close(): Promise<void>;
}
