import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outbox } from '../../../simulators/github/deliver.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addCommit, addIssue, addPullRequest, addRepository, addReview } from '../../../simulators/world/activity.ts';
import type { Account, Repository } from '../../../simulators/world/model.ts';
import { deleteRepository, setVisibility, transferRepository } from '../../../simulators/world/mutations.ts';
import { addAccount } from '../../../simulators/world/people.ts';
import type { World } from '../../../simulators/world/world.ts';
import { recordContributorsOfChanged } from '../../../src/contributions/totals/update-queue-store.ts';
import { untilIdle, untilListedAgain } from '../../e2e/access/state.ts';
import { deliver, settings } from '../../e2e/deliveries/delivering.ts';
import type { TestService } from '../../e2e/service.ts';
import { ada, bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { startSteppedService } from './stepped-service.ts';

const counters = ['commits', 'issues', 'pull_requests', 'reviews', 'contributed_to'] as const;
const windows = ['', '?since=2008-01-01&until=2026-06-15', '?period=2024'];
const in2024 = new Date('2024-05-02T10:00:00Z');

/** Adds a person who owns a repository, and another one; both have contributions of 2024 there, and nothing else. */
function addPeople(world: World): { people: Account[]; repository: Repository } {
  const people = ['otto', 'paula'].map((login) =>
    addAccount(world, { login, createdAt: new Date('2015-01-01T00:00:00Z'), emails: [`${login}@mail.example`] }),
  );
  const repository = addRepository(world, { ownerId: people[0]?.id ?? 0, name: 'tools', createdAt: in2024 });
  for (const author of people) {
    const person = { name: author.login, email: `${author.login}@mail.example` };
    addCommit(world, repository, { author: person, at: in2024, authoredAt: in2024 });
    addIssue(world, repository, { author, createdAt: in2024 });
    const pull = addPullRequest(world, repository, { author, createdAt: in2024 });
    for (const reviewer of people) addReview(world, pull, { author: reviewer, createdAt: in2024 });
  }
  return { people, repository };
}

/** Returns the values of counters at their addresses, and of those that are complete there. */
async function readNumbers(service: TestService, login: string): Promise<{ all: string[]; complete: Set<string> }> {
  const all: string[] = [];
  const complete = new Set<string>();
  const add = (counter: string, address: string, value: number | undefined, missing: readonly string[]): void => {
    all.push(`${counter} of ${login} at ${address}: ${value}`);
    if (!missing.includes(counter)) complete.add(`${counter}: ${value}`);
  };
  for (const window of windows) {
    const { body } = await service.get(`${login}/contributions${window}`);
    const numbers = body.data[0]?.['contributions'] as Record<string, number>;
    for (const counter of counters)
      add(counter, `contributions${window}`, numbers[counter], body.meta_data.missing ?? []);
    for (const counter of counters) {
      const listed = await service.get(`${login}/contributions/${counter}${window}`);
      const { total, missing = [] } = listed.body.meta_data;
      add(counter, `${counter}${window}`, total, missing);
    }
  }
  return { all, complete };
}

describe('numbers of people after a change of visibility', () => {
  const changes: Record<string, (world: World, repository: Repository) => void> = {
    'becomes private': (world, repository) => setVisibility(world, repository, 'private'),
    'is public again': (world, repository) => setVisibility(world, repository, 'public'),
    'moves to another owner': (world, repository) =>
      transferRepository(world, repository, world.accountByLogin('paula') ?? assert.fail()),
    'is deleted': deleteRepository,
  };

  it('agree in the lifetime, in windows and in lists, also in old years', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    const { world } = simulator;
    const { people, repository } = addPeople(world);
    await using service = await startSteppedService({ simulator, now });
    const read = async (): Promise<string[][]> => {
      await untilIdle(service);
      const found: string[][] = [];
      for (const { login } of people) {
        const { all, complete } = await readNumbers(service, login);
        // One value for each counter, and the same at all addresses.
        assert.equal(complete.size, counters.length, all.join('\n'));
        found.push([...complete].toSorted());
      }
      return found;
    };
    for (const { login } of people) await service.getComplete(`${login}/contributors?limit=100`);
    const before = await read();
    for (const [name, change] of Object.entries(changes)) {
      change(world, repository);
      advance(3601);
      for (const { login } of people) {
        await untilListedAgain(service, `${login}/contributors?limit=100`, now());
        await service.getAfterWork(`${login}/contributions`);
      }
      const after = await read();
      const isHidden = name === 'becomes private' || name === 'is deleted';
      assert.deepEqual(
        after,
        isHidden ? before.map((all) => all.map((text) => text.replace(/\d+/, '0'))) : before,
        name,
      );
    }
  });

  for (const change of ['is_private = true', 'is_fork = true', 'deleted_at = now()']) {
    it(`are incomplete from the moment at which a repository is stored with ${change}`, async () => {
      const { now } = clock();
      await using simulator = await startSimulator({ now, repositories: 1 });
      const { people } = addPeople(simulator.world);
      await using service = await startSteppedService({ simulator, now });
      for (const { login } of people) await service.getComplete(`${login}/contributors?limit=100`);
      await untilIdle(service);
      const { connection, pool } = service.database;
      const contributor = people.at(-1)?.login ?? assert.fail();
      // Nodes keep these responses.
      await readNumbers(service, contributor);
      await pool.query(`update repositories set ${change} where name = 'tools'`);
      const assertIncomplete = async (): Promise<void> => {
        const { all, complete } = await readNumbers(service, contributor);
        assert.deepEqual([...complete], [], all.join('\n'));
      };
      await assertIncomplete();
      assert.ok(await recordContributorsOfChanged(connection, 100));
      await assertIncomplete();
    });
  }

  it('are incomplete while the host does not report them', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 2 });
    await using service = await startSteppedService({ simulator, now, settings, tokens: ['organization_admin'] });
    const { world } = simulator;
    const token = await serviceToken(service, simulator, engines);
    await service.getComplete(`${engines.name}/contributors`, bearer(token));
    await service.getAfterWork(`${ada.name}/contributions`);
    await untilIdle(service);
    const repository = world.repository(engines.name, 'engine-2') ?? assert.fail();
    const sent = outbox(simulator);
    setVisibility(world, repository, 'private');
    simulator.faults.add({ kind: 'unavailable', times: 1_000_000 });
    for (const delivery of sent.splice(0)) await deliver(service, delivery);
    await service.work?.();
    const { all, complete } = await readNumbers(service, ada.name);
    assert.deepEqual([...complete], [], all.join('\n'));
    simulator.faults.clear();
    advance(3601);
    await service.getAfterWork(`${ada.name}/contributions`);
    await untilIdle(service);
    const { body } = await service.get(`${ada.name}/contributions`);
    assert.ok(!body.meta_data.missing?.includes('commits'), JSON.stringify(body.meta_data));
  });
});
