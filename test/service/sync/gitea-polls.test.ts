import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { addCommit, addIssue, addRepository, addReview } from '../../../simulators/world/activity.ts';
import { addComment } from '../../../simulators/world/comments.ts';
import { listContributors, toCounters } from '../../../simulators/world/expected-totals.ts';
import { deleteRepository, renameAccount, setVisibility } from '../../../simulators/world/mutations.ts';
import { addAccount } from '../../../simulators/world/people.ts';
import { countStoredByKind, toContributors } from '../../contract/service-responses.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { entity, type Fixture, listGiteaSettings, untilResponsesMatchWorld } from '../../e2e/gitea/fixture.ts';
import { installAsOperator } from '../../e2e/installations/as-operator.ts';
import { pollOwners } from '../../e2e/installations/installed.ts';
import { engines } from '../../integration/access/owner.ts';
import { openSteppedGitea } from './stepped-hosts.ts';

/** Tests polls of an installed owner at a simulated Gitea without webhooks. */

/** Opens a service that has collected everything, with the organization installed. */
async function openInstalled(): Promise<Fixture & AsyncDisposable> {
  await using stack = new AsyncDisposableStack();
  const fixture = stack.use(await openSteppedGitea());
  const { service, simulator, people } = fixture;
  await untilResponsesMatchWorld(fixture, 'everything is counted');
  await service.get(entity(people.max.login));
  await untilIdle(service);
  await installAsOperator(service, listGiteaSettings(simulator), `gitea/${engines.name}`);
  await untilIdle(service);
  // The command has the clock of the machine, which is ahead of the test's.
  await service.database.pool.query('update repositories set installed_at = $1 where installed_at is not null', [
    fixture.now(),
  ]);
  // The clock of the machine begins polls of single repositories each minute; no change brings these forward.
  await service.database.pool.query(
    `insert into repository_polls (repository_id, next_at, interval_s, digest, changed_at)
     select id, '2100-01-01', 300, '', '2100-01-01' from repositories
     on conflict (repository_id) do update set next_at = excluded.next_at, changed_at = excluded.changed_at`,
  );
  await pollOwners(fixture);
  const parts = stack.move();
  return { ...fixture, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

async function assertMatchesWorld({ service, world, people }: Fixture): Promise<void> {
  const { body } = await service.get(`${entity(engines.name)}/contributors?limit=100`);
  assert.deepEqual(toContributors(body.data), listContributors(world, engines.name));
  for (const name of [engines.name, people.max.login]) {
    const { body: numbers } = await service.get(`${entity(name)}/contributions`);
    assert.deepEqual(numbers.data[0]?.['contributions'], toCounters(world, name));
  }
}

describe('polls of owners at Gitea', () => {
  let fixture: Fixture & AsyncDisposable;
  before(async () => {
    fixture = await openInstalled();
  });
  // The fixture is undefined when it could not be opened.
  after(() => fixture?.[Symbol.asyncDispose]());

  it('requests a page for each view and one search, reads only what changed, also after a failure, and costs its share', async () => {
    const { service, simulator, world, repositories, people, issues, pulls, advance } = fixture;
    const { handbook } = repositories;
    const [, second] = issues;
    const [, , , pull] = pulls;
    assert.ok(second && pull);
    const countsBefore = await countStoredByKind(service, handbook);
    for (const act of [
      () => addIssue(world, handbook, { author: people.max }),
      () => addComment(world, second, { author: people.olive }),
      () => addReview(world, pull, { author: people.max }),
      () => addCommit(world, handbook, { author: { name: 'Max', email: people.max.emails[0] ?? '' } }),
    ]) {
      await pollOwners(fixture, 600);
      const before = simulator.requests.length;
      act();
      await pollOwners(fixture);
      await assertMatchesWorld(fixture);
      const requests = simulator.requests.slice(before);
      assert.ok(requests.length < 40, requests.join('\n'));
      assert.doesNotMatch(requests.join('\n'), /secret-plans|\/empty/);
    }
    const kinds = await countStoredByKind(service, handbook);
    for (const kind of ['issue', 'issue_comment', 'review'])
      assert.equal(kinds[kind], (countsBefore[kind] ?? 0) + 1, kind);

    // The first poll reads the changes of the hour before it; they are stored now.
    await pollOwners(fixture, 3700);
    const versions = async (): Promise<unknown> => {
      const { rows } = await service.database.pool.query(
        `select 'repository' as what, id::text, xmin::text from repositories
         union all select 'stream', repository_id::text || name, xmin::text from streams
         union all select 'account', id::text, xmin::text from accounts order by 1, 2`,
      );
      return rows;
    };
    const [requestCount, written] = [simulator.requests.length, await versions()];
    await pollOwners(fixture);
    assert.deepEqual(
      simulator.requests.slice(requestCount).map((request) => request.replace(/\?.*$/, '')),
      ['/orgs/analytical-engines/repos', '/orgs/analytical-engines/repos', '/repos/issues/search'].map(
        (path) => `organization_member ${path}`,
      ),
    );
    assert.deepEqual(await versions(), written);
    await pollOwners(fixture, 5);
    assert.equal(simulator.requests.length, requestCount + 3);

    addIssue(world, repositories.handbook, { author: people.max });
    simulator.overrides.push((path) =>
      path.startsWith('/repos/issues/search') ? { status: 500, body: {} } : undefined,
    );
    await pollOwners(fixture);
    simulator.overrides.length = 0;
    await pollOwners(fixture, 60);
    await assertMatchesWorld(fixture);

    await pollOwners(fixture, 3700);
    const pollsBefore = simulator.requests.length;
    advance(30);
    await Promise.all(
      ['one', 'two', 'three'].map((name) =>
        service.database.pool.query(
          'select graphile_worker.add_job(\'poll_owners\', \'{"provider": "gitea"}\', job_key := $1)',
          [name],
        ),
      ),
    );
    await untilIdle(service);
    assert.equal(simulator.requests.length - pollsBefore, 3);

    const { pool } = service.database;
    await service.get(entity('ada-lovelace'));
    await untilIdle(service);
    await installAsOperator(service, listGiteaSettings(simulator), 'gitea/ada-lovelace');
    await untilIdle(service);
    await pollOwners(fixture, 3700);
    await pool.query(
      "update owner_polls set cost = 2997 where account_id = (select id from accounts where name = 'ada-lovelace')",
    );
    await pool.query("update owner_polls set next_at = next_at + interval '1 day' where cost = 2997");
    await pollOwners(fixture);
    const { rows } = await pool.query<{ seconds: number }>(
      'select extract(epoch from p.next_at - $2)::integer as seconds from owner_polls p join accounts a on a.id = p.account_id where a.name = $1',
      [engines.name, fixture.now()],
    );
    assert.deepEqual(rows, [{ seconds: (2997 + 3) / 5 }]);
    assert.ok(
      isDeepStrictEqual((await pool.query('select count(*)::integer as count from owner_polls')).rows, [{ count: 2 }]),
    );
    // The next polls are due as before.
    await pool.query('update owner_polls set cost = 3, next_at = $1', [fixture.now()]);
  });

  it('hides a repository within 60 seconds that is private, deleted or not shown to the token, and shows it again', async () => {
    const { service, world, organization, repositories, people, now } = fixture;
    await assertMatchesWorld(fixture);
    setVisibility(world, repositories.handbook, 'private');
    await pollOwners(fixture);
    await assertMatchesWorld(fixture);
    setVisibility(world, repositories.handbook, 'public');
    await pollOwners(fixture);
    await assertMatchesWorld(fixture);

    const { rows: present } = await service.database.pool.query(
      "select 1 from repositories where name = 'secret-plans' and deleted_at is null",
    );
    assert.equal(present.length, 1);
    world.memberships.splice(0, world.memberships.length);
    setVisibility(world, repositories.handbook, 'private');
    assert.equal(world.membership(organization.id, people.max.id), undefined);
    await pollOwners(fixture);
    const { rows: presentRepositories } = await service.database.pool.query(
      'select name from repositories where deleted_at is null and owner_id = (select id from accounts where name = $1)',
      [engines.name],
    );
    assert.deepEqual(presentRepositories, [{ name: 'empty' }]);
    await assertMatchesWorld(fixture);
    setVisibility(world, repositories.handbook, 'public');
    await pollOwners(fixture);
    await assertMatchesWorld(fixture);
    deleteRepository(world, repositories.handbook);
    await pollOwners(fixture);
    await assertMatchesWorld(fixture);

    // An account with another id takes the name of the owner.
    renameAccount(world, organization, 'difference-engines');
    const successor = addAccount(world, { type: 'Organization', login: engines.name, createdAt: now() });
    addRepository(world, { ownerId: successor.id, name: 'looms', createdAt: now() });
    await pollOwners(fixture);
    const { rows: looms } = await service.database.pool.query("select 1 from repositories where name = 'looms'");
    assert.deepEqual(looms, []);
    assert.equal((await service.get(`${entity(engines.name)}/contributors`)).status, 404);
  });
});
