import assert from 'node:assert/strict';
import { Kysely, PostgresDialect } from 'kysely';
import type { Pool } from 'pg';
import { recountRepository } from '../../../bench/recount-repository.ts';
import type { Simulator } from '../../../simulators/github/simulator.ts';
import { listContributors, toCounters } from '../../../simulators/world/expected-totals.ts';
import type { Tables } from '../../../src/database/tables/tables.ts';
import { engines } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { organization } from '../installations/installed.ts';
import { storedItems } from './stored-items.ts';
import { worldItems } from './world-items.ts';

/** A time, in s, longer than the delay of any job that is queued because of a change, or because another job reads the repository. */
const delayedS = 10;

/**
 * Waits until all work is done that follows from the changes of a world, now and after eight more days: twice, because
 * what the first time finds leads to more work.
 * @throws when work is left after `withinMs`.
 */
export async function untilChangesAreFollowed(
  pool: Pool,
  deliverer: { idle(): Promise<void> },
  withinMs: number,
): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    await untilNoWorkIsLeft(pool, deliverer, withinMs);
    await moveTimesBack(pool);
  }
  await untilNoWorkIsLeft(pool, deliverer, withinMs);
}

/** Waits until no job is left to do, also none that is delayed, and no delivery is on its way. */
export async function untilNoWorkIsLeft(
  pool: Pool,
  deliverer: { idle(): Promise<void> },
  withinMs: number,
): Promise<void> {
  // The second time is for redeliveries, which jobs of the first time request.
  for (let time = 0; time < 2; time += 1) {
    await deliverer.idle();
    await untilIdle({ database: { pool } }, { withinMs, aheadS: delayedS });
  }
}

/** Moves all times back by eight days, so that all daily and weekly work is due. */
async function moveTimesBack(pool: Pool): Promise<void> {
  const days = "interval '8 days'";
  // Whole tables are locked first, because locks of row after row end in deadlocks.
  const changes = {
    accounts: `update accounts set listed_at = listed_at - ${days}, fetched_at = fetched_at - ${days}`,
    streams: `update streams set full_scan_at = full_scan_at - ${days}, known_until = known_until - ${days},
      withheld_at = withheld_at - ${days}`,
    repository_polls: 'delete from repository_polls',
  };
  for (const [table, change] of Object.entries(changes)) {
    await pool.query(`begin; lock table ${table} in share row exclusive mode; ${change}; commit`);
  }
  await pool.query(
    `update graphile_worker._private_jobs set run_at = now() where run_at > now() and locked_at is null`,
  );
  await pool.query(`update deliveries set attempts = 0, retry_at = null where applied_at is null`);
  for (const task of ['find_missed_deliveries', 'reconcile_installations', 'poll_due', 'apply_deliveries']) {
    await pool.query('select graphile_worker.add_job($1)', [task]);
  }
}

/**
 * Asserts that the responses become those that follow from the world. Errors are no end: one about a request to the host
 * that failed is the response until the service repeats the request.
 */
export async function assertResponses(
  { url }: { url: string },
  { world }: Simulator,
  withinMs?: number,
): Promise<void> {
  let seen: unknown;
  const expected = [listContributors(world, engines.name), toCounters(world, engines.name)];
  const fetchBody = async (path: string): Promise<{ data?: Record<string, unknown>[] }> => {
    const response = await fetch(`${url}/v1/github/entities/${engines.name}/${path}`);
    return (await response.json()) as { data?: Record<string, unknown>[] };
  };
  const isAsExpected = async (): Promise<true | undefined> => {
    const bodies = [await fetchBody('contributors?limit=100'), await fetchBody('contributions')] as const;
    const [{ data: people }, { data: numbers }] = bodies;
    const contributors = people?.map(({ name, contributions }) => ({ login: name, contributions }));
    seen = contributors === undefined || numbers === undefined ? bodies : [contributors, numbers[0]?.['contributions']];
    return JSON.stringify(seen) === JSON.stringify(expected) ? true : undefined;
  };
  await until(isAsExpected, 'the responses are those of the world', withinMs).catch(() =>
    assert.deepEqual(seen, expected),
  );
}

/** Asserts that everything stored about the organization follows from the world, and the totals from the stored data. */
export async function assertStored(pool: Pool, simulator: Simulator): Promise<void> {
  const { world } = simulator;
  for (const repository of world.owned(organization(simulator))) {
    const [stored, expected] = [await storedItems(pool, repository.id), worldItems(world, repository)];
    const differences = {
      stored: stored.filter((row) => !expected.includes(row)),
      expected: expected.filter((row) => !stored.includes(row)),
    };
    assert.deepEqual(differences, { stored: [], expected: [] }, repository.name);
    assert.equal(stored.length, expected.length);
  }
  const connection = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const { rows } = await pool.query<{ id: string; name: string }>(
    `select r.id, r.name from repositories r join repository_totals t on t.repository_id = r.id
     where r.deleted_at is null and t.commits_counted`,
  );
  assert.ok(rows.length > 3);
  for (const { id, name } of rows) {
    const wrong = await connection.transaction().execute((transaction) => recountRepository(transaction, id));
    assert.equal(wrong, 0, `totals of ${name} differ from the stored data`);
  }
}
