import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import { LRUCache } from 'lru-cache';
import { Client, Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { makeTemporaryDirectory } from '../../../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../../../simulators/github/simulator.ts';
import { type AwardContext, awardRepository } from '../../../../src/achievements/awards/award.ts';
import type { Connection } from '../../../../src/database/connection.ts';
import { createTestDatabase } from '../../../database.ts';
import { sampled } from '../../../depth.ts';
import { until } from '../../../time.ts';
import { appSettings, organization, runTask, secret, startAppService } from '../../installations/installed.ts';
import { startServiceProcess } from '../../installed/service-process.ts';
import { awardedNow, install, stage, untilTrue, write } from './awarding.ts';
import { everyFeature } from './every-feature.ts';
import { awardedIn, earnedIn } from './expected-awards.ts';
import { scene } from './scene.ts';

/** Returns a connection that breaks at its n-th statement, before or after the database has run it. */
function breaking(url: string, at: number, isDone: boolean): { connection: Connection; count: () => number } {
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

function contextOf(connection: Connection): AwardContext {
  return { connection, now: () => new Date(), newId: uuidv7, parsedFiles: new LRUCache({ max: 10 }) };
}

describe('interrupted awarding', () => {
  it('stores every award once, when awarding stops at any statement or runs four times at once', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using database = await createTestDatabase();
    for (const happen of scene(simulator)) happen();
    write(simulator, everyFeature);
    {
      await using service = await startAppService(simulator, {
        databaseUrl: database.url,
        tokens: ['organization_admin'],
      });
      await install(service, simulator);
      await untilTrue(service, simulator, everyFeature);
    }
    const earned = earnedIn(simulator.world, stage(simulator), everyFeature);
    const pool = new Pool({ connectionString: database.url });
    await using ending = new AsyncDisposableStack();
    ending.defer(() => pool.end());
    const { rows } = await pool.query<{ id: string }>('select repository_id as id from achievements limit 1');
    const repositoryId = rows[0]?.id ?? assert.fail();
    const begin = async (): Promise<void> => {
      await pool.query('delete from awards');
      await pool.query('update achievements set evaluated_at = null');
      await pool.query('insert into pending_evaluations (repository_id) values ($1)', [repositoryId]);
    };
    const assertAwarded = async (what: string): Promise<void> => {
      assert.deepEqual(await awardedIn(pool, stage(simulator)), earned, what);
      const left = await pool.query('select 1 from pending_evaluations where repository_id = $1', [repositoryId]);
      assert.equal(left.rows.length, 0, what);
    };
    const whole = breaking(database.url, 0, true);
    await begin();
    await awardRepository(contextOf(whole.connection), repositoryId);
    await assertAwarded('without interruption');
    const statements = whole.count();
    assert.ok(statements > 10);
    const breaks = Array.from({ length: statements }, (_, index) =>
      [false, true].map((isDone) => ({ at: index + 1, isDone })),
    );
    for (const { at, isDone } of sampled(breaks.flat(), 8)) {
      await begin();
      const { connection } = breaking(database.url, at, isDone);
      await assert.rejects(awardRepository(contextOf(connection), repositoryId));
      await awardRepository(contextOf(breaking(database.url, 0, true).connection), repositoryId);
      await assertAwarded(`broken at statement ${at} of ${statements}`);
    }
    await begin();
    const four = Array.from({ length: 4 }, () => contextOf(breaking(database.url, 0, true).connection));
    await Promise.all(four.map((context) => awardRepository(context, repositoryId)));
    await assertAwarded('by four at once');
  });

  it('awards everything once, even when the service is killed repeatedly or runs as two nodes', async () => {
    let requests = 0;
    let kill: (() => void) | undefined;
    await using simulator = await startSimulator({
      repositories: 2,
      onRequest: () => {
        requests += 1;
        if (requests % 17 === 0) kill?.();
      },
    });
    await using database = await createTestDatabase();
    await using directory = await makeTemporaryDirectory();
    for (const happen of scene(simulator)) happen();
    write(simulator, everyFeature);
    simulator.app.install(organization(simulator));
    const settings = {
      ...appSettings(simulator),
      GITHUB_TOKEN: simulator.tokens.organization_admin,
      DATABASE_URL: database.url,
      DATA_DIR: directory.path,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
    };
    for (let round = 0; round < 4; round += 1) {
      await using service = await startServiceProcess(settings);
      simulator.app.deliverTo(service.url, secret);
      const killed = new Promise<void>((resolve) => {
        kill = () => {
          kill = undefined;
          void service.kill().then(resolve);
        };
      });
      const pool = new Pool({ connectionString: database.url });
      await pool.query(
        "select graphile_worker.add_job('reconcile_installations'), graphile_worker.add_job('poll_due')",
      );
      await pool.query('delete from repository_polls');
      await pool.end();
      await killed;
    }
    await using one = await startAppService(simulator, { databaseUrl: database.url, tokens: ['organization_admin'] });
    await using other = await startAppService(simulator, { databaseUrl: database.url, tokens: ['organization_admin'] });
    await runTask(one.database, 'reconcile_installations');
    const earned = earnedIn(simulator.world, stage(simulator), everyFeature);
    await until(async () => {
      await one.database.pool.query('delete from repository_polls');
      await runTask(other.database, 'poll_due');
      const awarded = await awardedNow(one, simulator);
      return awarded.length >= earned.length ? true : undefined;
    }, 'everything is awarded').catch(() => {});
    await untilTrue(one, simulator, everyFeature);
  });
});
