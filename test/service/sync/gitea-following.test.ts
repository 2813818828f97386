import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { accountAsUser, comment, describeRepository, item } from '../../../simulators/gitea/responses.ts';
import { addCommit, addIssue, addReview } from '../../../simulators/world/activity.ts';
import { addComment, deleteComment } from '../../../simulators/world/comments.ts';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import { closeItem, deleteItem, forcePush, setVisibility } from '../../../simulators/world/mutations.ts';
import { writeFile } from '../../../simulators/world/repository-changes.ts';
import { countersIn, countStoredByKind, expectedByKind } from '../../contract/service-responses.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import {
  deliver,
  entity,
  listGiteaSettings,
  responseContext,
  untilResponsesMatchWorld,
} from '../../e2e/gitea/fixture.ts';
import { installAsOperator } from '../../e2e/installations/as-operator.ts';
import { runTask } from '../../e2e/installations/installed.ts';
import { send } from '../../e2e/raw-request.ts';
import { engines } from '../../integration/access/owner.ts';
import { removeContributions } from '../../integration/contributions/stored-repository.ts';
import { until } from '../../time.ts';
import { withSteppedGitea } from './stepped-hosts.ts';

/** Tests that changes at a simulated Gitea reach a service. */

const file = (name: string): string => `version: 0.0.1
achievements:
  - achievement:
      name: ${name}
      icon: icons/opener.png
      description: Opened an issue
      triggers: [{trigger: {actor: author, action: issue, condition: "count() >= 1"}}]
  - achievement:
      name: Gazer
      triggers: [{trigger: {actor: author, action: star, condition: starred = true}}]
`;

