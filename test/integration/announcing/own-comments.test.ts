import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addComment } from '../../../simulators/world/comments.ts';
import { call, knownRepository } from '../../contract/host.ts';
import { announcing, issueHosts, open, type Scene } from './issue-hosts.ts';

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
});
