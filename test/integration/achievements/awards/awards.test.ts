import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import { Client, type Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { Connection } from '../../../../src/database/connections/connection.ts';
import { openDatabase } from '../../../../src/database/connections/open.ts';
import { type AwardContext, awardRepository } from '../../../../src/recognition/achievements/awards/award.ts';
import { AchievementFiles } from '../../../../src/recognition/achievements/files/achievement-files.ts';
import { createAwardTasks } from '../../../../src/recognition/achievements/tasks.ts';
import { createTestDatabase } from '../../../database.ts';
import { sampled } from '../../../depth.ts';
import { reuseTestDatabase } from '../../../reused-database.ts';
import { evaluateNaively } from '../evaluation/naive.ts';
import { storeWorld } from '../evaluation/stored-world.ts';
import { beginning, randomWorld, type World } from '../evaluation/world.ts';
import { everyFeature, type FileText, simple } from './every-feature.ts';
import { issue, storeCollected, storeFile } from './stored-file.ts';

const dayMs = 86_400_000;
const day = (number: number): number => beginning + (number - 1) * dayMs;

/** Returns a connection that breaks at its n-th statement, before or after the database has run it. */
function connectionBreakingAt(
  url: string,
  at: number,
  isDone: boolean,
): { connection: Connection; count: () => number } {
  let count = 0;
  const connect = async (): Promise<PostgresPoolClient> => {
    const client = new Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    const query = async (...parameters: Parameters<PostgresPoolClient['query']>): Promise<unknown> => {
      count += 1;
      const isLast = count === at;
      if (isLast && !isDone) await client.end();
      const [text, values] = parameters as unknown as [string, unknown[]];
      const result = await client.query(text, values);
      if (isLast) await client.end();
      if (isLast) throw new Error('the connection broke');
      return result;
    };
    // Only the form of `query` that is used is implemented.
    return { query, release: () => void client.end().catch(() => {}) } as unknown as PostgresPoolClient;
  };
  const pool = { connect, end: async () => {}, options: {} };
  return { connection: new Kysely({ dialect: new PostgresDialect({ pool }) }), count: () => count };
}

const achievementFiles = new AchievementFiles();

function createContext(connection: Connection, now = (): Date => new Date()): AwardContext {
  return { connection, now, newId: uuidv7, achievementFiles };
}

/** Returns the awards that stand, as `PERSON: ACHIEVEMENT, TIME`. */
async function awardsIn(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; what: string; at: Date }>(
    `select p.name, h.name as what, w.awarded_at as at from awards w
     join achievements h on h.id = w.achievement_id join accounts p on p.id = w.account_id`,
  );
  return rows.map(({ name, what, at }) => `${name}: ${what}, ${at.toISOString()}`).toSorted();
}

function earnedIn(world: World, { achievements, pointActions }: FileText): string[] {
  return achievements
    .flatMap((achievement) =>
      [...evaluateNaively(achievement, world, pointActions)].map(
        ([person, at]) => `${world.people[person]?.name}: ${achievement.name}, ${new Date(at).toISOString()}`,
      ),
    )
    .toSorted();
}

const people: World['people'] = ['ada', 'max'].map((name) => ({ name, type: 'user' }));

