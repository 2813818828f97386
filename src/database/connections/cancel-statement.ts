import { Client, type ClientConfig } from 'pg';

/** The longest wait for the connection, in ms. */
const timeoutMs = 2000;

/** The parts of the driver that its types leave out (pg, lib/client.js and lib/connection.js). */
declare module 'pg' {
  interface ClientBase {
    /** The process of the server; null until the connection is open, which the types of kysely leave out too. */
    processID: number;
    secretKey: number;
  }
  interface Connection {
    startup: () => void;
    cancel: (processId: number, secretKey: number) => void;
  }
}

/**
 * Requests over a connection of its own that the server cancels the statement that `client` runs; poolers pass this on.
 * A cancellation names a connection, not a statement. So `client` must run no other statement until this resolves:
 * the server closes the connection of the request once it has sent the signal (libpq waits for that too, fe-cancel.c).
 * @returns false when the server may still send the signal, so that `client` must not be used any more.
 */
export async function cancelStatement(client: Client, clientConfig: ClientConfig): Promise<boolean> {
  const { processID, secretKey } = client;
  const canceller = new Client({ ...clientConfig, connectionTimeoutMillis: timeoutMs });
  const { connection } = canceller;
  let isSent = false;
  let hasFailed = false;
  connection.on('error', () => {
    hasFailed = true;
  });
  // The driver's client calls this once the connection is open, and encrypted if the settings want that.
  connection.startup = () => {
    isSent = true;
    connection.cancel(processID, secretKey);
  };
  canceller.on('error', () => {});
  // No session begins, so this always ends in an error.
  await canceller.connect().catch(() => {});
  return isSent && !hasFailed;
}
