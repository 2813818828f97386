import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addCommit, addIssue, addRepository, addReview } from '../../../simulators/world/activity.ts';
import { addComment } from '../../../simulators/world/comments.ts';
import { listContributors } from '../../../simulators/world/expected-totals.ts';
import type { Repository } from '../../../simulators/world/model.ts';
import { setVisibility } from '../../../simulators/world/mutations.ts';
import { toContributors } from '../../contract/service-responses.ts';
import { sampled } from '../../depth.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import { entity, type Fixture, install, untilResponsesMatchWorld } from '../../e2e/gitlab/fixture.ts';
import { pollOwners } from '../../e2e/installations/installed.ts';
import { openSteppedGitLab } from './stepped-hosts.ts';

/** Kinds of owners, each with a check that polls find the changes in its projects. */
const owners: Record<string, (fixture: Fixture) => Promise<void>> = {
  'a group': async (fixture) => {
    const { repositories, organization, world, people, pulls } = fixture;
    await install(fixture, `gitlab/${organization.login}`);
    await untilIdle(fixture.service);
    await pollOwners(fixture);
    const [, , , pull] = pulls;
    assert.ok(pull);
    pull.updatedAt = fixture.now();
    addReview(world, pull, { author: people.max });
    await pollOwners(fixture);
    await assertContributors(fixture, organization.login);
    await assertFollowed(fixture, repositories.handbook, organization.login);
  },
  'the projects of a user': async (fixture) => {
    const { world, people, now } = fixture;
    const { login, id: ownerId } = people.ada;
    const own = addRepository(world, { ownerId, name: 'notes', createdAt: now(), hasDiscussions: false });
    addCommit(world, own, { author: { name: 'Ada', email: people.ada.emails[0] ?? '' } });
    await fixture.service.getComplete(`/v1/gitlab/entities/${login}/contributors`);
    await install(fixture, `gitlab/${login}`);
    await untilIdle(fixture.service);
    await assertFollowed(fixture, own, login);
  },
};

describe('polls of owners at GitLab', () => {
  for (const [title, check] of sampled(Object.entries(owners), 2)) {
    it(`find changes in ${title} without webhooks in the next round`, async () => {
      await using fixture = await openSteppedGitLab();
      await untilResponsesMatchWorld(fixture, 'everything is counted');
      await check(fixture);
    });
  }
});

async function assertContributors({ service, world }: Fixture, name: string): Promise<void> {
  const { body } = await service.get(`${entity(name)}/contributors?limit=100`);
  assert.deepEqual(toContributors(body.data), listContributors(world, name));
}

/** Makes one change after the other in a project, and asserts that the next round of polls finds each. */
async function assertFollowed(fixture: Fixture, repository: Repository, owner: string): Promise<void> {
  const { world, people, service } = fixture;
  await pollOwners(fixture);
  const issue = addIssue(world, repository, { author: people.max });
  await pollOwners(fixture);
  await assertContributors(fixture, owner);
  addCommit(world, repository, { author: { name: 'Max', email: people.max.emails[0] ?? '' } });
  await pollOwners(fixture);
  await assertContributors(fixture, owner);
  addComment(world, issue, { author: people.olive });
  await pollOwners(fixture);
  const { rows } = await service.database.pool.query(
    "select 1 from contributions where kind = 'issue_comment' and parent_external_id = $1",
    [String(issue.id)],
  );
  assert.equal(rows.length, 1);
  setVisibility(world, repository, 'private');
  await pollOwners(fixture);
  await assertContributors(fixture, owner);
}
