import type { Pool, PoolClient } from 'pg';
import { checkSummed } from '../src/contributions/owner-sum-store.ts';
import type { Connection, Database } from '../src/database/connection.ts';
import { inTransaction } from '../src/database/transaction.ts';
import { onFillingSession, whileFilling, withoutIndexes } from './filling.ts';
import { recountRepository } from './recount-repository.ts';

/** The size of a stored database. Half of everything belongs to one organization, the rest to many accounts. */
export interface Size {
  /** The number of contributions of issues, pull requests and reviews, and also of commits. */
  contributions: number;
  /** The number of repositories of the organization. The n-th has a share of 1/n of the first one's contributions. */
  repositories: number;
  /** The number of people who contribute to the organization. */
  people: number;
}

/** Names and ids of what measurements use. */
export interface StoredOrganization {
  name: string;
  id: string;
  largestRepository: { id: string; name: string };
  /** A public repository to which many of the people contributed, but not the largest. */
  otherRepository: { id: string; name: string };
  /** A repository of another account. */
  repositoryOfUser: { id: string; ownerId: string };
  /** People who contribute to the organization and whose profiles are stored, in no order. */
  people: { id: string; name: string }[];
}

const contributionsOfOthers = 1000;
const rowsOfInsert = 500_000;
const repositoriesAtOnce = 1000;
const organization = 'large';
/** One person of a hundred has a profile; the others are known as contributors alone. */
const personWithProfile = 100;

/** Stores an organization and other accounts, with totals as the service counts them. */
export async function storeOrganization({ connection, pool }: Database, size: Size): Promise<StoredOrganization> {
  await whileFilling(pool, async () => {
    const each = (work: (client: PoolClient) => Promise<void>): Promise<void> => onFillingSession(pool, work);
    await each(async (client) => {
      await storePeople(client, size);
      await storeRepositories(client, size);
    });
    await Promise.all([
      each((client) => withoutIndexes(client, 'contributions', () => storeContributions(client, size))),
      each((client) => withoutIndexes(client, 'commits', () => storeCommits(client, size))),
    ]);
    await each(async (client) => {
      await withoutIndexes(client, 'contribution_days', () => storeDays(client));
      await withoutIndexes(client, 'contributor_totals', () => storeTotals(client));
      await withoutIndexes(client, 'repository_identities', () => storeAddresses(client));
      await client.query('drop table numbered, numbered_people');
    });
    await sumUp(connection);
    await each(async (client) => void (await client.query('vacuum analyze')));
  });
  return findStored(pool);
}

/** Makes the sums of all owners by the service's own check. */
async function sumUp(connection: Connection): Promise<void> {
  for (let after: string | undefined; ; ) {
    const position = { after, limit: repositoriesAtOnce };
    const { last } = await inTransaction(connection, (transaction) => checkSummed(transaction, position));
    if (last === undefined) return;
    after = last;
  }
}

/**
 * Counts repositories of the organization again by the service's own recount.
 * @returns how many stored totals differed.
 */
export async function recountSome({ connection, pool }: Database, limit: number): Promise<number> {
  const { rows } = await pool.query<{ id: string }>('select id from repositories order by size_kib limit $1', [limit]);
  let differences = 0;
  for (const { id } of rows) {
    differences += await inTransaction(connection, (transaction) => recountRepository(transaction, id));
  }
  return differences;
}

