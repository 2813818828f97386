import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addCommit, addIssue, addPullRequest, addReview } from '../../../simulators/world/activity.ts';
import type { Account, Repository } from '../../../simulators/world/model.ts';
import { closeItem, deleteItem, forcePush, reopenItem, setVisibility } from '../../../simulators/world/mutations.ts';
import { Random } from '../../../simulators/world/random.ts';
import type { World } from '../../../simulators/world/world.ts';
import { isThorough, sampled } from '../../depth.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import * as gitea from '../../e2e/gitea/fixture.ts';
import * as gitlab from '../../e2e/gitlab/fixture.ts';
import type { TestServiceOptions } from '../../e2e/service.ts';
import { ada, engines, keeper } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { putBoards } from '../pages/stored-board.ts';
import {
  boardOfEverything,
  comparedWindows,
  findContradictions,
  type Reader,
  readBoardNumbers,
  readShownNumbers,
  toReader,
} from './shown-numbers.ts';
import { type SteppedService, startSteppedService } from './stepped-service.ts';

type StartStepped = (options: TestServiceOptions) => Promise<SteppedService>;

/** Compares what addresses show after each job, and collects what differs. */
class Comparison {
  comparisons = 0;
  readonly changes: string[] = [];
  readonly contradictions = new Set<string>();
  readonly random: Random;
  #service: Reader | undefined;
  #accounts: readonly string[] = [];

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  readonly afterJob = (name: string): Promise<void> => this.compare(name);

  /** Compares from now on. */
  begin(service: Reader, accounts: readonly string[]): void {
    this.#service = service;
    this.#accounts = accounts;
  }

  /** @param isWhole true: in all windows and of all accounts, which would take minutes after each job */
  async compare(moment: string, isWhole = isThorough): Promise<void> {
    const service = this.#service;
    if (service === undefined) return;
    for (const account of isWhole ? this.#accounts : [this.random.pick(this.#accounts)]) {
      const windows = isWhole ? comparedWindows : ['', this.random.pick(comparedWindows)];
      this.#add(moment, await readShownNumbers(service, account, windows));
    }
    this.#add(moment, await readBoardNumbers(service, engines.name));
  }

  #add(moment: string, shown: Parameters<typeof findContradictions>[0]): void {
    this.comparisons += shown.length;
    for (const found of findContradictions(shown)) this.contradictions.add(`after ${moment}: ${found}`);
  }
}

const toAuthor = ({ login, emails }: Account) => ({ name: login, email: emails[0] ?? '' });

/** Changes one thing of a repository, as people do, and returns its name. */
function changeSomething(world: World, repository: Repository, people: readonly Account[], random: Random): string {
  const author = random.pick(people);
  const { issues, pullRequests } = repository;
  const [issue, pull] = [issues.at(-1), pullRequests.at(-1)];
  const changes: Record<string, () => void> = {
    'a commit': () => addCommit(world, repository, { author: toAuthor(author) }),
    'an issue': () => addIssue(world, repository, { author }),
    'a review': () =>
      addReview(world, pull ?? addPullRequest(world, repository, { author }), { author: random.pick(people) }),
    'a force push': () => forcePush(world, repository, 1, people.map(({ emails }) => emails[0] ?? '').slice(0, 2)),
    'a deleted issue': () => issue !== undefined && deleteItem(world, repository, issue),
    'a closed or opened issue': () => {
      if (issue !== undefined) (issue.closedAt === null ? closeItem : reopenItem)(world, issue);
    },
    'another visibility': () =>
      setVisibility(world, repository, repository.visibility === 'public' ? 'private' : 'public'),
  };
  const [name, change] = random.pick(Object.entries(changes));
  change();
  return `${name} in ${repository.name}`;
}

interface Followed {
  service: SteppedService;
  simulator: Parameters<typeof putBoards>[1];
  world: World;
  advance: (seconds: number) => void;
  provider: string;
  accounts: readonly string[];
}

/** Reads everything, then changes something and reads again, some times. Compares the numbers after each job. */
async function followChanges(followed: Followed, comparison: Comparison, rounds: number): Promise<void> {
  const { service, world, provider, accounts } = followed;
  const organization = world.accountByLogin(engines.name) ?? assert.fail();
  const people = accounts.flatMap((login) => world.accountByLogin(login) ?? []).filter(({ type }) => type === 'User');
  const reader = toReader(service, provider);
  comparison.begin(toReader(service.asIs, provider), accounts);
  for (let round = 0; round <= rounds; round += 1) {
    const { random } = comparison;
    const repositories = world.owned(organization).filter(({ isFork }) => !isFork);
    const change = round === 0 ? 'the collection' : changeSomething(world, random.pick(repositories), people, random);
    comparison.changes.push(change);
    followed.advance(3601);
    for (const account of accounts) {
      for (const endpoint of ['contributors', 'contributions']) await reader.get(`${account}/${endpoint}`);
    }
    await untilIdle(service);
    if (round === 0) await putBoards({ ...service, ...reader }, followed.simulator, [boardOfEverything(engines.name)]);
    await reader.get(`${engines.name}/boards/everything`);
    await comparison.compare(change, round === 0 || round === rounds);
  }
  const { comparisons, contradictions, changes } = comparison;
  const ranked = await readBoardNumbers(toReader(service.asIs, provider), engines.name);
  assert.ok(ranked.length > 2);
  assert.deepEqual([...contradictions], [], changes.join());
  assert.ok(comparisons > 1000, `${comparisons}`);
}

describe('addresses that show the same number', () => {
  for (const seed of sampled([31, 32, 33], 3)) {
    it(`agree after every job of a collection and after changes at GitHub (seed ${seed})`, async () => {
      const { now, advance } = clock();
      const comparison = new Comparison(seed);
      const { afterJob } = comparison;
      await using simulator = await startSimulator({ now, seed, repositories: 2 });
      await using service = await startSteppedService({ simulator, now, afterJob });
      const accounts = [engines.name, ada.name, keeper.name];
      const { world } = simulator;
      await followChanges({ service, simulator, world, advance, provider: 'github', accounts }, comparison, 2);
    });
  }

  const hosts = {
    gitea: (start: StartStepped) => gitea.openFixture({ start }),
    gitlab: (start: StartStepped) => gitlab.openFixture(start),
  };
  for (const [provider, open] of Object.entries(hosts)) {
    for (const seed of sampled([41, 42, 43], 3)) {
      it(`agree after every job of a collection and after changes at ${provider} (seed ${seed})`, async () => {
        const comparison = new Comparison(seed);
        const { afterJob } = comparison;
        let service: SteppedService | undefined;
        await using fixture = await open(async (options) => {
          service = await startSteppedService({ ...options, afterJob });
          return service;
        });
        const { simulator, world, advance, people } = fixture;
        assert.ok(service);
        const accounts = [engines.name, people.ada.login, people.max.login];
        await followChanges({ service, simulator, world, advance, provider, accounts }, comparison, 2);
      });
    }
  }
});
