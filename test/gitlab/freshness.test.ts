import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled } from '../access/state.ts';
import { addCommit } from '../github/world/activity.ts';
import { closeItem } from '../github/world/mutations.ts';
import { countersOf } from '../github/world/truth.ts';
import { events } from './deliveries.ts';
import { deliver, entity, inService, type Scene, told, untilTrue } from './scene.ts';

/** How soon a change at a simulated GitLab is known. */

async function numbersOf({ service }: Scene, name: string): Promise<unknown> {
  const { body } = await service.get(`${entity(name)}/contributions`);
  return body.data[0]?.['contributions'];
}

test('updates the numbers of everyone whose contributions another person changes, summed and reported ones', async () => {
  await inService(async (scene) => {
    const { service, world, people, repositories, issues } = scene;
    await untilTrue(scene, 'everything is counted');
    await untilTrue(scene, 'the group below is counted', scene.looms.login);
    const { ada, max, olive } = people;
    for (const { login } of [ada, max]) await service.get(entity(login));
    await settled(service);
    for (const { login } of [ada, max]) await numbersOf(scene, login);
    await settled(service);
    addCommit(world, repositories.handbook, { author: { name: 'Max', email: max.emails[0] ?? '' } });
    await deliver(scene, 'Push Hook', events.push(told(repositories.handbook), olive));
    const open = issues.find(({ authorId, closedAt }) => authorId === ada.id && closedAt === null);
    assert.ok(open);
    closeItem(world, open, { by: olive });
    await deliver(scene, 'Issue Hook', events.issue(told(repositories.handbook), olive, 'close'));
    await settled(service);
    for (const { login } of [ada, max]) assert.deepEqual(await numbersOf(scene, login), countersOf(world, login));
  });
});
