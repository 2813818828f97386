import type { Kysely } from 'kysely';
import type { ClientConfig, Pool } from 'pg';
import type { Tables } from './tables.ts';

/** What a store works on: the pool, or one transaction. */
export type Connection = Kysely<Tables>;

export interface Database {
  connection: Connection;
  pool: Pool;
  /** How to make a connection outside the pool, for what needs one for long. */
  clientConfig: ClientConfig;
  /** For people: which database this is, without secrets. */
  description: string;
  close(): Promise<void>;
}
