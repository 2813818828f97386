import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addCommit, addRepository } from '../../../simulators/world/activity.ts';
import type { Repository } from '../../../simulators/world/model.ts';
import { deleteRepository, forcePush } from '../../../simulators/world/mutations.ts';
import { addAccount } from '../../../simulators/world/people.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { addOrganization, entity, untilResponsesMatchWorld } from '../../e2e/gitea/fixture.ts';
import { withSteppedGitea } from './stepped-hosts.ts';

const olive = { name: 'Olive', email: 'olive-admin@mail.example' };

describe('matching of collected commits with accounts at Gitea', () => {
  it('finds authors who were co-authors before, and after force pushes and a deletion during the read', async () => {
    await withSteppedGitea(async (fixture) => {
      const { world, now, simulator, service } = fixture;
      const owner = addOrganization(fixture);
      const path = `${entity(owner.login)}/contributors`;
      /** Adds a repository, and a person who has commits only there. */
      const addRepositoryAndAuthor = (
        name: string,
      ): { repository: Repository; person: { name: string; email: string } } => {
        const email = `${name}@forge.test`;
        addAccount(world, { login: `author-of-${name}`, createdAt: now(), emails: [email] });
        return {
          repository: addRepository(world, { ownerId: owner.id, name, createdAt: now() }),
          person: { name, email },
        };
      };
      const coAuthored = addRepositoryAndAuthor('co-authored');
      addCommit(world, coAuthored.repository, { author: olive, coAuthors: [coAuthored.person] });
      // The newest and the oldest commit name the address as co-author, and more commits than a page are between them.
      const between = addRepositoryAndAuthor('between');
      addCommit(world, between.repository, { author: olive, coAuthors: [between.person] });
      addCommit(world, between.repository, { author: between.person });
      for (let count = 0; count < 8; count += 1) addCommit(world, between.repository, { author: olive });
      addCommit(world, between.repository, { author: olive, coAuthors: [between.person] });
      // Gitea before 1.23 fails for lost commits: https://github.com/go-gitea/gitea/issues/31976.
      const pushed = [404, 500].map((status) =>
        Object.assign(addRepositoryAndAuthor(`pushed-${status}`), { status, lost: '' }),
      );
      for (const { repository, person } of pushed) {
        for (const author of [olive, person, person]) addCommit(world, repository, { author });
      }
      // The author in the deleted repository is found in another one.
      const deleted = addRepositoryAndAuthor('deleted');
      const otherRepository = addRepository(world, { ownerId: owner.id, name: 'other', createdAt: now() });
      for (const repository of [deleted.repository, otherRepository])
        addCommit(world, repository, { author: deleted.person });
      simulator.overrides.push((requested) => {
        if (requested.includes('/deleted/commits?sha=') && world.repositories.includes(deleted.repository)) {
          deleteRepository(world, deleted.repository);
        }
        const requestedPush = pushed.find(({ repository }) => requested.includes(`/${repository.name}/commits?sha=`));
        if (requestedPush === undefined) return undefined;
        if (requestedPush.lost === '') {
          requestedPush.lost = requestedPush.repository.commits.at(-1)?.oid ?? assert.fail();
          forcePush(world, requestedPush.repository, 3, [olive.email, requestedPush.person.email]);
        }
        const isLost = requested.includes(`sha=${requestedPush.lost}`) && requestedPush.status === 500;
        return isLost ? { status: 500, body: { message: 'object does not exist', url: '' } } : undefined;
      });
      await service.getComplete(path);
      await untilIdle(service);
      // The address may have been found in the other repository, before a commit of this one was requested.
      if (world.repositories.includes(deleted.repository)) deleteRepository(world, deleted.repository);
      for (const { lost } of pushed) assert.notEqual(lost, '');

      const requested = simulator.requests.length;
      for (let count = 0; count < 5; count += 1) {
        addCommit(world, coAuthored.repository, { author: coAuthored.person });
      }
      fixture.advance(3601);
      await untilResponsesMatchWorld(fixture, 'all commits are counted for their authors', owner.login);
      await untilIdle(service);
      assert.ok(simulator.requests.length > requested);
    });
  });

  it('counts a co-author at once when another repository shows the account', async () => {
    await withSteppedGitea(async (fixture) => {
      const { world, now, service } = fixture;
      const owner = addOrganization(fixture);
      const eff = { name: 'eff', email: 'eff@forge.test' };
      addAccount(world, { login: 'eff-of-forge', createdAt: now(), emails: [eff.email] });
      const small = addRepository(world, { ownerId: owner.id, name: 'small', createdAt: now() });
      addCommit(world, small, { author: olive, coAuthors: [eff] });
      const path = `${entity(owner.login)}/contributors`;
      await service.getComplete(path);
      await untilIdle(service);
      const large = addRepository(world, { ownerId: owner.id, name: 'large', createdAt: now() });
      addCommit(world, large, { author: eff });
      fixture.advance(3601);
      await untilResponsesMatchWorld(fixture, 'both commits are counted for their author', owner.login);
      await untilIdle(service);
      const { rows } = await service.database.pool.query(
        `select r.name, t.commits from contributor_totals t join repositories r on r.id = t.repository_id
         join accounts a on a.id = t.account_id where a.name = 'eff-of-forge' order by r.name`,
      );
      assert.deepEqual(rows, [
        { name: 'large', commits: 1 },
        { name: 'small', commits: 1 },
      ]);
    });
  });
});
