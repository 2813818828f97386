import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { accountAsUser, repository } from '../../../simulators/gitea/responses.ts';
import { addCommit, addRepository } from '../../../simulators/world/activity.ts';
import { countersOf } from '../../../simulators/world/expected-totals.ts';
import type { Account, Repository } from '../../../simulators/world/model.ts';
import { forcePush } from '../../../simulators/world/mutations.ts';
import { writeFile } from '../../../simulators/world/repository-changes.ts';
import { numbersOf } from '../../contract/served.ts';
import { engines } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { installAsOperator } from '../installations/as-operator.ts';
import { runTask } from '../installations/installed.ts';
import {
  addOrganization,
  deliver,
  entity,
  inService,
  openScene,
  placeOf,
  type Scene,
  settingsOf,
  untilTrue,
} from './scene.ts';

/** Tests how soon a change at a simulated Gitea is known. */

const achievements = (name: string): string => `version: 0.0.1
achievements:
  - achievement:
      name: ${name}
      icon: icons/opener.png
      description: Opened an issue
      triggers: [{trigger: {actor: author, action: issue, condition: "count() >= 1"}}]
`;

async function install({ service, simulator, now, ...scene }: Scene, target: string): Promise<void> {
  await untilTrue({ service, simulator, now, ...scene }, 'everything is counted');
  await untilIdle(service);
  await installAsOperator(service, settingsOf(simulator), target);
  await untilIdle(service);
  // The command has the clock of the machine, which is ahead of the test's.
  await service.database.pool.query('update repositories set installed_at = $1 where installed_at is not null', [
    now(),
  ]);
}

