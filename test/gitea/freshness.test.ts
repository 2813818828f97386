import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engines } from '../access/owner.ts';
import { settled } from '../access/state.ts';
import { writeFile } from '../github/world/repository-changes.ts';
import { installAsOperator } from '../installations/as-operator.ts';
import { deliver, inService, type Scene, settingsOf, untilTrue } from './scene.ts';

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
