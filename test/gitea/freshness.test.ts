import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../access/owner.ts';
import { settled } from '../access/state.ts';
import { addCommit } from '../github/world/activity.ts';
import { forcePush } from '../github/world/mutations.ts';
import { writeFile } from '../github/world/repository-changes.ts';
import { countersOf } from '../github/world/truth.ts';
import { installAsOperator } from '../installations/as-operator.ts';
import { runTask } from '../installations/installed.ts';
import { accountAsUser } from './answers.ts';
import { deliver, entity, inService, placeOf, type Scene, settingsOf, untilTrue } from './scene.ts';

/** How soon a change at a simulated Gitea is known. */

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
  await settled(service);
  await installAsOperator(service, settingsOf(simulator), target);
  await settled(service);
  // The command has the clock of the machine, which is ahead of the test's.
  await service.database.pool.query('update repositories set installed_at = $1 where installed_at is not null', [
    now(),
  ]);
}

test('reads the achievements file in the run that reads its push', async () => {
  await inService(async (scene) => {
    const { service, world, repositories, advance } = scene;
    await install(scene, `gitea/${engines.name}/handbook`);
    const author = { name: 'Olive', email: 'olive-admin@mail.example' };
    for (const name of ['Opener', 'Opener of issues']) {
      advance(60);
      const { oid } = writeFile(world, repositories.handbook, '.plaudit/config.yaml', achievements(name), author);
      await deliver(scene, '004-push', {});
      await settled(service);
      const { rows } = await service.database.pool.query(
        `select f.revision, a.name from achievement_files f
         join achievements a on a.repository_id = f.repository_id and a.is_current`,
      );
      assert.deepEqual(rows, [{ revision: oid, name }]);
    }
  });
});

async function numbersOf({ service }: Scene, name: string): Promise<unknown> {
  const { body } = await service.get(`${entity(name)}/contributions`);
  return body.data[0]?.['contributions'];
}

test('updates the numbers of everyone whose commits another person pushes, and their cached responses', async () => {
  await inService(async (scene) => {
    const { service, world, people, repositories, simulator } = scene;
    await untilTrue(scene, 'everything is counted');
    const { ada, max, olive } = people;
    for (const { login } of [ada, max]) await service.get(entity(login));
    await settled(service);
    for (const { login } of [ada, max]) assert.deepEqual(await numbersOf(scene, login), countersOf(world, login));
    const before = simulator.requests.length;
    addCommit(world, repositories.handbook, {
      author: { name: 'Max', email: max.emails[0] ?? '' },
      coAuthors: [{ name: 'Ada', email: ada.emails[0] ?? '' }],
    });
    await deliver(scene, '004-push', { sender: accountAsUser(placeOf(scene), olive) });
    await settled(service);
    for (const { login } of [ada, max]) assert.deepEqual(await numbersOf(scene, login), countersOf(world, login));
    // Gitea reports no totals, so that there is nothing to ask it for.
    const asked = simulator.requests.slice(before).filter((request) => / \/users\/(?:ada|max)[\w-]*$/.test(request));
    assert.deepEqual(asked, []);
  });
});

test('updates the numbers of everyone whose commits a force push removes', async () => {
  await inService(async (scene) => {
    const { service, world, people, repositories } = scene;
    await untilTrue(scene, 'everything is counted');
    const names = [people.ada.login, people.max.login];
    for (const name of names) await service.get(entity(name));
    await settled(service);
    const before = await Promise.all(names.map((name) => numbersOf(scene, name)));
    scene.advance(2);
    forcePush(world, repositories.handbook, repositories.handbook.commits.length, ['nobody@elsewhere.example']);
    await deliver(scene, '004-push', { sender: accountAsUser(placeOf(scene), people.olive) });
    await settled(service);
    for (const [index, name] of names.entries()) {
      assert.deepEqual(await numbersOf(scene, name), { ...Object(before[index]), commits: 0 });
    }
  });
});

test('updates numbers that changed before the process was killed', async () => {
  await inService(async (scene) => {
    const { service, people } = scene;
    const { pool } = service.database;
    await untilTrue(scene, 'everything is counted');
    await service.get(entity(people.ada.login));
    await settled(service);
    const before = Object(await numbersOf(scene, people.ada.login));
    // A page of a scan is committed, and nothing after it.
    await pool.query(
      `delete from contributions where kind = 'issue' and account_id = (select id from accounts where name = $1)`,
      [people.ada.login],
    );
    await runTask(service.database, 'update_totals');
    assert.deepEqual(await numbersOf(scene, people.ada.login), { ...before, issues: 0, issues_closed: 0 });
    const { rows } = await pool.query('select 1 from changed_contributors');
    assert.deepEqual(rows, []);
  });
});
