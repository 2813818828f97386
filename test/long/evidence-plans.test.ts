import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ItemPlace } from '../../src/contributions/evidence/items-store.ts';
import { findItems } from '../../src/contributions/evidence/store.ts';
import type { Connection, Database } from '../../src/database/connections/connection.ts';
import { itemised } from '../../src/model/kinds.ts';
import { isOnCluster, openTestDatabase } from '../database.ts';
import { addRepositories } from '../integration/contributions/stored-repository.ts';
import { analyzeTables, watchPlans } from '../integration/plans.ts';

describe('pages of evidence of a person with few items or many', () => {
  it('read about as much by a prepared plan as by one for their values', {
    skip: isOnCluster,
  }, async () => {
    await using stored = await openTestDatabase();
    const { clientConfig } = stored.database;
    const persons = await storePersons(stored.database);
    const plans = {
      prepared: { clientConfig: { ...clientConfig, options: '-c plan_cache_mode=force_generic_plan' } },
      unprepared: { clientConfig: { ...clientConfig, options: '-c plan_cache_mode=force_custom_plan' } },
    };
    for (const { personId, name, counts } of persons) {
      const scope = { personId, ownerId: null, repositoryId: null, seesPrivateOf: null, since: null, until: null };
      for (const counter of itemised.filter(({ per, kind }) => per === 'day' && kind !== 'discussion')) {
        let place: ItemPlace | undefined;
        for (const start of ['first', 'after', 'before']) {
          const page = { limit: 31, ...(start !== 'first' && { [start]: place }) };
          const found = async (watched: Connection): Promise<void> => {
            const items = await findItems(watched, scope, [counter], page);
            if (start === 'first') assert.equal(items.length, Math.min(31, counts), `${name}, ${counter.name}`);
            place = items.at(-1) ?? place;
          };
          const from = place;
          const [unprepared] = await watchPlans(plans.unprepared, found);
          place = from;
          const [prepared] = await watchPlans(plans.prepared, found);
          const blocks = `${prepared?.blocks} blocks, ${unprepared?.blocks} with the values`;
          // Names and visibility are read by keys, where a plan for the values may read a small table of repositories as a whole.
          const most = 2 * (unprepared?.blocks ?? 0) + 200;
          assert.ok((prepared?.blocks ?? Infinity) <= most, `${start} page of ${counter.name}, ${name}: ${blocks}`);
        }
      }
    }
  });
});

const many = 20_000;

/**
 * Stores a person with many items, of whom the newest are private, one with as many public ones, and many with three of each
 * kind, whom PostgreSQL takes for typical.
 */
async function storePersons({ connection, pool }: Database) {
  await addRepositories(connection, 300);
  await pool.query(`update repositories set is_private = name = 'engine-2'`);
  const persons = [
    { name: 'many of whom the newest are private', items: many, counts: many - 2000, hidden: 2000 },
    { name: 'many', items: many, counts: many, hidden: 0 },
    ...Array.from({ length: 3000 }, () => ({ name: 'three', items: 3, counts: 3, hidden: 0 })),
  ];
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'github', 'p' || n, '', 'user', 'p' || n, now(), now(), now()
     from generate_series(1, $1::integer) n`,
    [persons.length],
  );
  await pool.query(
    `insert into identities (provider, email, account_id, resolved_at)
     select provider, name || '@example.com', id, now() from accounts where name like 'p%'`,
  );
  await pool.query(
    `create unlogged table items as select row_number() over () as n, a.id as account_id, i.id as identity_id, r.id as repository_id,
       timestamptz '2026-05-01T12:00:00Z' - k * interval '1 hour' as at
     from unnest($1::integer[], $2::integer[]) with ordinality p (items, hidden, place)
       join accounts a on a.name = 'p' || place join identities i on i.account_id = a.id
       cross join generate_series(1, p.items) k
       join repositories r on r.external_id = case when k <= p.hidden then '2' else (3 + (k + place) % 290)::text end`,
    [persons.map(({ items }) => items), persons.map(({ hidden }) => hidden)],
  );
  await pool.query('analyze items');
  await pool.query(
    `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
     select repository_id, kind, n::text, account_id, at, at, at
     from items cross join unnest('{issue,pull_request,review}'::text[]) kind order by repository_id, at`,
  );
  await pool.query(
    `insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
     select repository_id, decode(md5(n::text) || '00000000', 'hex'), at, at, 0, array[identity_id] from items order by repository_id, at`,
  );
  await pool.query(
    `insert into contribution_days (account_id, repository_id, day, commits, issues, pull_requests, reviews)
     select account_id, repository_id, (at at time zone 'UTC')::date, count(*), count(*), count(*), count(*) from items group by 1, 2, 3`,
  );
  await analyzeTables({ pool });
  const { rows } = await pool.query<{ id: string }>("select id from accounts where name like 'p%' order by id limit 3");
  return rows.map(({ id: personId }, place) => ({
    personId,
    name: persons[place]?.name,
    counts: persons[place]?.counts ?? 0,
  }));
}
