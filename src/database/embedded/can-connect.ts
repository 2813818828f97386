import { Client, type ClientConfig } from 'pg';

const connectTimeoutMs = 5000;

/** Returns whether the server accepts connections; false while it starts, recovers or stops. */
export async function canConnect(connection: ClientConfig): Promise<boolean> {
  const client = new Client({ ...connection, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => {});
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}
