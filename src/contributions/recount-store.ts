import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import { columnOf, columnsOf, contributionsIn, counts, replacing, sumsOf } from './column-store.ts';
import { markAddressesCounted } from './identity-store.ts';
import { contributionKinds, ofDays, ofPeople, type StoredCounter, storedCounters } from './kinds.ts';
import { recountLanguages } from './languages/store.ts';
import { markTotalsChanged } from './total-store.ts';
import { holdRepository, lockTotals } from './write-store.ts';

/**
 * Counts the totals of one repository again, from all its stored contributions. Writes and locks only rows that differ,
 * because others follow the repository meanwhile. Must run in a transaction.
 * @returns how many stored totals differed; expected to be 0 unless all commits had to be counted again.
 */
export async function recountRepository(
  connection: Connection,
  repositoryId: string,
  counters: readonly StoredCounter[] = storedCounters,
): Promise<number> {
  await holdRepository(connection, repositoryId);
  await markAddressesCounted(connection, repositoryId);
  // Transactions that change totals hold this lock, so the statements below see all that they stored.
  await lockTotals(connection, repositoryId);
  await connection.deleteFrom('uncounted_commits').where('repository_id', '=', repositoryId).execute();
  const parts = [
    await recountDays(connection, repositoryId, ofDays(counters)),
    await recountContributors(connection, repositoryId, ofPeople(counters)),
  ];
  const people = [...new Set(parts.flatMap((part) => part.people))];
  if (people.length > 0) {
    await sql`
      select record_changed_contributors(array_fill(${repositoryId}::uuid, array[${people.length}::integer]),
        ${people}::uuid[])`.execute(connection);
  }
  const differences = parts.reduce(
    (sum, part) => sum + part.differences,
    (await recountWhole(connection, repositoryId, counters)) + (await recountLanguages(connection, repositoryId)),
  );
  if (differences > 0) {
    await markTotalsChanged(connection, repositoryId);
    await sql`select mark_unsummed(array[${repositoryId}::uuid])`.execute(connection);
  }
  return differences;
}

/** Rows of totals that differed, and the accounts that they are about. */
interface Differences {
  differences: number;
  people: string[];
}

const none: Differences = { differences: 0, people: [] };

/** SQL for the `Differences` in the rows that were removed and stored. */
const differencesOf = sql`
  select count(*)::integer as differences, coalesce(array_agg(distinct account_id), '{}') as people
  from (select account_id from vanished union all select account_id from saved) changed`;

async function recountDays(
  connection: Connection,
  repositoryId: string,
  counters: readonly StoredCounter[],
): Promise<Differences> {
  const stored = counters.filter(({ kind }) => kind !== 'commit');
  const { rows } = await sql<Differences>`
    with found as (
      select oid, authored_at, identity_ids from commits where repository_id = ${repositoryId}
    ), authored as (
      select distinct c.oid, i.account_id, (c.authored_at at time zone 'UTC')::date as day
      from found c cross join unnest(c.identity_ids) as u (identity_id) join identities i on i.id = u.identity_id
      where i.account_id is not null
    ), counted as (
      select account_id, day, ${each(counters, ({ kind }) => (kind === 'commit' ? sql`count(*)` : sql`0`))}
      from authored group by account_id, day
      union all
      select c.account_id, (c.created_at at time zone 'UTC')::date as day, ${each(counters, numberOf(stored))}
      from contributions c
      where c.repository_id = ${repositoryId} and c.account_id is not null and ${isCountedBy(stored)}
      group by 1, 2
    ), summed as (
      select account_id, day, ${sumsOf(counters)} from counted group by account_id, day
    ), vanished as (
      delete from contribution_days d
      where repository_id = ${repositoryId}
        and not exists (select from summed s where s.account_id = d.account_id and s.day = d.day)
      returning account_id
    ), saved as (
      insert into contribution_days (account_id, repository_id, day, ${columnsOf(counters)})
      select account_id, ${repositoryId}, day, ${columnsOf(counters)}
      from summed s
      where not exists (
        select from contribution_days k
        where k.repository_id = ${repositoryId} and k.account_id = s.account_id and k.day = s.day
          and (${columnsOf(counters, 'k')}) = (${columnsOf(counters, 's')}))
      order by account_id, day
      on conflict (account_id, repository_id, day) do update set ${replacing(counters)}
      returning account_id
    )
    ${differencesOf}`.execute(connection);
  return rows[0] ?? none;
}