async function storePeople(client: PoolClient, { contributions, people }: Size): Promise<void> {
  const others = Math.ceil(contributions / 2 / contributionsOfOthers);
  await client.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, fetched_at, listed_at, pinned,
       created_at, updated_at)
     select gen_random_uuid(), 'github', case when n = 0 then $4::text else n::text end, 'U_' || n,
       case when n = 0 then 'organization' else 'user' end, case when n = 0 then $4::text else 'person-' || n end, now(),
       case when n % $3::integer = 0 or n > $1 then now() end, case when n = 0 or n > $1 then now() end, false, now(), now()
     from generate_series(0, $1::integer + $2::integer) n`,
    [people, others, personWithProfile, organization],
  );
  await client.query(
    `insert into counters (account_id, day, commits, issues, pull_requests, reviews, stars, contributed_to,
       issues_closed, pull_requests_merged, discussions, discussions_answered, missing, updated_at)
     select id, current_date, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, '{}', now() from accounts where fetched_at is not null`,
  );
  await client.query(
    `insert into identities (provider, email, account_id, resolved_at)
     select provider, name || '@example.com', id, now() from accounts where type = 'user'`,
  );
  await client.query(
    `create unlogged table numbered_people as select a.external_id::integer as place, a.id, i.id as identity_id
     from accounts a join identities i on i.account_id = a.id where a.name like 'person-%'`,
  );
  await client.query('analyze accounts, identities, numbered_people');
}

async function storeRepositories(client: PoolClient, { contributions, repositories, people }: Size): Promise<void> {
  const others = Math.ceil(contributions / 2 / contributionsOfOthers);
  // The number of a repository is kept as its size, so that the statements below find it.
  await client.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, installed_at, size_kib, created_at, updated_at)
     select gen_random_uuid(), 'github', 'r' || n, 'R_' || n, o.id, 'repository-' || n, false, false, now(), now(),
       now(), n, now(), now()
     from generate_series(1, $1::integer + $2::integer) n
     join accounts o on o.provider = 'github'
       and o.external_id = case when n <= $1 then $4::text else ($3::integer + n - $1::integer)::text end`,
    [repositories, others, people, organization],
  );
  await client.query(
    `insert into streams (repository_id, name, covers, known_until, completed_at, full_scan_at, is_deep)
     select r.id, s.name, s.covers, now(), now(), now(), true from repositories r cross join (values
       ('issues', '{issue}'::text[]), ('pull_requests', '{pull_request,review}'), ('discussions', '{discussion}'),
       ('commits', '{commit}')) as s (name, covers)`,
  );
  await client.query('create unlogged table numbered as select id, size_kib::integer as place from repositories');
  await client.query('analyze numbered');
}

/**
 * SQL for the repository and the person of the n-th item. The first half belongs to the organization: the exponent of
 * the number of repositories gives the n-th of them a share of 1/n. Some people contribute far more than others.
 */
const place = `
  cross join lateral (select ((n::bigint * 7919) % 1000003) / 1000003::float8 as u, ((n::bigint * 104729) % 999983) / 999983::float8 as v) random
  cross join lateral (select
    case when n % 2 = 0 then least($3::integer, floor(power($3::integer + 1, u)))::integer else $3::integer + n / 2 / ${contributionsOfOthers} + 1 end as repository,
    least($4::integer, floor(power(v, 2) * $4::integer) + 1)::integer as person,
    now() - floor(u * 3650) * interval '1 day' - interval '1 hour' as at) made
  join numbered r on r.place = made.repository join numbered_people p on p.place = made.person`;

/** A collection stores one repository after another, each in the order of time, so that a day's rows are neighbours. */
const collectedOrder = 'order by r.place, at';

async function storeContributions(client: PoolClient, { contributions, repositories, people }: Size): Promise<void> {
  for (let first = 0; first < contributions; first += rowsOfInsert) {
    await client.query(
      `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, closed_at, seen_at)
       select r.id, case n / 2 % 3 when 0 then 'issue' when 1 then 'pull_request' else 'review' end, n::text, p.id, at, at,
         case when n / 2 % 3 < 2 and n % 4 = 0 then at end, now()
       from generate_series($1::integer, $2::integer) n ${place} ${collectedOrder}`,
      [first, Math.min(first + rowsOfInsert, contributions) - 1, repositories, people],
    );
  }
}

async function storeCommits(client: PoolClient, { contributions, repositories, people }: Size): Promise<void> {
  for (let first = 0; first < contributions; first += rowsOfInsert) {
    await client.query(
      `insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
       select r.id, decode(md5('commit' || n) || '00000000', 'hex'), at, at, 0, array[p.identity_id]
       from generate_series($1::integer, $2::integer) n ${place} ${collectedOrder}`,
      [first, Math.min(first + rowsOfInsert, contributions) - 1, repositories, people],
    );
  }
}

async function storeAddresses(client: PoolClient): Promise<void> {
  await client.query(
    `insert into repository_identities (repository_id, identity_id, is_author, is_counted)
     select distinct repository_id, identity_ids[1], true, true from commits`,
  );
}

/** Sums the stored contributions as the service would have, for all repositories at once. */
async function storeDays(client: PoolClient): Promise<void> {
  await client.query(
    `insert into contribution_days (account_id, repository_id, day, commits, issues, pull_requests, reviews)
     select account_id, repository_id, day, sum(commits), sum(issues), sum(pull_requests), sum(reviews)
     from (
       select i.account_id, c.repository_id, (c.authored_at at time zone 'UTC')::date as day, count(*) as commits,
         0 as issues, 0 as pull_requests, 0 as reviews
       from commits c join identities i on i.id = c.identity_ids[1] group by 1, 2, 3
       union all
       select account_id, repository_id, (created_at at time zone 'UTC')::date, 0, count(*) filter (where kind = 'issue'),
         count(*) filter (where kind = 'pull_request'), count(*) filter (where kind = 'review')
       from contributions group by 1, 2, 3) counted
     group by 1, 2, 3`,
  );
}

