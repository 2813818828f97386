import { Client } from 'pg';
import type { DividedTable } from '../../../src/database/tables/divided-tables.ts';
import {
  counterNames,
  ofDays,
  ofPeople,
  type StoredCounter,
  storedCounters,
  sumColumns,
} from '../../../src/model/kinds.ts';

const sums = sumColumns.map((name) => `sum(t.${name})`);
const columns = (counters: readonly StoredCounter[]): string => counters.map(({ name }) => `t.${name}`).join(', ');

/** On a Citus cluster a divided table is read by itself before it is joined with others. */
const all = (table: DividedTable): string => `(select * from ${table} offset 0)`;

/**
 * Queries for all visible data that collecting stores, in a form that does not depend on the time or the number of its
 * runs.
 */
const parts: Record<string, string> = {
  repositories: `
    select r.name, r.deleted_at is null as is_there, array_agg(s.name || ' ' || (s.completed_at is not null) order by s.name)
    from repositories r join streams s on s.repository_id = r.id group by r.id order by r.name`,
  contributions: `
    select r.name, c.kind, c.external_id, c.parent_external_id, a.name as author, b.name as answered_by, c.answered,
      c.created_at, c.closed_at, c.merged_at
    from ${all('contributions')} c join repositories r on r.id = c.repository_id
      left join accounts a on a.id = c.account_id left join accounts b on b.id = c.answered_by
    order by 1, 2, 3`,
  commits: `
    select r.name, encode(c.oid, 'hex') as oid, c.authored_at,
      (select array_agg(i.email || ' ' || coalesce(a.name, '') order by i.email)
        from identities i left join accounts a on a.id = i.account_id where i.id = any(c.identity_ids)) as people
    from ${all('commits')} c join repositories r on r.id = c.repository_id order by 1, 2`,
  totals: `
    select r.name, ${columns(ofPeople(storedCounters))}
    from ${all('repository_totals')} t join repositories r on r.id = t.repository_id order by 1`,
  contributors: `
    select r.name, a.name as contributor, ${columns(ofPeople(storedCounters))}
    from ${all('contributor_totals')} t join repositories r on r.id = t.repository_id join accounts a on a.id = t.account_id
    order by 1, 2`,
  days: `
    select r.name, a.name as contributor, t.day::text, ${columns(ofDays(storedCounters))}
    from ${all('contribution_days')} t join repositories r on r.id = t.repository_id join accounts a on a.id = t.account_id
    order by 1, 2, 3`,
  sums: `
    select a.name, t.is_private, ${sums.join(', ')}
    from owner_sums t join accounts a on a.id = t.owner_id
    group by a.id, t.is_private having ${sums.map((sum) => `${sum} <> 0`).join(' or ')} order by 1, 2`,
  counters: `
    select a.name, ${counterNames.map((name) => `c.${name}`).join(', ')}, c.missing
    from accounts a join counters c on c.account_id = a.id order by 1`,
};

/** @returns the rows of each part, as text. */
export async function snapshot(databaseUrl: string): Promise<Record<string, string[]>> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const taken: Record<string, string[]> = {};
    for (const [name, query] of Object.entries(parts)) {
      const { rows } = await client.query<object>(query);
      // Repositories of two owners may have the same name, and items the same id.
      taken[name] = rows.map((row) => JSON.stringify(row)).toSorted();
    }
    return taken;
  } finally {
    await client.end();
  }
}
