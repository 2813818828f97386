import type { Pool } from 'pg';
import type { Database } from '../src/database/connections/connection.ts';
import { inTransaction } from '../src/database/connections/transaction.ts';
import { organization } from './fill-organization.ts';
import { recountRepository } from './recount-repository.ts';

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

/** Finds what measurements use in a database that `fillOrganization` filled. */
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
