import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addDiscussion, addIssue } from '../../../simulators/world/activity.ts';
import { until } from '../../time.ts';
import { awardingRepository, poll, writeAchievementsFile } from '../achievements/awarding/awarding.ts';
import { organization, startAppService } from '../installations/installed.ts';
import type { TestService } from '../service.ts';
import { fileText, install, writing } from './announcements.ts';

function byText(left: string, right: string): number {
  return left < right ? -1 : 1;
}

/** Has the receivers that failed receive the next attempt now, whose delay is ten seconds at least. */
async function retryNow({ database: { pool } }: TestService): Promise<void> {
  await pool.query('update failing_receivers set resumes_at = now()');
  await pool.query(`update notifications set next_attempt_at = now() where state = 'waiting'`);
  await pool.query(
    `select graphile_worker.add_job('notify', json_build_object('receiver', receiver), job_key := 'notify ' || receiver)
     from failing_receivers`,
  );
}

async function outcomes({ database }: TestService): Promise<string[]> {
  const { rows } = await database.pool.query<{ outcome: string }>(
    `select distinct state || coalesce(' ' || error, '') as outcome from notifications order by 1`,
  );
  return rows.map(({ outcome }) => outcome);
}

describe('announcements and checks on GitHub', () => {
  it('announces each award once in the discussions that exist, even after a lost response, and stores why not in others', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    const { world } = simulator;
    const repository = awardingRepository(simulator);
    repository.issues.length = 0;
    const [author, commenter] = world.accounts.filter(({ type, isDeleted }) => type === 'User' && !isDeleted);
    if (author === undefined || commenter === undefined) assert.fail('the world has too few people');
    const titles = ['Welcome', 'Achievements', 'Achievements'];
    const discussions = titles.map((title) => Object.assign(addDiscussion(world, repository, { author }), { title }));
    const comments = (): string[] => discussions[1]?.comments.map(({ body }) => body) ?? [];
    const owner = organization(simulator).login;
    writeAchievementsFile(
      simulator,
      fileText(
        [`${owner}/engine-1`, 'Achievements'],
        [`${owner}/engine-1`, 'Nothing'],
        [`${owner}/nothing`, 'Achievements'],
        ['ada-lovelace/notes', 'Achievements'],
      ),
    );
    // The host carries out the request, but its response is lost.
    simulator.faults.add({ kind: 'drop_after', on: 'AddDiscussionComment' });
    await using service = await startAppService(simulator);
    await install(service, simulator, writing);
    addIssue(world, repository, { author });
    await poll(service);
    await until(async () => (comments().length === 1 ? true : undefined), 'the first is sent');
    addIssue(world, repository, { author: commenter });
    await poll(service);
    await until(async () => {
      await retryNow(service);
      return comments().length === 2 ? true : undefined;
    }, 'the second is sent');
    const expected = [
      'dead is in a repository of another owner',
      'sent',
      'waiting there is no discussion of this title',
      'waiting there is no such repository, or the App does not see it',
    ];
    await until(async () => {
      await retryNow(service);
      return isDeepStrictEqual(await outcomes(service), expected) ? true : undefined;
    }, 'all are sent, or the reason is stored');
    assert.equal(simulator.faults.pending, 0);
    assert.deepEqual(
      comments()
        .map((body) => body.split('\n')[0] ?? '')
        .toSorted(byText),
      [author, commenter]
        .map(
          ({ login }) =>
            `🏆 \`${login}\` earned the achievement \`Reporter\` in \`${organization(simulator).login}/engine-1\`.`,
        )
        .toSorted(byText),
    );
    assert.deepEqual([discussions[0]?.comments, discussions[2]?.comments], [[], []]);
  });
});
