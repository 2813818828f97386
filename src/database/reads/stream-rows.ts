import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';

const rowsAtOnce = 2000;
/** The longest time, in ms, that a slow reader may take for the rows of one fetch. */
const longestReaderPauseMs = 600_000;

/** Runs `read` on all data as of one moment, also while other processes write. */
export async function* atOneMoment(
  connection: Connection,
  read: (transaction: Connection) => AsyncGenerator<string, void, undefined>,
): AsyncGenerator<string, void, undefined> {
  const transaction = await connection
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute();
  try {
    await sql`set local idle_in_transaction_session_timeout = ${sql.lit(longestReaderPauseMs)}`.execute(transaction);
    await withoutTransactionTimeout(transaction);
    yield* read(transaction);
  } finally {
    await transaction.rollback().execute();
  }
}

/** Ends the limit of a transaction at the server. PostgreSQL 15 and 16 have none. */
export async function withoutTransactionTimeout(transaction: Connection): Promise<void> {
  await sql`
    select set_config(name, '0', true) from pg_settings where name = 'transaction_timeout'`.execute(transaction);
}

/**
 * Streams the rows of a query as lines of JSON, no faster than the caller takes them. Must run within a transaction,
 * one stream at a time.
 * @param query has one column, `row`, which is text.
 */
export async function* streamRows(
  transaction: Connection,
  query: RawBuilder<{ row: string }>,
): AsyncGenerator<string, void, undefined> {
  await sql`declare streamed no scroll cursor for ${query}`.execute(transaction);
  for (;;) {
    const { rows } = await sql<{ row: string }>`
      fetch forward ${sql.lit(rowsAtOnce)} from streamed`.execute(transaction);
    for (const { row } of rows) yield row;
    if (rows.length < rowsAtOnce) break;
  }
  await sql`close streamed`.execute(transaction);
}