async function storeTotals(client: PoolClient): Promise<void> {
  await client.query(
    `insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions,
       issues_closed, pull_requests_merged)
     select d.repository_id, d.account_id, d.commits, d.issues, d.pull_requests, d.reviews, 0,
       coalesce(c.issues_closed, 0), 0
     from (
       select repository_id, account_id, sum(commits) as commits, sum(issues) as issues,
         sum(pull_requests) as pull_requests, sum(reviews) as reviews
       from contribution_days group by 1, 2) d
     left join (
       select repository_id, account_id, count(*) as issues_closed from contributions
       where kind = 'issue' and closed_at is not null group by 1, 2) c using (repository_id, account_id)`,
  );
  await client.query(
    `insert into repository_totals (repository_id, commits, issues, issues_closed, pull_requests, pull_requests_merged,
       reviews, discussions, discussions_answered, commits_counted)
     select r.id, coalesce(sum(t.commits), 0), coalesce(sum(t.issues), 0), coalesce(sum(t.issues_closed), 0),
       coalesce(sum(t.pull_requests), 0), 0, coalesce(sum(t.reviews), 0), 0, 0, true
     from repositories r left join contributor_totals t on t.repository_id = r.id group by r.id`,
  );
}

/** Finds what measurements use in a database that `storeOrganization` filled. */
export async function findStored(pool: Pool): Promise<StoredOrganization> {
  const { rows: owners } = await pool.query<{ id: string }>('select id from accounts where name = $1', [organization]);
  const { rows: repositories } = await pool.query<{ id: string; name: string }>(
    'select id, name from repositories order by size_kib limit 2',
  );
  const { rows: others } = await pool.query<{ id: string; ownerId: string }>(
    'select id, owner_id as "ownerId" from repositories order by size_kib desc limit 1',
  );
  const { rows: people } = await pool.query<{ id: string; name: string }>(
    `select a.id, a.name from accounts a
     where a.type = 'user' and a.fetched_at is not null
       and exists (select from contributor_totals t where t.account_id = a.id) order by a.name limit 50`,
  );
  const [largestRepository, otherRepository] = repositories;
  const [owner] = owners;
  const [repositoryOfUser] = others;
  if (!owner || !largestRepository || !otherRepository || !repositoryOfUser || !people.length)
    throw new Error('the organization was not stored');
  return { name: organization, id: owner.id, largestRepository, otherRepository, repositoryOfUser, people };
}

/** Numbers of contributions and commits. */
export interface Amounts {
  people: readonly number[];
  repository: number;
}

/** People and a repository that costs which follow an amount are measured with, so that only the rest is larger. */
export interface Typical {
  people: { id: string }[];
  repository: { id: string };
  amounts: Amounts;
}

/** The place of the repository that is measured at the smaller size, among those of the organization. */
const typicalPlace = 20;
const typicalPeople = 5;

/**
 * Finds people and a repository of the organization.
 * @param amounts those of the found ones are next to these; by default, the people have most.
 */
export async function findTypical(pool: Pool, amounts?: Amounts): Promise<Typical> {
  const { rows: people } = await pool.query<{ id: string; amount: number }>(
    `select a.id, sum(t.commits + t.issues + t.pull_requests + t.reviews)::integer as amount
     from accounts a join contributor_totals t on t.account_id = a.id
     where a.type = 'user' and a.fetched_at is not null group by a.id order by amount desc, a.id`,
  );
  const { rows: repositories } = await pool.query<{ id: string; amount: number }>(
    `select r.id, t.commits + t.issues + t.pull_requests + t.reviews as amount
     from repositories r join repository_totals t on t.repository_id = r.id join accounts o on o.id = r.owner_id
     where o.name = $1 and r.size_kib > 2 order by r.size_kib`,
    [organization],
  );
  const left = new Set(people);
  const found = (amounts?.people ?? people.slice(0, typicalPeople).map(({ amount }) => amount)).map((amount) => {
    const nearest = nearestTo([...left], amount);
    left.delete(nearest);
    return nearest;
  });
  const place = Math.min(typicalPlace, repositories.length) - 1;
  const repository = nearestTo(repositories, amounts?.repository ?? repositories[place]?.amount ?? 0);
  return {
    people: found,
    repository,
    amounts: { people: found.map(({ amount }) => amount), repository: repository.amount },
  };
}

function nearestTo<Item extends { amount: number }>(items: readonly Item[], amount: number): Item {
  const [first, ...rest] = items;
  if (first === undefined) throw new Error('there is nothing to choose from');
  const distance = (item: Item): number => Math.abs(item.amount - amount);
  return rest.reduce((best, item) => (distance(item) < distance(best) ? item : best), first);
}
