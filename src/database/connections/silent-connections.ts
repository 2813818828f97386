import type { Client, Pool } from 'pg';
import { repeatEvery } from '../queue/interval.ts';
import type { ConnectionPool, WaitingClient } from './connection.ts';
import { breakOff } from './pool.ts';

const lookEveryMs = 5000;

/**
 * Breaks off connections of a pool over which responses no longer arrive, though no packet says so. A statement of a job may take
 * minutes, so the server says whether it still works on it. A connection is broken off when the server did not at two
 * looks, because at one look the response may be on its way.
 * @param look the connections over which the server says so.
 * @returns a function that stops it.
 */
export function breakOffSilent(
  pool: Pick<ConnectionPool, 'findWaiting'>,
  look: Pool,
  everyMs: number = lookEveryMs,
): () => void {
  let suspects = new Map<Client, number>();
  return repeatEvery(everyMs, async () => {
    const waiting = pool.findWaiting(everyMs);
    try {
      const found = waiting.length === 0 ? [] : await findUnanswered(look, waiting);
      for (const { client, sinceMs } of found) if (suspects.get(client) === sinceMs) breakOff(client);
      suspects = new Map(found.map(({ client, sinceMs }) => [client, sinceMs]));
    } catch {
      // The database is away: the listener notices that.
      suspects.clear();
    }
  });
}

/** Finds the connections on which the server runs no statement, or cannot send the result of one. */
async function findUnanswered(look: Pool, waiting: readonly WaitingClient[]): Promise<WaitingClient[]> {
  const { rows } = await look.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where pid = any($1::int[]) and state = 'active' and wait_event is distinct from 'ClientWrite'`,
    [waiting.map(({ pid }) => pid)],
  );
  const working = new Set(rows.map(({ pid }) => pid));
  return waiting.filter(({ pid }) => !working.has(pid));
}