/** Counts totals from the days, which must be right by then, and from the contributions that days do not contain. */
async function recountContributors(
  connection: Connection,
  repositoryId: string,
  counters: readonly StoredCounter[],
): Promise<Differences> {
  const ofDay = ofDays(counters);
  const others = Map.groupBy(
    counters.filter((counter) => !ofDay.includes(counter)),
    ({ person = 'account_id' }) => person,
  );
  const countedOthers = [...others].map(
    ([person, some]) => sql`
      union all
      select ${sql.ref(`c.${person}`)}, ${each(counters, numberOf(some))}
      from contributions c
      where c.repository_id = ${repositoryId} and ${sql.ref(`c.${person}`)} is not null and ${isCountedBy(some)}
      group by 1`,
  );
  const { rows } = await sql<Differences>`
    with counted as (
      select account_id, ${each(counters, (counter) => (ofDay.includes(counter) ? sql`sum(${columnOf(counter.name)})` : sql`0`))}
      from contribution_days where repository_id = ${repositoryId} group by account_id
      ${sql.join(countedOthers, sql` `)}
    ), summed as (
      select account_id, ${sumsOf(counters)} from counted group by account_id
    ), marked as (
      insert into unlisted_contributors (transaction_id, repository_id, account_id, added)
      select pg_current_xact_id(), ${repositoryId}, account_id,
        coalesce(${contributionsIn(contributionKinds, 's')}, 0) - coalesce(${contributionsIn(contributionKinds, 'k')}, 0)
      from summed s
      full join (select * from contributor_totals where repository_id = ${repositoryId}) k using (account_id)
      where coalesce(${contributionsIn(contributionKinds, 's')}, 0) <> coalesce(${contributionsIn(contributionKinds, 'k')}, 0)
    ), vanished as (
      delete from contributor_totals
      where repository_id = ${repositoryId} and account_id not in (select account_id from summed)
      returning account_id
    ), saved as (
      insert into contributor_totals (repository_id, account_id, ${columnsOf(counters)})
      select ${repositoryId}::uuid, account_id, ${columnsOf(counters)} from summed s
      where not exists (
        select from contributor_totals k
        where k.repository_id = ${repositoryId} and k.account_id = s.account_id
          and (${columnsOf(counters, 'k')}) = (${columnsOf(counters, 's')}))
      order by account_id
      on conflict (repository_id, account_id) do update set ${replacing(counters)}
      returning account_id
    )
    ${differencesOf}`.execute(connection);
  return rows[0] ?? none;
}

async function recountWhole(
  connection: Connection,
  repositoryId: string,
  counters: readonly StoredCounter[],
): Promise<number> {
  const commits = sql`(select count(*) from commits where repository_id = ${repositoryId})`;
  const { rows } = await sql<{ differences: number }>`
    with counted as (
      select ${each(counters, (counter) => (counter.kind === 'commit' ? commits : sql`count(*) filter (where ${counts(counter)})`))}
      from contributions c where c.repository_id = ${repositoryId}
    ), before as (
      select * from repository_totals where repository_id = ${repositoryId}
    ), differing as (
      select c.* from counted c, before b
      where (${columnsOf(counters, 'c')}) is distinct from (${columnsOf(counters, 'b')})
    ), saved as (
      update repository_totals t set
        ${sql.join(counters.map(({ name }) => sql`${sql.ref(name)} = ${columnOf(name, 'c')}`))}, commits_counted = true
      from counted c
      where t.repository_id = ${repositoryId} and (not t.commits_counted or exists (select from differing))
    )
    select count(*)::integer as differences from differing`.execute(connection);
  return rows[0]?.differences ?? 0;
}

/** Returns a number for each counter, named like its column. */
function each(
  counters: readonly StoredCounter[],
  numberOfEach: (counter: StoredCounter) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql.join(counters.map((counter) => sql`(${numberOfEach(counter)})::integer as ${sql.ref(counter.name)}`));
}

/** Returns the function that counts the contributions of a group for some counters, and nothing for others. */
function numberOf(some: readonly StoredCounter[]): (counter: StoredCounter) => RawBuilder<unknown> {
  return (counter) => (some.includes(counter) ? sql`count(*) filter (where ${counts(counter)})` : sql`0`);
}

/** Returns the condition that the contribution `c` counts for some counters. An index finds its kinds. */
function isCountedBy(some: readonly StoredCounter[]): RawBuilder<boolean> {
  const kinds = [...new Set(some.map(({ kind }) => kind))];
  return sql`c.kind in (${sql.join(kinds)}) and (${sql.join(
    some.map((counter) => sql`(${counts(counter)})`),
    sql` or `,
  )})`;
}
