import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import type { Allowance } from '../../../src/database/connections/counts.ts';
import type { Job } from '../../../src/database/queue/added-jobs.ts';
import { claimLookup, type LookupParty, maxDelayed } from '../../../src/database/queue/lookups.ts';

export const minuteMs = 60_000;
export const toJob = (name: string): Job => ({
  task: 'look_up',
  payload: { name },
  key: `look_up ${name}`,
  priority: 0,
});
export const visitor = (...allowances: Allowance[]): LookupParty => ({ isOwner: false, allowances });
export const address = (name = 'address', perHour = 2): Allowance => ({ action: name, perHour });
export const owner: LookupParty = { isOwner: true, allowances: [{ action: 'account', perHour: 2 }] };

/** Claims lookups one after the other. @returns the minutes until each runs: 0 at once; undefined: it was claimed before. */
export async function claimAll(
  connection: Connection,
  names: readonly string[],
  now: Date,
  party?: LookupParty,
): Promise<(number | undefined)[]> {
  const delays: (number | undefined)[] = [];
  for (const name of names) {
    const claim = await claimLookup(connection, toJob(name), now, party);
    if (claim.state === 'delayed') delays.push((claim.until.getTime() - now.getTime()) / minuteMs);
    else delays.push(claim.state === 'claimed' ? 0 : undefined);
  }
  return delays;
}

export interface StoredJob {
  key: string;
  minutes: number;
  payload: unknown;
}

/** Returns the jobs with the whole minutes until each runs. */
export async function jobsIn({ pool }: Database): Promise<StoredJob[]> {
  const { rows } = await pool.query<StoredJob>(
    `select key, round(greatest(0, extract(epoch from run_at - now())) / 60)::integer as minutes, payload
     from graphile_worker._private_jobs order by run_at, key`,
  );
  return rows;
}

export const keysIn = async (database: Database): Promise<string[]> => (await jobsIn(database)).map(({ key }) => key);

export const lookupsIn = async ({ pool }: Database): Promise<Record<string, string>> => {
  const { rows } = await pool.query<{ key: string; state: string }>('select key, state from lookups order by key');
  return Object.fromEntries(rows.map(({ key, state }) => [key, state]));
};

/** Fills the queue of delayed lookups except for a number of places. */
export const fill = ({ pool }: Database, until: Date, free = 0) =>
  pool.query(
    `insert into lookups (key, state, retry_at)
     select 'other ' || n, 'delayed_by_quota', $1 from generate_series(1, $2::integer) as n`,
    [until, maxDelayed - free],
  );
