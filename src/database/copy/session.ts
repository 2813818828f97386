import { Client, type ClientConfig } from 'pg';
import { breakOff, endConnection } from '../connections/pool.ts';
import { transportSettings } from '../connections/session-settings.ts';
import { noTimeLimits } from '../migrations/migrating-session.ts';

/** Settings of the text format of COPY, which replace those of a role or database. */
const textFormat = `set client_encoding = 'UTF8'; set datestyle = 'ISO'`;

/** A connection of its own for COPY. */
export interface CopySession extends AsyncDisposable {
  client: Client;
}

/**
 * Opens a connection without time limits, outside of the pool. Closing it rolls back an open transaction.
 * @param signal breaks the connection off.
 */
export async function openSession(clientConfig: ClientConfig, signal: AbortSignal): Promise<CopySession> {
  signal.throwIfAborted();
  const client = new Client({ ...clientConfig, statement_timeout: 0, query_timeout: 0 });
  client.on('error', () => {});
  await client.connect();
  const end = (): void => breakOff(client);
  signal.addEventListener('abort', end);
  const dispose = async (): Promise<void> => {
    signal.removeEventListener('abort', end);
    await endConnection(client);
  };
  try {
    // The signal may have been aborted while the connection was opened.
    signal.throwIfAborted();
    await client.query(`${noTimeLimits}; ${transportSettings}; ${textFormat}`);
  } catch (error) {
    await dispose();
    throw error;
  }
  return { client, [Symbol.asyncDispose]: dispose };
}
