import { sql } from 'kysely';
import type { Connection } from './connection.ts';

const followEveryMs = 10_000;
/** The smallest step of a clock that is more than the delay of a query, or of a timer. */
const stepMs = 60_000;
/** The time, as an interval, for which a record is made: longer than that until the next reading. */
const recordedAhead = '2 minutes';
/** The rest of that time at which the record is renewed, so that few readings write. */
const renewedBefore = '1 minute';

/** A clock that shows the time of the database, also between two readings of it. */
export interface DatabaseClock {
  now: () => Date;
  close: () => void;
}

/** Reads the clock of the database. */
export async function readClock(connection: Connection): Promise<Date> {
  const { rows } = await sql<{ clock: Date }>`select clock_timestamp() as clock`.execute(connection);
  const [row] = rows;
  if (row === undefined) throw new Error('the database returned no time');
  return row.clock;
}

/**
 * Records in `latest_time`, before a time is used, that it may be stored. The next start compares the record with its own time,
 * and so knows whether any stored time can lie in the future.
 */
async function recordTime(connection: Connection, time: Date): Promise<void> {
  await sql`
    update latest_time set until = ${time}::timestamptz + ${sql.lit(recordedAhead)}::interval
    where until < ${time}::timestamptz + ${sql.lit(renewedBefore)}::interval`.execute(connection);
}

/**
 * Follows the clock of the database, so that everything that the nodes store has one clock. Between two readings time
 * passes as the processor counts it, so that a jump of this machine's clock has no effect.
 * @param options.onStepBack called when the database's clock was set back, so that stored times may lie in the future.
 */
export async function followClock(
  connection: Connection,
  options: { onStepBack: () => void; everyMs?: number; monotonicMs?: () => number },
): Promise<DatabaseClock> {
  const { onStepBack, everyMs = followEveryMs, monotonicMs = () => performance.now() } = options;
  const read = async (): Promise<{ time: number; at: number }> => {
    const before = monotonicMs();
    const time = await readClock(connection);
    const at = (before + monotonicMs()) / 2;
    await recordTime(connection, time);
    return { time: time.getTime(), at };
  };
  let last = await read();
  const now = (): Date => new Date(last.time + monotonicMs() - last.at);
  const follow = async (): Promise<void> => {
    const next = await read();
    const expected = last.time + next.at - last.at;
    last = next;
    if (next.time < expected - stepMs) onStepBack();
  };
  const timer = setInterval(() => {
    // While the database is away, the clock goes on by itself.
    follow().catch(() => {});
  }, everyMs);
  timer.unref();
  return { now, close: () => clearInterval(timer) };
}

/** Returns a function that returns whether this machine's clock was set by a minute or more since its last call. */
export function watchForSteps(wallMs = Date.now, monotonicMs = (): number => performance.now()): () => boolean {
  let offset = wallMs() - monotonicMs();
  return () => {
    const before = offset;
    offset = wallMs() - monotonicMs();
    return Math.abs(offset - before) >= stepMs;
  };
}
