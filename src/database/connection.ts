import type { Kysely } from 'kysely';
import type { ClientConfig, Pool } from 'pg';
import type { Tables } from './tables.ts';

/** The connection that a store works on: the pool, or one transaction. */
export type Connection = Kysely<Tables>;

export interface Database {
  connection: Connection;
  pool: Pool;
  /** Replaces the connections on which nothing has arrived for a time. */
  dropSilent(forMs: number): void;
  /** Settings for a connection outside the pool, for code that needs one for long. */
  clientConfig: ClientConfig;
  /** A description of the database for people, without secrets. */
  description: string;
  close(): Promise<void>;
}
