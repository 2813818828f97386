import { sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { type CounterName, counterNames } from '../../model/counters.ts';
import { needsOf } from '../../model/kinds.ts';
import { type CountersOfDay, findHistory } from './counter-store.ts';
import { countStored } from './private-store.ts';
import { contributedBy, toKinds } from './uncollected-store.ts';

/**
 * Finds the counters of a user of which more is stored than the host counts, while repositories are being read again to find
 * the items that were deleted there. After that, items that the host does not count keep nothing incomplete.
 */
export async function findOverstated(connection: Connection, accountId: string): Promise<CounterName[]> {
  const { rows } = await sql<{ kind: string }>`
    with ${contributedBy(accountId)}
    select distinct unnest(s.covers) as kind from streams s join repositories r on r.id = s.repository_id
    where s.repository_id in (select repository_id from contributed)
      and s.full_scan_wanted_at >= coalesce(s.full_scan_at, '-infinity')
      and not r.is_private and not r.is_fork and ${isPresentInSql('r')}`.execute(connection);
  const kinds = toKinds(rows.map(({ kind }) => kind));
  if (kinds.length === 0) return [];
  const names = await findExcess(connection, accountId);
  return names.filter((name) => needsOf(name).some((kind) => kinds.includes(kind)));
}

/** Finds the counters of a user of which more is stored than the host last reported. */
export async function findExcess(connection: Connection, accountId: string): Promise<CounterName[]> {
  const [reported] = await findHistory(connection, accountId, { limit: 1 });
  const { counters: stored } = await countStored(connection, accountId, 'public');
  return reported === undefined ? [] : compareStored(stored, reported);
}

/** Returns the counters of which more is stored than the host reported. Stars are those of a listing, never counted here. */
export function compareStored(stored: Record<CounterName, number>, { counters }: CountersOfDay): CounterName[] {
  return counterNames.filter((name) => {
    const reported = counters[name];
    return name !== 'stars' && reported !== null && stored[name] > reported;
  });
}
