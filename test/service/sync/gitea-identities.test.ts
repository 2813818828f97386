import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addCommit, addRepository } from '../../../simulators/world/activity.ts';
import type { Repository } from '../../../simulators/world/model.ts';
import { deleteRepository, forcePush, renameAccount, takeLogin } from '../../../simulators/world/mutations.ts';
import { addAccount } from '../../../simulators/world/people.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { addOrganization, entity, listGiteaSettings, untilResponsesMatchWorld } from '../../e2e/gitea/fixture.ts';
import { withSteppedGitea } from './stepped-hosts.ts';
import { startSteppedService } from './stepped-service.ts';

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

  for (const isTaken of [false, true]) {
    const taken = isTaken ? 'taken' : 'free';
    for (const isSeen of [true, false]) {
      const reason = isSeen ? 'the rename was seen' : 'a whole scan is wanted';
      it(`looks up addresses with a former name again that is ${taken}, when ${reason}`, async () => {
        await withSteppedGitea(async (fixture) => {
          const { world, now, advance, simulator, service } = fixture;
          const owner = addOrganization(fixture);
          const account = addAccount(world, { login: 'rene', createdAt: now(), emails: ['rene@forge.test'] });
          const own = { name: 'Rene', email: 'rene@forge.test' };
          const given = { name: 'Rene', email: 'rene@noreply.forge.example' };
          const large = addRepository(world, { ownerId: owner.id, name: 'large', createdAt: now() });
          for (const author of [own, given, given]) addCommit(world, large, { author });
          const small = addRepository(world, { ownerId: owner.id, name: 'small', createdAt: now() });
          addCommit(world, small, { author: olive, coAuthors: [given] });
          const path = `${entity(owner.login)}/contributors`;
          await service.getComplete(path);
          await untilIdle(service);

          advance(60);
          renameAccount(world, account, 'rene-now');
          if (isTaken) takeLogin(world, 'rene');
          advance(2 * 86_400);
          if (!isSeen) await service.database.pool.query('update streams set full_scan_wanted_at = $1', [now()]);
          await service.get(path);
          await untilIdle(service);
          // The rename is seen after the repositories were read, and nothing but the job has them read again.
          if (isSeen) await service.get(`${entity('rene-now')}/contributions`);
          await untilIdle(service);
          await service.database.pool.query(`select graphile_worker.add_job('clean_up')`);
          await service.work?.();
          await untilIdle(service);
          const settings = listGiteaSettings(simulator);
          await using later = await startSteppedService({ simulator, tokens: [], settings, now });
          await later.getComplete(path);
          await untilIdle(later);
          const [first, second] = await Promise.all(
            [service, later].map(async ({ database }) => {
              const { rows } = await database.pool.query<{ line: string }>(
                `select concat_ws(' ', r.name, a.name, t.commits) as line from contributor_totals t
                 join repositories r on r.id = t.repository_id join accounts a on a.id = t.account_id
                 where a.name like 'rene%' and t.commits > 0 order by 1`,
              );
              return rows.map(({ line }) => line);
            }),
          );
          assert.deepEqual(
            first,
            isTaken ? ['large rene 2', 'large rene-now 1', 'small rene 1'] : ['large rene-now 1'],
          );
          assert.deepEqual(second, first);
        });
      });
    }
  }
});