describe('freshness of data of Gitea', () => {
  let scene: Scene & AsyncDisposable;
  before(async () => {
    scene = await openScene();
  });
  // The scene is missing when it could not be set up.
  after(() => scene?.[Symbol.asyncDispose]());
  afterEach(() => {
    scene.simulator.overrides.length = 0;
    scene.simulator.behind.clear();
  });

  it('reads the achievements file in the run that reads its push', async () => {
    await inService(async (scene) => {
      const { service, world, repositories, advance } = scene;
      await install(scene, `gitea/${engines.name}/handbook`);
      const author = { name: 'Olive', email: 'olive-admin@mail.example' };
      for (const name of ['Opener', 'Opener of issues']) {
        advance(60);
        const { oid } = writeFile(world, repositories.handbook, '.plaudit/config.yaml', achievements(name), author);
        await deliver(scene, '004-push', {});
        await untilIdle(service);
        const { rows } = await service.database.pool.query(
          `select f.revision, a.name from achievement_files f
         join achievements a on a.repository_id = f.repository_id and a.is_current`,
        );
        assert.deepEqual(rows, [{ revision: oid, name }]);
      }
    });
  });

  it('updates the numbers of everyone whose commits another person pushes, and their cached responses', async () => {
    const { service, world, people, repositories, simulator } = scene;
    await untilTrue(scene, 'everything is counted');
    const { ada, max, olive } = people;
    for (const { login } of [ada, max]) await service.get(entity(login));
    await untilIdle(service);
    for (const { login } of [ada, max])
      assert.deepEqual(await numbersOf(service, entity(login)), countersOf(world, login));
    const before = simulator.requests.length;
    addCommit(world, repositories.handbook, {
      author: { name: 'Max', email: max.emails[0] ?? '' },
      coAuthors: [{ name: 'Ada', email: ada.emails[0] ?? '' }],
    });
    await deliver(scene, '004-push', { sender: accountAsUser(placeOf(scene), olive) });
    await untilIdle(service);
    for (const { login } of [ada, max])
      assert.deepEqual(await numbersOf(service, entity(login)), countersOf(world, login));
    // Gitea reports no totals, so that requests for the accounts would be useless.
    const accountRequests = simulator.requests
      .slice(before)
      .filter((request) => / \/users\/(?:ada|max)[\w-]*$/.test(request));
    assert.deepEqual(accountRequests, []);
  });

  it('updates the numbers of everyone whose commits a force push removes', async () => {
    const { service, world, people, repositories } = scene;
    await untilTrue(scene, 'everything is counted');
    const names = [people.ada.login, people.max.login];
    for (const name of names) await service.get(entity(name));
    await untilIdle(service);
    const before = await Promise.all(names.map((name) => numbersOf(service, entity(name))));
    scene.advance(2);
    forcePush(world, repositories.handbook, repositories.handbook.commits.length, ['nobody@elsewhere.example']);
    await deliver(scene, '004-push', { sender: accountAsUser(placeOf(scene), people.olive) });
    await untilIdle(service);
    for (const [index, name] of names.entries()) {
      assert.deepEqual(await numbersOf(service, entity(name)), { ...Object(before[index]), commits: 0 });
    }
  });

  it('updates numbers that changed before the process was killed', async () => {
    await inService(async (scene) => {
      const { service, people } = scene;
      const { pool } = service.database;
      await untilTrue(scene, 'everything is counted');
      await service.get(entity(people.ada.login));
      await untilIdle(service);
      const before = Object(await numbersOf(service, entity(people.ada.login)));
      // A page of a scan is committed, and nothing after it.
      await pool.query(
        `delete from contributions where kind = 'issue' and account_id = (select id from accounts where name = $1)`,
        [people.ada.login],
      );
      await runTask(service.database, 'update_totals');
      assert.deepEqual(await numbersOf(service, entity(people.ada.login)), { ...before, issues: 0, issues_closed: 0 });
      const { rows } = await pool.query('select 1 from changed_contributors');
      assert.deepEqual(rows, []);
    });
  });

  it('does not count a repository as complete when git shows a later push', async () => {
    const { service, simulator, world, people, now } = scene;
    const organization = addOrganization(scene);
    const createdAt = new Date(now().getTime() - 86_400_000);
    const fresh = addRepository(world, { ownerId: organization.id, name: 'fresh', createdAt });
    addCommit(world, fresh, { author: { name: 'Ada', email: people.ada.emails[0] ?? '' } });
    Object.assign(fresh, { pushedAt: null, updatedAt: createdAt });
    simulator.behind.add(fresh);
    const seen: unknown[] = [];
    atThirdRequest(scene, fresh, () => {
      seen.push(historyOf(scene, fresh));
      simulator.behind.clear();
    });
    await untilListed(scene, organization, fresh);
    await untilHistory(scene, fresh, { commits: 1, isComplete: true, branch: 'main' });
    assert.deepEqual(await seen[0], { commits: 0, isComplete: false, branch: '' });
    await untilIdle(service);
  });

  it('reads an empty repository that was created a moment ago again until its push is shown', async () => {
    const { service, world, people, now } = scene;
    const organization = addOrganization(scene);
    const fresh = addRepository(world, { ownerId: organization.id, name: 'fresh', createdAt: now() });
    const author = { name: 'Ada', email: people.ada.emails[0] ?? '' };
    atThirdRequest(scene, fresh, () => void (fresh.commits.length === 0 && addCommit(world, fresh, { author })));
    await untilListed(scene, organization, fresh);
    await untilHistory(scene, fresh, { commits: 1, isComplete: true, branch: 'main' });
    await untilIdle(service);
  });

  it('reads an empty repository again after a delivery of its push', async () => {
    const { service, simulator, world, repositories, people, advance } = scene;
    const { empty } = repositories;
    await untilTrue(scene, 'everything is counted');
    await untilIdle(service);
    assert.deepEqual(await historyOf(scene, empty), { commits: 0, isComplete: true, branch: '' });
    advance(60);
    simulator.behind.add(empty);
    addCommit(world, empty, { author: { name: 'Ada', email: people.ada.emails[0] ?? '' } });
    atThirdRequest(scene, empty, () => simulator.behind.clear());
    await deliver(scene, '004-push', { repository: repository(placeOf(scene), empty) });
    await untilIdle(service);
    assert.deepEqual(await historyOf(scene, empty), { commits: 1, isComplete: true, branch: 'main' });
  });

  it('reads a repository that stays empty a bounded number of times', async () => {
    const { service, simulator, world, now } = scene;
    const organization = addOrganization(scene);
    const fresh = addRepository(world, { ownerId: organization.id, name: 'fresh', createdAt: now() });
    await untilListed(scene, organization, fresh);
    await untilIdle(service);
    assert.deepEqual(await historyOf(scene, fresh), { commits: 0, isComplete: true, branch: '' });
    const requests = simulator.requests.filter((request) => request.endsWith(`/repos/${organization.login}/fresh`));
    assert.ok(requests.length < 20, `${requests.length} requests`);
  });
});

/** Returns the number of stored commits of a repository, and whether its history is complete. */
async function historyOf({ service }: Scene, { id }: Repository): Promise<unknown> {
  const { rows } = await service.database.pool.query(
    `select coalesce(t.commits, 0) as commits, s.completed_at is not null as "isComplete", r.default_branch as branch
     from repositories r join streams s on s.repository_id = r.id and s.name = 'commits'
     left join repository_totals t on t.repository_id = r.id where r.external_id = $1`,
    [String(id)],
  );
  return rows[0];
}

async function untilHistory(scene: Scene, repository: Repository, wanted: object): Promise<void> {
  await until(
    async () => (isDeepStrictEqual(await historyOf(scene, repository), wanted) ? true : undefined),
    JSON.stringify(wanted),
  );
}

async function untilListed(scene: Scene, owner: Account, repository: Repository): Promise<void> {
  await until(async () => {
    await scene.service.get(`${entity(owner.login)}/contributors`);
    return (await historyOf(scene, repository)) === undefined ? undefined : true;
  }, 'the repository is listed');
}

/** Runs `act` when a repository is requested for the third time. */
function atThirdRequest({ simulator, world }: Scene, { ownerId, name }: Repository, act: () => void): void {
  const owner = world.accounts.find(({ id }) => id === ownerId);
  let requests = 0;
  simulator.overrides.push((path) => {
    if (path === `/repos/${owner?.login}/${name}`) requests += 1;
    if (requests === 3) act();
    return undefined;
  });
}
