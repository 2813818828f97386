import type { PoolClient } from 'pg';
import { checkSummed } from '../src/contributions/totals/owner-sum-store.ts';
import type { Connection } from '../src/database/connections/connection.ts';
import { inTransaction } from '../src/database/connections/transaction.ts';
import { fillTable, onFillingSession, whileFilling } from './filling.ts';

/** The size of a stored database. Half of everything belongs to one organization, the rest to many accounts. */
export interface Size {
  /** The number of contributions of issues, pull requests and reviews, and also of commits. */
  contributions: number;
  /** The number of repositories of the organization. The n-th has a share of 1/n of the first one's contributions. */
  repositories: number;
  /** The number of people who contribute to the organization. */
  people: number;
}

const contributionsOfOthers = 1000;
/**
 * The number of accounts that were only looked up. With them, the index of accounts has as many levels in each size up to M:
 * the next one begins at about 53,000 accounts, and would look like growth between two sizes.
 */
const lookedUp = 10_000;
const repositoriesAtOnce = 1000;
/** The name of the organization. */
export const organization = 'large';
/** One person of a hundred has a profile; the others are known as contributors alone. */
const personWithProfile = 100;

/** Fills an empty data directory with an organization and other accounts, with totals as the service counts them. */
export async function fillOrganization(dataDir: string, size: Size): Promise<void> {
  await whileFilling(dataDir, async (database) => {
    const each = (work: (client: PoolClient) => Promise<void>): Promise<void> => onFillingSession(database, work);
    await each(async (client) => {
      await storePeople(client, size);
      await storeRepositories(client, size);
      await placeItems(client, size);
    });
    await Promise.all([
      each((client) => fillTable(client, 'contributions', contributions)),
      each(async (client) => {
        await fillTable(client, 'commits', commits);
        await fillTable(client, 'contribution_days', days);
        await fillTable(client, 'contributor_totals', totalsOfPeople);
        await fillTable(client, 'repository_identities', addresses);
        await fillTable(client, 'repository_totals', totals);
      }),
    ]);
    await each(async (client) => void (await client.query('drop table items, numbered_people')));
    await sumUp(database.connection);
    await each(async (client) => void (await client.query('vacuum analyze')));
  });
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
 * Returns SQL for the id of the n-th account or repository, which grows with n as the service's ids grow with time.
 * @param prefix four hexadecimal digits, others for each table.
 */
function toId(prefix: string): string {
  return `('${prefix}' || lpad(to_hex(n), 8, '0') || '-7000-8000-000000000000')::uuid`;
}

async function storePeople(client: PoolClient, { contributions, people }: Size): Promise<void> {
  const others = Math.ceil(contributions / 2 / contributionsOfOthers);
  await fillTable(
    client,
    'accounts',
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, fetched_at, listed_at, pinned,
       created_at, updated_at)
     select ${toId('0190')}, 'github', case when n = 0 then '${organization}' else n::text end, 'U_' || n,
       case when n = 0 then 'organization' else 'user' end,
       case when n = 0 then '${organization}' else 'person-' || n end, now(),
       case when n % ${personWithProfile} = 0 or n > ${people} then now() end,
       case when n = 0 or n > ${people} then now() end, false, now(), now()
     from generate_series(0, ${people + others + lookedUp}) n`,
  );
  await fillTable(
    client,
    'identities',
    `insert into identities (provider, email, account_id, resolved_at)
     select provider, name || '@example.com', id, now() from accounts where type = 'user'`,
  );
  await client.query(
    `insert into counters (account_id, day, commits, issues, pull_requests, reviews, stars, contributed_to,
       issues_closed, pull_requests_merged, discussions, discussions_answered, missing, updated_at)
     select id, current_date, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, '{}', now() from accounts where fetched_at is not null`,
  );
  await client.query(
    `create unlogged table numbered_people as select a.external_id::integer as place, a.id, i.id as identity_id
     from accounts a join identities i on i.account_id = a.id`,
  );
  await client.query('analyze accounts, identities, numbered_people');
}

async function storeRepositories(client: PoolClient, { contributions, repositories, people }: Size): Promise<void> {
  const others = Math.ceil(contributions / 2 / contributionsOfOthers);
  // The number of a repository is kept as its size, so that other statements find it.
  await client.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, installed_at, size_kib, created_at, updated_at)
     select ${toId('0191')}, 'github', 'r' || n, 'R_' || n, o.id, 'repository-' || n, false, false, now(), now(),
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
  await client.query('analyze repositories');
}

/**
 * Makes the table `items`. Each stands for one contribution, and for one commit of the same person, repository and day. The
 * first half belongs to the organization: the exponent of the number of repositories gives the n-th of them a share of
 * 1/n. Some people contribute far more than others.
 */
async function placeItems(client: PoolClient, { contributions, repositories, people }: Size): Promise<void> {
  // A collection stores one repository after another, each in the order of time, so that a day's rows are neighbours.
  await client.query(
    `create unlogged table items as
     select n, r.id as repository_id, p.id as account_id, p.identity_id,
       now() - days * interval '1 day' - interval '1 hour' as at
     from (
       select n, floor(u * 3650)::integer as days, floor(power(v, 2) * ${people})::integer + 1 as person,
         case when n % 2 = 0 then least(${repositories}, floor(power(${repositories + 1}, u)))::integer
           else ${repositories} + n / 2 / ${contributionsOfOthers} + 1 end as repository
       from (
         select n, ((n::bigint * 7919) % 1000003) / 1000003::float8 as u,
           ((n::bigint * 104729) % 999983) / 999983::float8 as v
         from generate_series(0, ${contributions - 1}) n) random) made
     join repositories r on r.size_kib = made.repository join numbered_people p on p.place = made.person
     order by repository_id, at, account_id, n`,
  );
  await client.query('analyze items');
}

// The statements below store the items, and their sums as the service counts them.

const contributions = `
  insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, closed_at, seen_at)
  select repository_id, case n / 2 % 3 when 0 then 'issue' when 1 then 'pull_request' else 'review' end, n::text,
    account_id, at, at, case when n / 2 % 3 < 2 and n % 4 = 0 then at end, now()
  from items`;

const commits = `
  insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
  select repository_id, decode(md5('commit' || n) || '00000000', 'hex'), at, at, 0, array[identity_id] from items`;

const days = `
  insert into contribution_days (account_id, repository_id, day, commits, issues, pull_requests, reviews)
  select account_id, repository_id, (at at time zone 'UTC')::date, count(*), count(*) filter (where n / 2 % 3 = 0),
    count(*) filter (where n / 2 % 3 = 1), count(*) filter (where n / 2 % 3 = 2)
  from items group by repository_id, at, account_id`;

const totalsOfPeople = `
  insert into contributor_totals (repository_id, account_id, commits, issues, pull_requests, reviews, discussions,
    issues_closed, pull_requests_merged)
  select repository_id, account_id, count(*), count(*) filter (where n / 2 % 3 = 0),
    count(*) filter (where n / 2 % 3 = 1), count(*) filter (where n / 2 % 3 = 2), 0,
    count(*) filter (where n / 2 % 3 = 0 and n % 4 = 0), 0
  from items group by repository_id, account_id`;

const addresses = `
  insert into repository_identities (repository_id, identity_id, is_author, is_counted)
  select t.repository_id, p.identity_id, true, true
  from contributor_totals t join numbered_people p on p.id = t.account_id`;

const totals = `
  insert into repository_totals (repository_id, commits, issues, issues_closed, pull_requests, pull_requests_merged,
    reviews, discussions, discussions_answered, commits_counted)
  select r.id, coalesce(sum(t.commits), 0), coalesce(sum(t.issues), 0), coalesce(sum(t.issues_closed), 0),
    coalesce(sum(t.pull_requests), 0), 0, coalesce(sum(t.reviews), 0), 0, 0, true
  from repositories r left join contributor_totals t on t.repository_id = r.id group by r.id`;
