import { sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { type ContributionKind, contributionKinds } from '../../model/contribution.ts';
import { type CounterName, type Counters, counterNames } from '../../model/counters.ts';
import { listNeeds } from '../../model/kinds.ts';
import { contributionsIn, lifetimeSums } from './column-store.ts';
import { sumsInSql, uncollectedKinds } from './owner-sum-store.ts';
import { contributedBy, toKinds } from './uncollected-store.ts';

/** Sums over the stored contributions of an account. */
interface StoredTotals {
  counters: Record<CounterName, number>;
  /** Kinds of contributions to the account's own repositories of which the sums may lack some. */
  uncollected: ContributionKind[];
}

/**
 * Returns the stored contributions of an account to all public or all private repositories, also those of other
 * accounts, and the stars of its own repositories, as of one moment. Nothing in forks counts for an account, but
 * hosts count it in lifetime totals, with which `withForks` compares.
 */
export async function countStored(
  connection: Connection,
  accountId: string,
  visibility: 'public' | 'private',
  { withForks = false }: { withForks?: boolean } = {},
): Promise<StoredTotals> {
  const isPrivate = visibility === 'private';
  const { rows } = await sql<Record<CounterName, number> & { uncollected: string[] | null; owned: number | null }>`
    with ${contributedBy(accountId)}, counted as (
      select r.id from repositories r where r.is_private = ${isPrivate} and ${isPresentInSql('r')}
        and (${withForks}::boolean or not r.is_fork)
    ), owned as materialized (
      select sums.stars, ${uncollectedKinds(visibility)} as uncollected
      from accounts a cross join lateral ${sumsInSql(visibility)} sums where a.id = ${accountId}
    ), summed as (
      select ${lifetimeSums('t', {
        stars: sql`0`,
        contributed_to: sql`count(*) filter (where ${contributionsIn(listNeeds('contributed_to'), 't')} > 0)`,
      })}
      from contributed t where repository_id in (select id from counted)
    )
    select s.*, o.stars as owned, o.uncollected from summed s left join owned o on true`.execute(connection);
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate gave no row');
  const { uncollected, owned, ...counters } = row;
  return { counters: { ...counters, stars: owned ?? 0 }, uncollected: toKinds(uncollected ?? contributionKinds) };
}

/** The lifetime totals of an account that one credential sees. */
interface ReportedTotals {
  credentialName: string;
  counters: Partial<Counters>;
  memory: object | null;
  fetchedAt: Date;
}

/** Finds the totals of an account, except those of withdrawn credentials. */
export async function findReportedTotals(connection: Connection, accountId: string): Promise<ReportedTotals[]> {
  const rows = await connection
    .selectFrom('reported_totals as t')
    .innerJoin('accounts as a', 'a.id', 't.account_id')
    .selectAll('t')
    .where('t.account_id', '=', accountId)
    .where(
      sql<boolean>`not exists (
        select from withdrawn_credentials w where w.provider = a.provider and w.credential_name = t.credential_name)`,
    )
    .execute();
  return rows.map((row) => ({
    credentialName: row.credential_name,
    counters: Object.fromEntries(counterNames.map((name) => [name, row.counters[name] ?? null])),
    memory: row.provider_memory,
    fetchedAt: row.fetched_at,
  }));
}

export async function saveReportedTotals(
  connection: Connection,
  accountId: string,
  seen: ReportedTotals & { missing: readonly CounterName[] },
): Promise<void> {
  const row = {
    counters: JSON.stringify(seen.counters),
    missing: [...seen.missing],
    provider_memory: JSON.stringify(seen.memory),
    fetched_at: seen.fetchedAt,
  };
  await connection
    .insertInto('reported_totals')
    .values({ account_id: accountId, credential_name: seen.credentialName, ...row })
    .onConflict((conflict) => conflict.columns(['account_id', 'credential_name']).doUpdateSet(row))
    .execute();
}

/** Deletes all totals that one credential saw. */
export async function deleteReportedBy(
  connection: Connection,
  provider: string,
  credentialName: string,
): Promise<void> {
  await sql`
    delete from reported_totals s using accounts a
    where a.id = s.account_id and a.provider = ${provider} and s.credential_name = ${credentialName}`.execute(
    connection,
  );
}

/** Deletes the totals of an account that other credentials than `credentialNames` saw. */
export async function deleteReportedTotals(
  connection: Connection,
  accountId: string,
  credentialNames: readonly string[],
): Promise<void> {
  await sql`
    delete from reported_totals where account_id = ${accountId} and credential_name <> all(${credentialNames})`.execute(
    connection,
  );
}

/**
 * Deletes up to `limit` of the totals that a withdrawn credential saw; none once the credential is accepted again.
 * @returns the number of deleted rows.
 */
export async function deleteWithdrawnTotals(
  connection: Connection,
  { provider, credentialName }: { provider: string; credentialName: string },
  limit: number,
): Promise<number> {
  const { rows } = await sql`
    delete from reported_totals t using (
      select s.account_id from reported_totals s join accounts a on a.id = s.account_id
      where s.credential_name = ${credentialName} and a.provider = ${provider}
      limit ${limit} for update of s skip locked) taken
    where t.account_id = taken.account_id and t.credential_name = ${credentialName} and exists (
      select from withdrawn_credentials w where w.provider = ${provider} and w.credential_name = ${credentialName})
    returning 1`.execute(connection);
  return rows.length;
}
