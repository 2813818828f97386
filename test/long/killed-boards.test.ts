import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { decodeJwt } from 'jose';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { boards } from '../../src/app/commands/rule-files.ts';
import { openDatabase } from '../../src/database/connections/open.ts';
import { createTestDatabase } from '../database.ts';
import { sampled } from '../depth.ts';
import { awardingRepository, writeAchievementsFile } from '../e2e/achievements/awarding/awarding.ts';
import { toNaiveWorld } from '../e2e/achievements/awarding/expected-awards.ts';
import { appSettings, organization, runTask, startAppService } from '../e2e/installations/installed.ts';
import { startServiceProcess } from '../e2e/installed/service-process.ts';
import { engines } from '../integration/access/owner.ts';
import { countNaively } from '../integration/boards/naive-board.ts';
import { inProcess } from '../run-command.ts';
import { until } from '../time.ts';
import { startCountingSimulator } from './counting-requests.ts';

/** Lives of a process, in requests to GitHub. */
const lives = sampled([1, 3, 6, 10, 15, 25, 40], 3);
/** Kills while a season is frozen. */
const freezes = sampled([1, 2, 3, 4, 5], 2);
const dayMs = 86_400_000;

/** The rules of the board, as the file and the independent count have them. */
const rules = [
  {
    actor: 'author',
    action: 'pull_request',
    condition: 'merged = true',
    at: 'merged',
    points: 5,
    perDay: 12,
    decay: 0,
  },
  {
    actor: 'reviewers',
    action: 'pull_request',
    condition: 'merged = true',
    at: null,
    points: 3,
    perDay: null,
    decay: 0,
  },
  { actor: 'author', action: 'issue', condition: 'closed = true', at: 'closed', points: 2, perDay: null, decay: 0 },
  { actor: 'author', action: 'commit', condition: '', at: null, points: 1, perDay: null, decay: 0.5 },
] as const;

function toFile(window: { since: Date; until: Date }): string {
  const board = {
    name: 'Sprint',
    slug: 'sprint',
    repositories: [`${engines.name}/engine-1`],
    // The independent count knows days that begin at 23:00 UTC.
    window: { since: window.since.toISOString(), until: window.until.toISOString(), time_zone: 'Etc/GMT-1' },
    points: rules.map(({ actor, action, condition, at, points, perDay, decay }) => ({
      actor: actor === 'reviewers' ? 'reviewer' : actor,
      action,
      ...(condition !== '' && { condition }),
      ...(at !== null && { at }),
      points,
      ...(perDay !== null && { per_day: perDay }),
      ...(decay > 0 && { decay }),
    })),
  };
  return JSON.stringify({ version: 1, boards: [{ board }] }, null, 1);
}

describe('recovery of boards from kills', () => {
  it('takes a board from its check to a signed season, whose points an independent count confirms', async () => {
    await using counting = await startCountingSimulator();
    const { simulator } = counting;
    await using database = await createTestDatabase();
    await using stack = new AsyncDisposableStack();
    const watched = await openDatabase({ databaseUrl: database.url, dataDir: '/nonexistent', log: () => {} });
    stack.defer(() => watched.close());
    await using directory = await makeTemporaryDirectory();
    const window = { since: new Date(Date.now() - 400 * dayMs), until: new Date(Date.now() - 5 * 60_000) };
    for (const at of Object.values(window)) at.setUTCMilliseconds(0);
    const file = toFile(window);
    const printed: string[] = [];
    await boards({ ...inProcess({}), input: Readable.from([file]), print: (line: string) => void printed.push(line) }, [
      'check',
      '-',
    ]);
    assert.deepEqual(printed, ['-: 1 board, no fault']);
    writeAchievementsFile(simulator, file, '.plaudit/boards.yaml');
    for (const repository of simulator.world.owned(organization(simulator)))
      if (repository !== awardingRepository(simulator)) repository.files.delete('.plaudit/config.yaml');
    simulator.app.install(organization(simulator));
    const environment = {
      DATA_DIR: directory.path,
      DATABASE_URL: database.url,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      ...appSettings(simulator),
    };
    for (const requests of lives) {
      await using service = await startServiceProcess(environment);
      const killed = Promise.withResolvers<void>();
      counting.afterRequests(requests, () => void service.kill().then(killed.resolve));
      await Promise.race([
        killed.promise,
        until(() => Promise.resolve(undefined), 'it is killed', 5000).catch(() => {}),
      ]);
      await service.kill();
    }
    counting.stop();
    {
      await using service = await startAppService(simulator, { databaseUrl: database.url, hasNoDeliveries: true });
      await until(async () => {
        const { rows } = await watched.pool.query(
          `select from streams s join repositories r on r.id = s.repository_id
           where r.name = 'engine-1' and s.completed_at is not null and (s.is_deep or s.name = 'commits')`,
        );
        return rows.length >= 7 ? true : undefined;
      }, 'the repository is known');
      await until(async () => {
        const { rows } = await watched.pool.query('select from board_rankings');
        return rows.length > 0 ? true : undefined;
      }, 'the board is ranked');
      await service.database.pool.query('update boards set freeze_at = null');
    }
    for (const freeze of freezes) {
      await watched.pool.query('update boards set freeze_at = now()');
      await watched.pool.query("select graphile_worker.add_job('freeze_seasons', job_key => $1)", [`freeze ${freeze}`]);
      await using service = await startServiceProcess(environment);
      await until(async () => {
        const { rows } = await watched.pool.query(
          'select from graphile_worker.jobs where key = $1 and locked_at is null',
          [`freeze ${freeze}`],
        );
        return rows.length === 0 ? true : undefined;
      }, 'the season is being frozen');
      await service.kill();
      // A version that is counted, and not written yet, is completed by the next run; no reader sees it.
      const { rows } = await watched.pool.query(
        `select from board_seasons s where is_written and (statement is null
           or not exists (select from board_season_ranks r where r.number = s.number))`,
      );
      assert.equal(rows.length, 0);
    }
    await using service = await startAppService(simulator, { databaseUrl: database.url, hasNoDeliveries: true });
    await watched.pool.query('update boards set freeze_at = now()');
    await runTask(service, 'freeze_seasons');
    const season = `${engines.name}/boards/sprint/seasons/1`;
    const { text } = await service.get(`${season}/statement`);
    const statement = decodeJwt<{
      missing: string[];
      season: { number: number; version: number };
      people: { person: { login: string }; points: number }[];
    }>(text);
    assert.deepEqual([statement.season.number, statement.season.version, statement.missing], [1, 1, []]);
    const world = toNaiveWorld(simulator.world, awardingRepository(simulator));
    const counted = countNaively(
      {
        rules: [...rules],
        spam: [],
        since: window.since.getTime(),
        until: window.until.getTime(),
      },
      world,
    );
    const expected = [...counted].map(([person, { points }]) => [world.people[person]?.name, points]);
    assert.ok(expected.length > 3);
    const byName = (left: unknown[], right: unknown[]): number => (String(left[0]) < String(right[0]) ? -1 : 1);
    assert.deepEqual(
      statement.people.map(({ person, points }) => [person.login, points]).toSorted(byName),
      expected.toSorted(byName),
    );
    // Every point of the frozen season can be traced to its item.
    for (const { person, points } of statement.people) {
      const { body } = await service.get(`${engines.name}/boards/sprint/people/${person.login}?limit=100`);
      if (body.next_cursor !== undefined) continue;
      const sum = body.data.reduce((total, item) => total + Number(item['points']), 0);
      assert.ok(Math.abs(sum - points) < 0.006 * body.data.length, `${person.login}: ${sum} of ${points}`);
    }
  });
});
