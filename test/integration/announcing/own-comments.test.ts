import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addComment } from '../../../simulators/world/comments.ts';
import { knownRepository, newCall } from '../../contract/host.ts';
import { type Fixture, issueHosts, openIssues, withNotifier } from './issue-hosts.ts';

/** Comments that the service itself wrote, read back. */

/** Returns the external id of the author of each comment on issues, by the comment's id. */
async function commentAuthors(fixture: Fixture): Promise<Map<string, string | null>> {
  const { provider, repositories } = fixture;
  const repository = await knownRepository(fixture, repositories.handbook);
  const authors = new Map<string, string | null>();
  const streams = provider.streams ?? assert.fail();
  for (const { name } of streams.list) {
    let cursor: string | null = null;
    do {
      const position = { cursor, since: null, pageSize: null, isDeep: true };
      const page = await streams.read(name, repository, position, newCall());
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
      await withNotifier(host, ['organization_member'], async (fixture) => {
        const { repositories, people, world, notifier, toPlace: placeOf } = fixture;
        const [issue] = openIssues(fixture, repositories.handbook, ['Awards']);
        assert.ok(issue);
        await notifier?.comment(
          placeOf(repositories.handbook, 'Awards'),
          { id: 'one', text: 'Ada earned it.' },
          newCall(),
        );
        const announced = issue.comments.at(-1);
        assert.equal(announced?.authorId, people.max.id);
        const own = addComment(world, issue, { author: people.max, body: 'Well deserved!' });
        const quoted = announced.body.split('\n').map((line) => `> ${line}`);
        const reply = addComment(world, issue, { author: people.ada, body: [...quoted, '', 'Thanks!'].join('\n') });
        const authors = await commentAuthors(fixture);
        assert.deepEqual(
          [announced, own, reply].map(({ id }) => authors.get(String(id))),
          [null, String(people.max.id), String(people.ada.id)],
        );
      });
    });
  }
});
