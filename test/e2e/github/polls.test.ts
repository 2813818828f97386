import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue, addRepository } from '../../../simulators/world/activity.ts';
import { listContributors } from '../../../simulators/world/expected-totals.ts';
import { deleteRepository, renameRepository, setVisibility } from '../../../simulators/world/mutations.ts';
import { engines, keeper } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { untilIdle } from '../access/state.ts';
import { installAsOperator } from '../installations/as-operator.ts';
import { engine, organization, repositoryStates, runTask } from '../installations/installed.ts';
import { startTestService } from '../service.ts';

/** Tests polls of an owner at GitHub that the operator installed with a token, without an App and its deliveries. */

async function startInstalled() {
  const stack = new AsyncDisposableStack();
  const time = clock();
  const simulator = stack.use(await startSimulator({ now: time.now, repositories: 2 }));
  const tokens = ['organization_admin' as const];
  const service = stack.use(await startTestService({ simulator, tokens, now: time.now }));
  const { url, apiUrl } = simulator;
  const settings = { GITHUB_URL: url, GITHUB_API_URL: apiUrl, GITHUB_TOKEN: simulator.tokens.organization_admin };
  await installAsOperator(service, settings, `github/${engines.name}`);
  await untilIdle(service);
  /** Begins the round of polls after a number of seconds, as the clock does every 30 seconds. */
  const pollAfter = async (afterSeconds = 30): Promise<void> => {
    time.advance(afterSeconds);
    await runTask(service, 'start_owner_polls');
    await untilIdle(service);
  };
  const assertMatchesWorld = async (): Promise<void> => {
    const { body } = await service.get(`${engines.name}/contributors?limit=100`);
    const found = body.data.map(({ name, contributions }) => ({ login: name, contributions }));
    assert.deepEqual(found, listContributors(simulator.world, engines.name));
  };
  await pollAfter();
  return {
    simulator,
    service,
    round: pollAfter,
    assertTrue: assertMatchesWorld,
    now: time.now,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe('polls of owners at GitHub', () => {
  it('follow new repositories, names and issues, and hide a repository within 60 seconds that becomes private or is deleted', async () => {
    await using fixture = await startInstalled();
    const { simulator, service, round: pollAfter, assertTrue: assertMatchesWorld, now } = fixture;
    const { world } = simulator;
    const repository = engine(simulator, 'engine-1');
    await assertMatchesWorld();
    setVisibility(world, repository, 'private');
    await pollAfter();
    assert.match((await repositoryStates(service))['engine-1'] ?? '', /^private installed/);
    await assertMatchesWorld();
    setVisibility(world, repository, 'public');
    await pollAfter();
    await assertMatchesWorld();
    const { id: ownerId } = organization(simulator);
    const author = world.accountByLogin(keeper.name) ?? assert.fail();
    const added = addRepository(world, { ownerId, name: 'new-engine', createdAt: now() });
    renameRepository(world, engine(simulator, 'engine-2'), 'engine-two');
    await pollAfter();
    const names = await repositoryStates(service);
    assert.deepEqual([names['engine-2'], names['engine-two']], [undefined, 'public installed collected']);
    assert.match(names['new-engine'] ?? '', /^public installed/);
    addIssue(world, added, { author });
    await pollAfter();
    await assertMatchesWorld();

    deleteRepository(world, repository);
    await pollAfter();
    assert.match((await repositoryStates(service))['engine-1'] ?? '', /deleted$/);
    await assertMatchesWorld();
  });
});
