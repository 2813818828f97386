import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../simulators/github/simulator.ts';
import { addCommit, addIssue, addPullRequest, addReview } from '../../simulators/world/activity.ts';
import { addCopilot } from '../../simulators/world/cast.ts';
import { addComment, addReviewComment } from '../../simulators/world/comments.ts';
import { listContributors } from '../../simulators/world/expected-totals.ts';
import { deleteAccount } from '../../simulators/world/mutations.ts';
import { untilIdle } from '../e2e/access/state.ts';
import { awardingRepository, poll } from '../e2e/achievements/awarding/awarding.ts';
import { organization, untilRepositoryIs } from '../e2e/installations/installed.ts';
import type { TestService } from '../e2e/service.ts';
import { engines } from '../integration/access/owner.ts';
import { startSteppedApp, startSteppedService } from '../service/sync/stepped-service.ts';
import { until } from '../time.ts';

interface Row {
  externalId: string;
  type: string;
  name: string;
  displayName: string;
  avatarUrl: string;
  updatedAt: Date;
}

async function storedAccounts({ database }: TestService, externalIds: number[] | 'all'): Promise<Row[]> {
  const { rows } = await database.pool.query<Row>(
    `select external_id as "externalId", type, name, display_name as "displayName", avatar_url as "avatarUrl",
       updated_at as "updatedAt"
     from accounts where $1::text[] is null or external_id = any($1::text[]) order by name`,
    [externalIds === 'all' ? null : externalIds],
  );
  return rows;
}

/** Makes both bots of Copilot do everything that mentions them, in both interfaces and in commits. */
function busyCopilot(simulator: Simulator): number[] {
  const { world } = simulator;
  const repository = awardingRepository(simulator);
  const { agent, reviewer } = addCopilot(world);
  for (const bot of [agent, reviewer]) {
    const pull = addPullRequest(world, repository, { author: bot });
    addReview(world, pull, { author: bot, state: 'COMMENTED' });
    addReviewComment(world, pull, { author: bot });
    addComment(world, addIssue(world, repository, { author: bot }), { author: bot });
    const email = `${bot.id}+Copilot@users.noreply.github.com`;
    addCommit(world, repository, { author: { name: 'Copilot', email } });
  }
  return [agent.id, reviewer.id];
}

const copilots = [
  { name: 'copilot-pull-request-reviewer[bot]', type: 'bot' },
  { name: 'copilot-swe-agent[bot]', type: 'bot' },
];
const brief = ({ name, type }: Row): object => ({ name, type });

describe('bots', () => {
  it('keep their names and types after any mention, with an App and without a token, and ghosts are no accounts', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    const ids = busyCopilot(simulator);
    const { world, accounts } = simulator;
    const repository = awardingRepository(simulator);
    const person = world.accountByLogin(accounts.outsider) ?? assert.fail();
    const mannequin = world.accounts.find(({ type }) => type === 'Mannequin') ?? assert.fail();
    for (const author of [person, mannequin]) {
      const issue = addIssue(world, repository, { author });
      addComment(world, issue, { author });
      addReviewComment(world, addPullRequest(world, repository, { author }), { author });
    }
    deleteAccount(world, person);
    const isUnknownTo = async (service: TestService): Promise<void> => {
      assert.deepEqual(await storedAccounts(service, [10_137, mannequin.id, person.id]), []);
      assert.equal((await service.get('ghost')).status, 404);
    };
    await using service = await startSteppedApp(simulator);
    simulator.app.install(organization(simulator));
    await untilRepositoryIs(service, 'engine-1', /installed collected/);
    await untilIdle(service);
    assert.deepEqual((await storedAccounts(service, ids)).map(brief), copilots);
    await isUnknownTo(service);
    // A first scan may read the briefest mention of an account last.
    const scanAgain = async (): Promise<void> => {
      await service.database.pool.query('update streams set full_scan_wanted_at = now()');
      await poll(service);
    };
    await scanAgain();
    const before = await storedAccounts(service, 'all');
    assert.ok(before.some(({ displayName }) => displayName !== ''));
    await scanAgain();
    assert.deepEqual(await storedAccounts(service, 'all'), before, 'mentions of one interface do not undo the other');
    const { body } = await service.getComplete(`${engines.name}/contributors?limit=100`);
    const listed = body.data.map(({ name, contributions }) => ({ login: name, contributions }));
    assert.deepEqual(listed, listContributors(world, engines.name));
    const types = new Map(body.data.map(({ name, type }) => [name, type]));
    for (const { name } of copilots) assert.equal(types.get(name), 'bot');
    for (const { name } of copilots) {
      const found = await until(async () => {
        const { status, body: seen } = await service.get(encodeURIComponent(name));
        return status === 200 ? seen : undefined;
      }, `${name} is looked up`);
      assert.deepEqual([found.data[0]?.['name'], found.data[0]?.['type']], [name, 'bot']);
      // GitHub knows no repositories of a bot, and no calendar.
      const calendar = `${encodeURIComponent(name)}/contributions?card=calendar&format=svg`;
      await service.get(calendar);
      await untilIdle(service);
      assert.match((await service.get(calendar)).text, /contributions in the last year/);
    }

    // An earlier release stored them as users.
    await service.database.pool.query(`update accounts set type = 'user' where external_id = any($1::text[])`, [ids]);
    await scanAgain();
    assert.deepEqual((await storedAccounts(service, ids)).map(brief), copilots);

    await using anonymous = await startSteppedService({ simulator, tokens: [] });
    await anonymous.get(`${engines.name}/contributors`);
    await untilIdle(anonymous);
    assert.deepEqual((await storedAccounts(anonymous, ids)).map(brief), copilots);
    await isUnknownTo(anonymous);
  });
});
