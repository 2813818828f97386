import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Permissions, readPermissions } from '../../../simulators/github/app/installation.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addDiscussion } from '../../../simulators/world/activity.ts';
import { addComment, addDiscussionComment } from '../../../simulators/world/comments.ts';
import { call, knownRepository } from '../../contract/host.ts';
import { announcing, issueHosts, open, type Scene } from '../../integration/announcing/issue-hosts.ts';
import { untilIdle } from '../access/state.ts';
import { poll, stage } from '../achievements/awarding/awarding.ts';
import { organization, startAppService, untilShown } from '../installations/installed.ts';

/** Comments that the service itself wrote, read back. */

/** Returns the external id of the author of each comment on issues, by the comment's id. */
async function commentAuthors(scene: Scene): Promise<Map<string, string | null>> {
  const { provider, repositories } = scene;
  const repository = await knownRepository(scene, repositories.handbook);
  const authors = new Map<string, string | null>();
  const streams = provider.streams ?? assert.fail();
  for (const { name } of streams.list) {
    let cursor: string | null = null;
    do {
      const position = { cursor, since: null, pageSize: null, isDeep: true };
      const page = await streams.read(name, repository, position, call());
      for (const { kind, externalId, author } of page.contributions) {
        if (kind === 'issue_comment') authors.set(externalId, author);
      }
      cursor = page.nextCursor;
    } while (cursor !== null);
  }
  return authors;
}

describe('comments of the service itself', () => {
  for (const host of issueHosts) {
    it(`reads its own comment without an author, unlike others by the bearer of its token (${host.name})`, async () => {
      await announcing(host, ['organization_member'], async (scene) => {
        const { repositories, people, world, notifier, place } = scene;
        const [issue] = open(scene, repositories.handbook, ['Awards']);
        assert.ok(issue);
        await notifier?.comment(place(repositories.handbook, 'Awards'), { id: 'one', text: 'Ada earned it.' }, call());
        const announced = issue.comments.at(-1);
        assert.equal(announced?.authorId, people.max.id);
        const own = addComment(world, issue, { author: people.max, body: 'Well deserved!' });
        const quoted = announced.body.split('\n').map((line) => `> ${line}`);
        const reply = addComment(world, issue, { author: people.ada, body: [...quoted, '', 'Thanks!'].join('\n') });
        const authors = await commentAuthors(scene);
        assert.deepEqual(
          [announced, own, reply].map(({ id }) => authors.get(String(id))),
          [null, String(people.max.id), String(people.ada.id)],
        );
      });
    });
  }

  it('stores no author for comments and accepted answers of the App, but one for other bots (github)', async () => {
    await using simulator = await startSimulator({ repositories: 2 });
    const { world, accounts } = simulator;
    const repository = stage(simulator);
    const [issue] = repository.issues;
    const author = world.accountByLogin('ada-lovelace') ?? assert.fail();
    const other = world.accountByLogin(accounts.bot) ?? assert.fail();
    assert.ok(issue);
    const installation = simulator.app.install(organization(simulator), undefined, writing);
    const own = simulator.app.commenter(installation, repository) ?? assert.fail();
    const comments = [own, other].map((bot) => addComment(world, issue, { author: bot }));
    const discussions = [own, other].map((bot) => {
      const discussion = addDiscussion(world, repository, { author });
      addDiscussionComment(world, discussion, { author: bot, isAnswer: true });
      return discussion;
    });
    await using service = await startAppService(simulator);
    await untilShown(service, 'engine-1', /installed/);
    await poll(service);
    await untilIdle(service);
    const { rows } = await service.database.pool.query<{ id: string; author: string | null; answered: boolean }>(
      `select c.external_id as id, coalesce(w.name, b.name) as author, c.answered
     from contributions c left join accounts w on w.id = c.account_id and c.kind <> 'discussion'
       left join accounts b on b.id = c.answered_by`,
    );
    const stored = new Map(rows.map(({ id, ...rest }) => [id, rest]));
    assert.deepEqual(
      comments.map(({ id }) => stored.get(String(id))?.author),
      [null, other.login],
    );
    assert.deepEqual(
      discussions.map(({ id }) => stored.get(String(id))),
      [
        { author: null, answered: true },
        { author: other.login, answered: true },
      ],
    );
  });
});

const writing: Permissions = { ...readPermissions, discussions: 'write' };
