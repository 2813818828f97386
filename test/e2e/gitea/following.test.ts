import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { comment, item, repository } from '../../../simulators/gitea/responses.ts';
import { addCommit, addIssue, addReview } from '../../../simulators/world/activity.ts';
import { addComment, deleteComment } from '../../../simulators/world/comments.ts';
import { countersOf } from '../../../simulators/world/expected-totals.ts';
import { closeItem, deleteItem, setVisibility } from '../../../simulators/world/mutations.ts';
import { everything, kindsStored, numbersOf } from '../../contract/served.ts';
import { engines } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { installAsOperator } from '../installations/as-operator.ts';
import { send } from '../raw-request.ts';
import { deliver, entity, inService, placeOf, settingsOf, untilTrue } from './scene.ts';

describe('installed repositories of Gitea', () => {
  /** Tests that changes at a simulated Gitea reach the whole service. */

  it('updates the responses within seconds of a delivery', async () => {
    await inService(async (scene) => {
      const { service, world, people, repositories, pulls } = scene;
      await untilTrue(scene, 'everything is counted');
      await untilIdle(service);
      const place = placeOf(scene);
      const issue = addIssue(world, repositories.handbook, { author: people.max });
      assert.equal(await deliver(scene, '007-issues-opened', { issue: item(place, issue) }), 'accepted');
      scene.advance(2);
      await untilTrue(scene, 'a new issue is counted');
      closeItem(world, issue, { by: people.olive });
      await deliver(scene, '021-issues-closed', { action: 'closed', issue: item(place, issue) });
      scene.advance(2);
      await untilTrue(scene, 'that it was closed is counted');
      const [, , , pull] = pulls;
      assert.ok(pull);
      addReview(world, pull, { author: people.max });
      await deliver(scene, '030-pull_request_review_approved-reviewed', { pull_request: item(place, pull) });
      scene.advance(2);
      await untilTrue(scene, 'a review is counted');
      addCommit(world, repositories.handbook, { author: { name: 'Max', email: 'max-member@mail.example' } });
      await deliver(scene, '004-push', {});
      scene.advance(2);
      await untilTrue(scene, 'a commit is counted');
      assert.equal(await deliver(scene, '057-release-published', {}), 'ignored');
      const unsigned = await send(service, '/v1/gitea/webhooks', 'POST', { 'content-type': 'application/json' }, '{}');
      assert.equal(unsigned.status, 401);
    });
  });

  it('collects comments of an installed repository, and hides deleted items', async () => {
    await inService(async (scene) => {
      const { service, world, repositories, people, issues, advance } = scene;
      await untilTrue(scene, 'everything is counted');
      await untilIdle(service);
      const { pool } = service.database;
      await installAsOperator(service, settingsOf(scene.simulator), 'gitea/analytical-engines/handbook');
      await untilIdle(service);
      const kinds = () => kindsStored(service, repositories.handbook);
      await until(async () => {
        if (isDeepStrictEqual(await kinds(), everything)) return true;
        // Another read may have taken the turn of the poll.
        await pool.query('delete from repository_polls');
        await pool.query("select graphile_worker.add_job('poll_due', job_key := 'its turn again')");
        return undefined;
      }, 'all of it is stored');
      const [first, second] = issues;
      const said = first?.comments[0];
      assert.ok(first && second && said);
      const place = placeOf(scene);
      deleteComment(world, said);
      await deliver(scene, '018-issue_comment-created', {
        action: 'deleted',
        issue: item(place, first),
        comment: comment(place, said, first, '/analytical-engines/handbook'),
      });
      const added = addComment(world, second, { author: people.olive });
      await deliver(scene, '018-issue_comment-created', {
        issue: item(place, second),
        comment: comment(place, added, second, '/analytical-engines/handbook'),
      });
      await until(async () => {
        advance(2);
        const { rows } = await pool.query(
          "select 1 from contributions where kind = 'issue_comment' and external_id = $1",
          [String(added.id)],
        );
        return rows.length === 1 ? true : undefined;
      }, 'a new comment is stored');
      assert.equal((await kinds())['issue_comment'], 2);
      deleteItem(world, repositories.handbook, second);
      await until(async () => {
        advance(8 * 86_400);
        await service.get(`${entity(engines.name)}/contributors`);
        return (await kinds())['issue'] === 4 ? true : undefined;
      }, 'an issue whose deletion was not delivered is removed');
    });
  });

  it('hides a deleted item of a repository that is not installed within a month', async () => {
    await inService(async (scene) => {
      const { service, world, repositories, issues, advance } = scene;
      await untilTrue(scene, 'everything is counted');
      await untilIdle(service);
      const [first] = issues;
      assert.ok(first);
      deleteItem(world, repositories.handbook, first);
      advance(31 * 86_400);
      await untilTrue(scene, 'the issue is removed');
    });
  });

  it('excludes contributions in a repository that becomes private from the public numbers of people', async () => {
    await inService(async (scene) => {
      const { service, world, repositories, advance } = scene;
      await untilTrue(scene, 'everything is counted');
      await untilIdle(service);
      const numbers = () => numbersOf(service, entity('ada-lovelace'));
      await service.get(entity('ada-lovelace'));
      await untilIdle(service);
      await until(
        async () => (isDeepStrictEqual(await numbers(), countersOf(world, 'ada-lovelace')) ? true : undefined),
        'she is counted',
      );
      setVisibility(world, repositories.handbook, 'private');
      advance(2);
      await deliver(scene, '001-repository-created', { repository: repository(placeOf(scene), repositories.handbook) });
      await until(async () => {
        await service.get(`${entity(engines.name)}/contributors`);
        const { rows } = await service.database.pool.query(
          "select 1 from repositories where name = 'handbook' and owner_id = (select id from accounts where name = $1) and (is_private or deleted_at is not null)",
          [engines.name],
        );
        return rows.length > 0 ? true : undefined;
      }, 'it is known to be private');
      assert.deepEqual(await numbers(), countersOf(world, 'ada-lovelace'));
    });
  });
});
