import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { events } from '../../../simulators/gitlab/deliveries.ts';
import { addComment } from '../../../simulators/world/comments.ts';
import { deleteItem } from '../../../simulators/world/mutations.ts';
import { react } from '../../../simulators/world/reactions.ts';
import { writeFile } from '../../../simulators/world/repository-changes.ts';
import {
  countStoredByKind,
  findAchievements,
  expectedByKind as withoutStars,
} from '../../contract/service-responses.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { deliver, entity, install, projectPayload, untilResponsesMatchWorld } from '../../e2e/gitlab/fixture.ts';
import { runTask } from '../../e2e/installations/installed.ts';
import { engines } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { withSteppedGitLab } from './stepped-hosts.ts';

/** Tests an installed project of a simulated GitLab, and the achievements that people earn in it. */

const achievements = `version: 0.0.1
achievements:
  - achievement:
      name: Opener
      icon: icons/opener.png
      description: Opened two issues
      triggers: [{trigger: {actor: author, action: issue, condition: "count() >= 2"}}]
  - achievement:
      name: Helper
      icon: https://icons.example/helper.png
      description: Wrote what was loved
      triggers: [{trigger: {actor: author, action: issue_comment, condition: "emojis in ['ROCKET']"}}]
  - achievement:
      name: Reviewer
      icon: https://icons.example/reviewer.png
      description: Reviewed
      triggers: [{trigger: {actor: author, action: review, condition: "count() >= 1"}}]
  - achievement:
      name: Gazer
      icon: https://icons.example/gazer.png
      description: Starred
      triggers: [{trigger: {actor: author, action: star, condition: "starred = true"}}]
  - achievement:
      name: Small change
      icon: https://icons.example/small.png
      description: Changed few lines
      triggers: [{trigger: {actor: author, action: pull_request, condition: "merged = true & changed_files = 1 & files in ['guide/engines.md']"}}]
`;

describe('achievements at GitLab', () => {
  it('collects an installed project completely, and awards and draws its achievements', async () => {
    await withSteppedGitLab(async (fixture) => {
      const { service, world, repositories, people, issues, advance } = fixture;
      const author = { name: 'Olive', email: 'olive-admin@mail.example' };
      writeFile(world, repositories.handbook, '.plaudit/config.yaml', achievements, author);
      await untilResponsesMatchWorld(fixture, 'everything is counted');
      await untilIdle(service);
      const { pool } = service.database;
      await install(fixture, `gitlab/${engines.name}/handbook`);
      await untilIdle(service);
      const kinds = () => countStoredByKind(service, repositories.handbook);
      const countsWithStars = { ...withoutStars, star: 2 };
      const poll = async (): Promise<void> => {
        await pool.query('delete from repository_polls');
        await runTask(service, 'poll_due');
        await untilIdle(service);
      };
      await until(async () => {
        await service.work?.();
        if (isDeepStrictEqual(await kinds(), countsWithStars)) return true;
        await poll();
        return undefined;
      }, 'all of it is stored');
      const earned = (name: string) => findAchievements(service, entity(name));
      await service.get(entity('ada-lovelace'));
      await service.get(entity('max-member'));
      const expected = { 'ada-lovelace': ['Gazer', 'Opener', 'Small change'], 'max-member': ['Gazer', 'Reviewer'] };
      for (const [name, names] of Object.entries(expected)) {
        await until(
          async () => (isDeepStrictEqual(await earned(name), names) ? true : undefined),
          `${name} is awarded`,
        );
      }
      const { text } = await service.get(`${entity('ada-lovelace')}/achievements?format=svg`);
      assert.match(text, /Small change/);

      const [first, second] = issues;
      assert.ok(first && second);
      const comment = addComment(world, second, { author: people.max });
      second.updatedAt = fixture.now();
      react(world, comment, { by: people.ada, content: 'ROCKET' });
      assert.equal(
        await deliver(fixture, 'Emoji Hook', events.emoji(projectPayload(repositories.handbook), people.ada)),
        'accepted',
      );
      await until(async () => {
        advance(2);
        return (await earned('max-member')).includes('Helper') ? true : undefined;
      }, 'a delivered reaction is fetched, and its achievement is awarded');

      deleteItem(world, repositories.handbook, second);
      await until(async () => {
        advance(8 * 86_400);
        await service.get(`${entity(engines.name)}/contributors`);
        // After another week all of the work would begin again while it is under way.
        await untilIdle(service);
        return (await kinds())['issue'] === 4 ? true : undefined;
      }, 'an issue whose deletion was not delivered is removed');
    });
  });
});
