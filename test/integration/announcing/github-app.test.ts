import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Permissions, readPermissions } from '../../../simulators/github/app/installation.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addDiscussion } from '../../../simulators/world/activity.ts';
import { addComment, addDiscussionComment } from '../../../simulators/world/comments.ts';
import type { Contribution } from '../../../src/model/contribution.ts';
import { knownRepository, newCall } from '../../contract/host.ts';
import { createContractWorld } from '../../contract/world.ts';
import { createAppProvider } from '../providers/github/app-provider.ts';

const writing: Permissions = { ...readPermissions, discussions: 'write' };

/** Starts a provider that is the App, installed on the organization of the small world. */
async function open(permissions: Permissions) {
  const world = createContractWorld();
  const simulator = await startSimulator({ world: world.world, now: world.now });
  const { app } = simulator;
  const provider = createAppProvider(simulator, { now: world.now });
  const installation = app.install(world.organization, undefined, permissions);
  provider.app?.use([{ externalId: String(installation.id), account: String(installation.accountId) }]);
  const owner = { owner: String(world.organization.id), ownerName: world.organization.login };
  return {
    ...world,
    simulator,
    installation,
    provider,
    notifier: provider.notifier ?? assert.fail(),
    place: owner,
    [Symbol.asyncDispose]: async () => {
      await provider.close();
      await simulator.close();
    },
  };
}

describe('comments in discussions by the GitHub App', () => {
  it('need the permission, a discussion of the title, and a repository of the installation', async () => {
    for (const [permissions, repository, title, expected] of [
      [readPermissions, 'handbook', 'Achievements', /the GitHub App is not allowed to write there/],
      [writing, 'handbook', 'Nothing', /there is no discussion of this title/],
      [writing, 'nothing', 'Nothing', /there is no such repository/],
    ] as const) {
      await using fixture = await open(permissions);
      const { world, people, repositories, notifier, place } = fixture;
      const discussion = Object.assign(addDiscussion(world, repositories.handbook, { author: people.ada }), {
        title: 'Achievements',
      });
      const comment = notifier.comment(
        { ...place, repository, title },
        { id: 'one', text: 'Ada earned it.' },
        newCall(),
      );
      await assert.rejects(comment, expected);
      assert.deepEqual(discussion.comments, []);
    }
  });

  it('have no author, and accepted answers neither, unlike those of other bots', async () => {
    await using fixture = await open(writing);
    const { world, people, repositories, simulator, installation, provider } = fixture;
    const [issue] = repositories.handbook.issues;
    const otherBot = world.accountByLogin(simulator.accounts.bot) ?? people.max;
    assert.ok(issue);
    const own = simulator.app.commenter(installation, repositories.handbook) ?? assert.fail();
    const comments = [own, otherBot].map((author) => addComment(world, issue, { author }));
    const discussions = [own, otherBot].map((author) => {
      const discussion = addDiscussion(world, repositories.handbook, { author: people.ada });
      addDiscussionComment(world, discussion, { author, isAnswer: true });
      return discussion;
    });
    const repository = await knownRepository({ provider, world }, repositories.handbook);
    const found = new Map<string, Contribution>();
    const streams = provider.streams ?? assert.fail();
    for (const { name } of streams.list) {
      let cursor: string | null = null;
      do {
        const page = await streams.read(
          name,
          repository,
          { cursor, since: null, pageSize: null, isDeep: true },
          newCall(),
        );
        for (const item of page.contributions) found.set(`${item.kind} ${item.externalId}`, item);
        cursor = page.nextCursor;
      } while (cursor !== null);
    }
    assert.deepEqual(
      comments.map(({ id }) => found.get(`issue_comment ${id}`)?.author),
      [null, String(otherBot.id)],
    );
    assert.deepEqual(
      discussions.map(({ id }) => {
        const { answered, answeredBy } = found.get(`discussion ${id}`) ?? assert.fail();
        return [answered, answeredBy];
      }),
      [
        [true, null],
        [true, String(otherBot.id)],
      ],
    );
  });
});