describe('awarding', () => {
  it('stores every award once, when it stops at any statement or runs four times at once', async () => {
    await using created = await createTestDatabase();
    const database = await openDatabase({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    await using ending = new AsyncDisposableStack();
    ending.defer(() => database.close());
    const { pool } = database;
    const worlds = fc.sample(randomWorld, { seed: 1, numRuns: 20 });
    const world = worlds.toSorted((left, right) => right.items.length - left.items.length)[0] ?? assert.fail();
    const { repositoryId } = await storeWorld(pool, world);
    await storeCollected(database, repositoryId, new Date());
    await storeFile(database, repositoryId, everyFeature);
    const earned = earnedIn(world, everyFeature);
    assert.ok(earned.length > 20, `${earned.length} are earned`);
    const begin = async (): Promise<void> => {
      await pool.query('delete from awards');
      await pool.query('update achievements set evaluated_at = null');
      await pool.query('insert into pending_evaluations (repository_id) values ($1)', [repositoryId]);
    };
    const assertAwarded = async (moment: string): Promise<void> => {
      assert.deepEqual(await awardsIn(pool), earned, moment);
      const left = await pool.query('select 1 from pending_evaluations where repository_id = $1', [repositoryId]);
      assert.equal(left.rows.length, 0, moment);
    };
    const unbroken = connectionBreakingAt(created.url, 0, true);
    await begin();
    await awardRepository(createContext(unbroken.connection), repositoryId);
    await assertAwarded('without interruption');
    const statements = unbroken.count();
    assert.ok(statements > 10);
    const breaks = Array.from({ length: statements }, (_, index) =>
      [false, true].map((isDone) => ({ at: index + 1, isDone })),
    );
    for (const { at, isDone } of sampled(breaks.flat(), 31)) {
      await begin();
      const { connection } = connectionBreakingAt(created.url, at, isDone);
      await assert.rejects(awardRepository(createContext(connection), repositoryId));
      await awardRepository(createContext(connectionBreakingAt(created.url, 0, true).connection), repositoryId);
      await assertAwarded(`broken at statement ${at} of ${statements}`);
    }
    await begin();
    const four = Array.from({ length: 4 }, () => createContext(connectionBreakingAt(created.url, 0, true).connection));
    await Promise.all(four.map((context) => awardRepository(context, repositoryId)));
    await assertAwarded('by four at once');
  });

  it('evaluates an achievement with a date once: at that date, or later if the service did not run then', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const datedAchievement = simple('That day', 'author issue: count() >= 1', { day: 3 });
    let now = day(3);
    const context = createContext(connection, () => new Date(now));
    const tasks = createAwardTasks(context);
    const signal = new AbortController().signal;
    const jobs = async (): Promise<string[]> => {
      const { rows } = await pool.query<{ task: string }>(
        `with taken as (delete from graphile_worker._private_jobs returning task_id)
         select t.identifier as task from taken join graphile_worker._private_tasks t on t.id = task_id order by 1`,
      );
      return rows.map(({ task }) => task);
    };
    // Ada opens an issue before the end of the day, Max after it.
    const world = { people, items: [issue(0, day(2)), issue(1, day(4))] };
    const { repositoryId } = await storeWorld(pool, world);
    await storeCollected(database, repositoryId, new Date(now));
    await storeFile(database, repositoryId, { pointActions: [], achievements: [datedAchievement] });
    await jobs();
    const due = async (): Promise<string[]> => {
      for (const task of ['know_at_date', 'award_due']) await tasks[task]?.run({}, signal);
      return jobs();
    };
    await awardRepository(context, repositoryId);
    assert.deepEqual([await due(), await awardsIn(pool)], [[], []]);

    // Two days after that day, the repository is read until its end first.
    now = day(6);
    assert.deepEqual(await due(), ['award', 'collect_repository']);
    await awardRepository(context, repositoryId);
    assert.deepEqual(await awardsIn(pool), []);
    await storeCollected(database, repositoryId, new Date(now));
    assert.deepEqual(await due(), ['award']);
    await awardRepository(context, repositoryId);
    const awarded = [`ada: That day, ${new Date(day(2)).toISOString()}`];
    assert.deepEqual([await awardsIn(pool), await due()], [awarded, []]);

    // The achievement is not evaluated again, unlike others of a changed file.
    const others = simple('Issues', 'author issue: count() >= 1');
    await storeFile(database, repositoryId, { pointActions: [], achievements: [datedAchievement, others] });
    await awardRepository(context, repositoryId);
    assert.deepEqual(
      (await awardsIn(pool)).filter((award) => award.includes('That day')),
      awarded,
    );
    assert.equal((await awardsIn(pool)).length, 3);
  });

  it('awards another person when a newer accepted comment changes the order of discussions', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const file: FileText = {
      pointActions: [
        {
          name: 'answers',
          rules: [{ actor: 'resolved_by', action: 'discussion', condition: 'answered = true', value: 10 }],
        },
      ],
      achievements: [simple('First to answer', 'author point: rank(1) sum(answers)')],
    };
    const answered = (person: number, answeredAt: number) => ({
      ...issue(person, day(1)),
      action: 'discussion' as const,
      answeredBy: person,
      resolvedBy: person,
      answeredAt,
    });
    const { repositoryId } = await storeWorld(pool, { people, items: [answered(0, day(2)), answered(1, day(3))] });
    await storeCollected(database, repositoryId, new Date());
    await storeFile(database, repositoryId, file);
    await awardRepository(createContext(connection), repositoryId);
    const first = await awardsIn(pool);
    assert.match(first.join(), /^ada: First to answer, [^,]*$/);
    await pool.query(
      `with changed as (
         update contributions set answered_at = $1 where answered_at = $2 returning repository_id, account_id, kind)
       insert into pending_evaluations (repository_id, account_id, kind) select * from changed`,
      [new Date(day(4)), new Date(day(2))],
    );
    await awardRepository(createContext(connection), repositoryId);
    const both = await awardsIn(pool);
    assert.deepEqual(both.slice(0, 1), first);
    assert.match(both.slice(1).join(), /^max: First to answer, [^,]*$/);
  });
});
