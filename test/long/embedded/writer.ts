import { Client } from 'pg';
import { openEmbedded } from '../../../src/database/embedded/embedded.ts';

/**
 * A program to kill: opens the server of a data directory, stores one row after another, and prints each number once it
 * is acknowledged. Ends properly on SIGTERM, or at once after opening with the argument `only-open`.
 */
const [dataDir = '', mode] = process.argv.slice(2);
const ending = new AbortController();
process.on('SIGTERM', () => ending.abort());
process.stdout.write('opening\n');
const server = await openEmbedded({ dataDir, log: () => {} });
const client = new Client(server.connection);
await client.connect();
// PostgreSQL fails when two sessions create the same table at the same time, even with `if not exists`.
await client.query(
  `begin; select pg_advisory_xact_lock(1);
   create table if not exists numbers (number bigint generated always as identity primary key); commit`,
);
process.stdout.write('open\n');
while (!ending.signal.aborted) {
  if (mode === 'only-open') break;
  const { rows } = await client.query<{ number: string }>('insert into numbers default values returning number');
  process.stdout.write(`${rows[0]?.number}\n`);
}
await client.end();
await server.release();
