import { sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';

/** The reasons for a delay: the allowance of a visitor, or the quota of a host. */
export const delayReasons = ['allowance', 'quota'] as const;
export type DelayReason = (typeof delayReasons)[number];

/** Lookups that are delayed for the same reason. */
export interface DelayedLookups {
  reason: DelayReason;
  count: number;
  /** The time at which the last of them runs, up to a minute early or late. */
  lastAt: Date;
}

/** Counts the delayed lookups by reason; a reason without any is left out. */
export async function countDelayedLookups(connection: Connection, now: Date): Promise<DelayedLookups[]> {
  const { rows } = await sql<DelayedLookups>`
    select case state when 'delayed_by_quota' then 'quota' else 'allowance' end as reason, count(*) as count,
      max(retry_at) as "lastAt"
    from lookups where state in ('delayed_by_allowance', 'delayed_by_quota') and retry_at > ${now}
    group by state order by state`.execute(connection);
  return rows;
}