describe('changes at Gitea', () => {
  it('reach the responses within seconds of a delivery, for everyone whose contributions or whose visibility change', async () => {
    await withSteppedGitea(async (fixture) => {
      const { service, simulator, world, people, repositories, issues, pulls, advance } = fixture;
      await untilResponsesMatchWorld(fixture, 'everything is counted');
      await untilIdle(service);
      const context = responseContext(fixture);
      const issue = addIssue(world, repositories.handbook, { author: people.max });
      assert.equal(await deliver(fixture, '007-issues-opened', { issue: item(context, issue) }), 'accepted');
      fixture.advance(2);
      await untilResponsesMatchWorld(fixture, 'a new issue is counted');
      closeItem(world, issue, { by: people.olive });
      await deliver(fixture, '021-issues-closed', { action: 'closed', issue: item(context, issue) });
      fixture.advance(2);
      await untilResponsesMatchWorld(fixture, 'that it was closed is counted');
      const [, , , pull] = pulls;
      assert.ok(pull);
      addReview(world, pull, { author: people.max });
      await deliver(fixture, '030-pull_request_review_approved-reviewed', { pull_request: item(context, pull) });
      fixture.advance(2);
      await untilResponsesMatchWorld(fixture, 'a review is counted');
      addCommit(world, repositories.handbook, { author: { name: 'Max', email: 'max-member@mail.example' } });
      await deliver(fixture, '004-push', {});
      fixture.advance(2);
      await untilResponsesMatchWorld(fixture, 'a commit is counted');
      assert.equal(await deliver(fixture, '057-release-published', {}), 'ignored');
      const unsigned = await send(service, '/v1/gitea/webhooks', 'POST', { 'content-type': 'application/json' }, '{}');
      assert.equal(unsigned.status, 401);

      const { ada, max, olive } = people;
      for (const { login } of [ada, max]) await service.get(entity(login));
      await untilIdle(service);
      for (const { login } of [ada, max])
        assert.deepEqual(await countersIn(service, entity(login)), toCounters(world, login));
      const requestCount = simulator.requests.length;
      addCommit(world, repositories.handbook, {
        author: { name: 'Max', email: max.emails[0] ?? '' },
        coAuthors: [{ name: 'Ada', email: ada.emails[0] ?? '' }],
      });
      await deliver(fixture, '004-push', { sender: accountAsUser(responseContext(fixture), olive) });
      await untilIdle(service);
      for (const { login } of [ada, max])
        assert.deepEqual(await countersIn(service, entity(login)), toCounters(world, login));
      // Gitea reports no totals, so that requests for the accounts would be useless.
      const accountRequests = simulator.requests
        .slice(requestCount)
        .filter((request) => / \/users\/(?:ada|max)[\w-]*$/.test(request));
      assert.deepEqual(accountRequests, []);

      // Nothing delivers the deletion, and the repository is not installed.
      deleteItem(world, repositories.handbook, issues[0] ?? assert.fail());
      advance(31 * 86_400);
      await untilResponsesMatchWorld(fixture, 'the issue is removed');

      const names = [people.ada.login, people.max.login];
      await untilIdle(service);
      const numbers = await Promise.all(names.map((name) => countersIn(service, entity(name))));
      fixture.advance(2);
      forcePush(world, repositories.handbook, repositories.handbook.commits.length, ['nobody@elsewhere.example']);
      await deliver(fixture, '004-push', { sender: accountAsUser(responseContext(fixture), people.olive) });
      await untilIdle(service);
      for (const [index, name] of names.entries()) {
        assert.deepEqual(await countersIn(service, entity(name)), { ...Object(numbers[index]), commits: 0 });
      }

      // A process was killed after it committed a page of a scan.
      const before = Object(await countersIn(service, entity(people.ada.login)));
      // A page of a scan is committed, and nothing after it.
      const { connection } = service.database;
      const isAdas = sql<boolean>`c.kind = 'issue'
        and c.account_id = (select id from accounts where name = ${people.ada.login})`;
      for (const { id } of await connection.selectFrom('repositories').select('id').execute()) {
        await removeContributions(connection, id, isAdas);
      }
      await runTask(service, 'update_totals');
      assert.deepEqual(await countersIn(service, entity(people.ada.login)), { ...before, issues: 0, issues_closed: 0 });
      const { rows: changed } = await service.database.pool.query('select 1 from changed_contributors');
      assert.deepEqual(changed, []);

      setVisibility(world, repositories.handbook, 'private');
      advance(2);
      await deliver(fixture, '001-repository-created', {
        repository: describeRepository(responseContext(fixture), repositories.handbook),
      });
      await until(async () => {
        await service.get(`${entity(engines.name)}/contributors`);
        const { rows } = await service.database.pool.query(
          "select 1 from repositories where name = 'handbook' and owner_id = (select id from accounts where name = $1) and (is_private or deleted_at is not null)",
          [engines.name],
        );
        return rows.length > 0 ? true : undefined;
      }, 'it is known to be private');
      await untilIdle(service);
      assert.deepEqual(await countersIn(service, entity(people.ada.login)), toCounters(world, people.ada.login));
    });
  });

  it('are read at full depth in an installed repository, with its achievements file', async () => {
    await withSteppedGitea(async (fixture) => {
      const { service, world, repositories, people, issues, advance, now } = fixture;
      const { pool } = service.database;
      await untilResponsesMatchWorld(fixture, 'everything is counted');
      await untilIdle(service);
      await installAsOperator(service, listGiteaSettings(fixture.simulator), 'gitea/analytical-engines/handbook');
      await untilIdle(service);
      // The command has the clock of the machine, which is ahead of the test's.
      await pool.query('update repositories set installed_at = $1 where installed_at is not null', [now()]);

      // The run that reads a push reads the file too.
      const author = { name: 'Olive', email: 'olive-admin@mail.example' };
      for (const name of ['Opener', 'Opener of issues']) {
        advance(60);
        const { oid } = writeFile(world, repositories.handbook, '.plaudit/config.yaml', file(name), author);
        await deliver(fixture, '004-push', {});
        await untilIdle(service);
        const { rows } = await pool.query(
          `select f.revision, a.name from achievement_files f
         join achievements a on a.repository_id = f.repository_id and a.is_current and a.name <> 'Gazer'`,
        );
        assert.deepEqual(rows, [{ revision: oid, name }]);
      }
      const { rows: files } = await pool.query<{ reports: { severity: string; message: string }[] }>(
        'select reports from achievement_files where path is not null',
      );
      assert.deepEqual(
        files.flatMap(({ reports }) => reports.map(({ severity, message }) => `${severity}: ${message}`)),
        ['warning: Gitea and Forgejo do not report the times of stars: this trigger never holds there'],
      );

      const kinds = () => countStoredByKind(service, repositories.handbook);
      await until(async () => {
        await service.work?.();
        if (isDeepStrictEqual(await kinds(), expectedByKind)) return true;
        // The poll may have left the repository to another read.
        await pool.query('delete from repository_polls');
        await pool.query("select graphile_worker.add_job('poll_due', job_key := 'its turn again')");
        return undefined;
      }, 'all of it is stored');
      const [first, second] = issues;
      const firstComment = first?.comments[0];
      assert.ok(first && second && firstComment);
      const context = responseContext(fixture);
      deleteComment(world, firstComment);
      await deliver(fixture, '018-issue_comment-created', {
        action: 'deleted',
        issue: item(context, first),
        comment: comment(context, firstComment, first, '/analytical-engines/handbook'),
      });
      const added = addComment(world, second, { author: people.olive });
      await deliver(fixture, '018-issue_comment-created', {
        issue: item(context, second),
        comment: comment(context, added, second, '/analytical-engines/handbook'),
      });
      await until(async () => {
        advance(2);
        await service.work?.();
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
        // After another week all of the work would begin again while it is under way.
        await untilIdle(service);
        return (await kinds())['issue'] === 4 ? true : undefined;
      }, 'an issue whose deletion was not delivered is removed');
    });
  });
});
