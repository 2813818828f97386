import { recountRepository } from '../../../bench/recount-repository.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { Provider } from '../../../src/hosts/interface/provider.ts';
import { type CheckLimits, type CheckResult, checkTotals } from '../../../src/sync/totals/check-totals.ts';
import { addRepository } from './stored-repository.ts';

/** Stores contributions and commits of some people to a new repository, all counted. @returns its id. */
export async function storeRepository({ connection, pool }: Database, items = 600, people = 20): Promise<string> {
  const id = await addRepository(connection);
  await pool.query(`
    insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
    select gen_random_uuid(), 'github', 'p' || n, '', 'user', 'person-' || n, now(), now(), now()
    from generate_series(1, ${people}) n`);
  await pool.query(
    `insert into contributions (repository_id, kind, external_id, account_id, answered_by, answered, created_at, updated_at,
       closed_at, merged_at, seen_at)
     select $1, (array['issue', 'pull_request', 'review', 'discussion', 'issue_comment', 'star'])[n % 6 + 1], n::text, a.id,
       a.id, n % 6 = 3, at, at, case when n % 2 = 0 then at end, case when n % 3 = 0 then at end, at
     from generate_series(1, ${items}) n cross join lateral (select now() - n * interval '5 hours' as at) t
     join accounts a on a.external_id = 'p' || (n % ${people} + 1)`,
    [id],
  );
  await pool.query(`
    insert into identities (provider, email, account_id)
    select 'github', external_id || '@x.org', id from accounts where external_id like 'p%'`);
  await pool.query(
    `insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
     select $1, decode(md5(n::text), 'hex'), at, at, 1, array[i.id]
     from generate_series(1, ${items / 2}) n cross join lateral (select now() - n * interval '7 hours' as at) t
     join identities i on i.email = 'p' || (n % ${people} + 1) || '@x.org'`,
    [id],
  );
  // Another account of an address has the commits counted again only where the repository names the address.
  await pool.query(
    'insert into repository_identities (repository_id, identity_id, is_author) select $1, id, true from identities',
    [id],
  );
  await inTransaction(connection, (transaction) => recountRepository(transaction, id));
  return id;
}

/** All totals, without the marks of changes and the number of counts. */
export async function findSums({ pool }: Database): Promise<unknown> {
  const { rows } = await pool.query(
    `select (select json_agg(d order by account_id, day) from contribution_days d) as days,
       (select json_agg(t order by account_id) from contributor_totals t) as people,
       (select json_agg(to_jsonb(w) - '{is_changed,countings}'::text[]) from repository_totals w) as whole`,
  );
  return rows;
}

/** Makes some totals of days, a person and the repository wrong: changed, lost and invented ones. @returns how many. */
export async function corruptTotals({ pool }: Database, id: string): Promise<number> {
  await pool.query(
    `update contribution_days set issues = issues + 1 where repository_id = $1 and (account_id, day) in (
       select account_id, day from contribution_days where repository_id = $1 order by account_id, day limit 2)`,
    [id],
  );
  await pool.query(
    `delete from contribution_days where repository_id = $1 and (account_id, day) in (
       select account_id, day from contribution_days where repository_id = $1 order by account_id desc, day limit 1)`,
    [id],
  );
  await pool.query(
    `insert into contribution_days (account_id, repository_id, day, reviews)
     select id, $1, '1999-01-01', 1 from accounts where external_id = 'p1'`,
    [id],
  );
  await pool.query(`update contributor_totals set reviews = reviews + 1
    where account_id = (select id from accounts where external_id = 'p3')`);
  await pool.query('update repository_totals set stars = stars + 1');
  return 6;
}

/**
 * Checks the next part of the totals of a repository, and continues the repair that follows, as its job does.
 * @returns how many of them differed.
 */
export async function check(connection: Connection, id: string, limits: CheckLimits): Promise<number> {
  let { differences, isRepairing } = await checkOnce(connection, id, limits);
  while (isRepairing) {
    const repaired = await checkOnce(connection, id, limits);
    differences += repaired.differences;
    ({ isRepairing } = repaired);
  }
  return differences;
}

/** Checks or repairs the next totals of a repository, as one job does. */
export async function checkOnce(connection: Connection, id: string, limits: CheckLimits): Promise<CheckResult> {
  const owner = await connection.selectFrom('repositories').select('owner_id').executeTakeFirstOrThrow();
  const context = { connection, now: () => new Date(), providers: new Map<string, Provider>() };
  return checkTotals(context, { repositoryId: id, ownerId: owner.owner_id }, new AbortController().signal, limits);
}
