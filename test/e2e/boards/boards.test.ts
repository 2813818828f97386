import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPermissions } from '../../../simulators/github/app/installation.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addPullRequest } from '../../../simulators/world/activity.ts';
import { closeItem } from '../../../simulators/world/mutations.ts';
import { writeFile } from '../../../simulators/world/repository-changes.ts';
import { label } from '../../../simulators/world/threads.ts';
import { engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { simple } from '../../integration/achievements/awards/every-feature.ts';
import { until } from '../../time.ts';
import { personCalled } from '../achievements/awarding/actions.ts';
import {
  awardingRepository,
  filePath,
  install,
  poll,
  writeAchievementsFile,
} from '../achievements/awarding/awarding.ts';
import { organization, startAppService, untilRepositoryIs } from '../installations/installed.ts';

const path = `${engines.name}/boards/sprint`;

function file(points: number, name = 'engine-1'): string {
  const board = {
    name: 'Sprint',
    slug: 'sprint',
    repositories: [`analytical-engines/${name}`],
    window: { since: '2020-01-01' },
    points: [{ action: 'pull_request', condition: 'merged = true', points }],
    spam_labels: ['spam'],
  };
  return JSON.stringify({ version: 1, boards: [{ board }] });
}

describe('following of boards', () => {
  it('reports the faults of a file on the commit that introduced them', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startAppService(simulator, { tokens: ['organization_admin'] });
    const faulty = file(5)
      .replace('merged = true', 'mergd = true')
      .replace('"points":[', '"teams":{"red":["@globex/core"]},$&{"action":"star","points":1},');
    writeAchievementsFile(simulator, faulty, '.plaudit/boards.yaml');
    simulator.app.install(organization(simulator), undefined, { ...readPermissions, checks: 'write' });
    await untilRepositoryIs(service, 'engine-1', /installed/);
    const token = await serviceToken(service, simulator, engines);
    const chosen = jsonRequest('PUT', token, { hidden: false, boards_repository: 'engine-1' });
    assert.equal((await service.get(`${engines.name}/settings`, chosen)).status, 200);
    await poll(service);
    const runs = () => simulator.app.checkRuns.filter(({ name }) => name === 'Plaudit boards');
    const ended = (count: number) =>
      until(
        async () => (runs().filter(({ status }) => status === 'completed').length === count ? true : undefined),
        'the file is checked',
      );
    await ended(1);
    const [run] = runs();
    assert.deepEqual([run?.conclusion, run?.headSha], ['failure', awardingRepository(simulator).commits.at(-1)?.oid]);
    assert.deepEqual(
      run?.annotations.map(({ path, annotation_level: level }) => [path, level]),
      [
        ['.plaudit/boards.yaml', 'warning'],
        ['.plaudit/boards.yaml', 'warning'],
        ['.plaudit/boards.yaml', 'failure'],
      ],
    );
    assert.match(run?.annotations[0]?.message ?? '', /the members of @globex\/core are never known/);
    assert.match(run?.annotations[1]?.message ?? '', /GitHub shows who starred/);
    assert.match(run?.annotations[2]?.message ?? '', /mergd.*did you mean merged/s);
    writeAchievementsFile(simulator, file(5), '.plaudit/boards.yaml');
    await poll(service);
    await ended(2);
    assert.deepEqual([runs()[1]?.conclusion, runs()[1]?.annotations], ['success', []]);
  });

  it('follows the file of an installed repository, merged pull requests, and the document that replaces the file', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    await using service = await startAppService(simulator, { tokens: ['organization_admin'] });
    writeAchievementsFile(simulator, {
      pointActions: [],
      achievements: [simple('One', 'author issue: count() >= 1000')],
    });
    writeAchievementsFile(simulator, file(5), '.plaudit/boards.yaml');
    await install(service, simulator);
    const token = await serviceToken(service, simulator, engines);
    // Two repositories define achievements, so the owner has to choose.
    const chosen = jsonRequest('PUT', token, { hidden: false, boards_repository: 'engine-1' });
    const settings = await service.get(`${engines.name}/settings`, chosen);
    assert.equal(settings.status, 200, settings.text);
    await poll(service);
    const findPoints = async (name: string): Promise<number> => {
      const { body } = await service.get(`${path}?limit=100`);
      const found = body.data?.find(({ person }) => (person as { name: string }).name === name);
      return Number(found?.['points'] ?? 0);
    };
    const untilPoints = (name: string, points: number): Promise<boolean> =>
      until(async () => ((await findPoints(name)) === points ? true : undefined), `${name} has ${points} points`);
    await until(async () => ((await service.get(path)).status === 200 ? true : undefined), 'the board is ranked');
    const [ada, max] = [personCalled(simulator, 'ada-lovelace'), personCalled(simulator, 'max-member')];
    const before = await findPoints(ada.login);
    const pull = addPullRequest(simulator.world, awardingRepository(simulator), { author: ada });
    closeItem(simulator.world, pull, { merged: true, by: max });
    await untilPoints(ada.login, before + 5);
    const { body } = await service.get(`${path}/people/${ada.login}?limit=1`);
    assert.deepEqual(
      body.data.map(({ kind, number, points }) => [kind, number, points]),
      [['pull_request', pull.number, 5]],
    );
    label(simulator.world, pull, 'Spam');
    await untilPoints(ada.login, before);
    const { rows } = await service.database.pool.query<{ name: string }>(
      `select a.name from (select * from contributions offset 0) c join accounts a on a.id = c.merged_by where c.kind = 'pull_request' and c.number = $1`,
      [pull.number],
    );
    assert.ok(rows.some(({ name }) => name === max.login));
    // The push alone makes the service read the file again.
    writeAchievementsFile(simulator, file(7), '.plaudit/boards.yaml');
    await untilPoints(ada.login, (before / 5) * 7);
    const document = { ...jsonRequest('PUT', token), body: file(3) };
    assert.equal((await service.get(`${engines.name}/boards`, document)).status, 200);
    await untilPoints(ada.login, (before / 5) * 3);
    const removed = await service.get(`${engines.name}/boards`, jsonRequest('DELETE', token));
    assert.equal(removed.status, 204, removed.text);
    await untilPoints(ada.login, (before / 5) * 7);
    const incomplete = await service.get(path);
    const { board } = incomplete.body.meta_data as unknown as { board: { repositories: object } };
    assert.deepEqual(board.repositories, { total: 1, complete: 1, incomplete: [] });
    // Without a choice, the only repository that defines achievements holds the boards, from its first push on.
    const withoutRepository = jsonRequest('PUT', token, { hidden: false, boards_repository: '' });
    assert.equal((await service.get(`${engines.name}/settings`, withoutRepository)).status, 200);
    const others = simulator.world
      .owned(organization(simulator))
      .filter(({ name, files }) => name !== 'engine-1' && files.has(filePath));
    assert.ok(others.length > 0);
    const untilStatus = (status: number): Promise<boolean> =>
      until(async () => ((await service.get(path)).status === status ? true : undefined), `the board is ${status}`);
    const author = { name: 'Keeper', email: 'keeper@example.org' };
    const push = (text: string | null): void => {
      for (const repository of others) writeFile(simulator.world, repository, filePath, text, author);
    };
    await untilStatus(404);
    push(null);
    await untilStatus(200);
    push('version: 0.0.1\nachievements: []\n');
    await untilStatus(404);
  });
});
