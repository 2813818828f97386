import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addCommit, addIssue, addPullRequest, addReview } from '../../../simulators/world/activity.ts';
import type { Account, Repository } from '../../../simulators/world/model.ts';
import {
  closeItem,
  deleteItem,
  forcePush,
  renameAccount,
  renameRepository,
  reopenItem,
  setVisibility,
} from '../../../simulators/world/mutations.ts';
import { Random } from '../../../simulators/world/random.ts';
import type { World } from '../../../simulators/world/world.ts';
import { isThorough, sampled } from '../../depth.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import * as gitea from '../../e2e/gitea/fixture.ts';
import * as gitlab from '../../e2e/gitlab/fixture.ts';
import { installAsOperator } from '../../e2e/installations/as-operator.ts';
import { appSettings, organization, pollOwners, secret, untilRepositoryIs } from '../../e2e/installations/installed.ts';
import type { TestService, TestServiceOptions } from '../../e2e/service.ts';
import { ada, engines, keeper } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { putBoards } from '../pages/stored-board.ts';
import {
  type BoardMoment,
  boardOfEverything,
  comparedWindows,
  findBoardContradictions,
  findContradictions,
  type Reader,
  randomSample,
  readBoard,
  readShownNumbers,
  type Sample,
  toReader,
  wholeSample,
} from './shown-numbers.ts';
import { type SteppedService, startSteppedService } from './stepped-service.ts';

type StartStepped = (options: TestServiceOptions) => Promise<SteppedService>;

/** Compares what addresses show after each job, and collects what differs. */
class Comparison {
  comparisons = 0;
  /** The number of rankings that were complete, and compared with the list of their moment. */
  rankings = 0;
  readonly changes: string[] = [];
  readonly contradictions = new Set<string>();
  /** Chooses the changes, which do not depend on the number of jobs. */
  readonly random: Random;
  readonly #reads: Random;
  readonly #sample: Sample;
  #service: TestService | undefined;
  #accounts: readonly Account[] = [];
  /** The list when the board was ranked; undefined: it was not there yet. */
  #ranked: BoardMoment['list'] | undefined;

  constructor(seed: number) {
    this.random = new Random(seed);
    this.#reads = new Random(seed + 1);
    this.#sample = isThorough ? wholeSample : randomSample(this.#reads);
  }

  readonly afterJob = (name: string): Promise<void> => this.compare(name);

  /** Compares from now on. */
  begin(service: TestService, accounts: readonly Account[]): void {
    this.#service = service;
    this.#accounts = accounts;
  }

  /** @param isOfAll true: of all accounts in all windows, which would take minutes after each job */
  async compare(moment: string, isOfAll = isThorough): Promise<void> {
    const service = this.#service;
    if (service === undefined) return;
    for (const { login } of isOfAll ? this.#accounts : [this.#reads.pick(this.#accounts)]) {
      const windows = isOfAll ? comparedWindows : ['', this.#reads.pick(comparedWindows)];
      const hasQueuedTotals = await this.#hasQueuedTotals(login);
      const shown = await readShownNumbers(service, login, windows, this.#sample);
      this.comparisons += shown.length;
      this.#add(moment, findContradictions(shown, { hasQueuedTotals }));
    }
    await this.#compareBoard(service, moment);
  }

  /** Returns whether `update_totals` still has to add what changed to the totals of an account. */
  async #hasQueuedTotals(login: string): Promise<boolean> {
    const { rows } = (await this.#service?.database.pool.query(
      'select from changed_contributors c join accounts a on a.id = c.account_id where a.name = $1 limit 1',
      [login],
    )) ?? { rows: [] };
    return rows.length > 0;
  }

  async #compareBoard(service: Reader, moment: string): Promise<void> {
    const isNow = moment === 'rank_board';
    const shown = await readBoard(service, engines.name, isNow ? wholeSample : this.#sample);
    if (isNow) this.#ranked = shown?.list;
    if (shown === undefined) return;
    this.comparisons += shown.drawn.length;
    if (isNow && !shown.board.isMissing) this.rankings += 1;
    const ranked = this.#ranked;
    this.#add(moment, findBoardContradictions(shown, ranked && { list: ranked, isNow }));
  }

  #add(moment: string, contradictions: readonly string[]): void {
    for (const found of contradictions) this.contradictions.add(`after ${moment}: ${found}`);
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
    'another name': () => renameRepository(world, repository, `${repository.name}-renamed`),
    'another login': () => renameAccount(world, author, `${author.login}-renamed`),
  };
  const [name, change] = random.pick(Object.entries(changes));
  change();
  return `${name} in ${repository.name} by ${author.login}`;
}

interface Followed {
  service: SteppedService;
  simulator: Parameters<typeof putBoards>[1];
  world: World;
  advance: (seconds: number) => void;
  provider: string;
  accounts: readonly string[];
  /** Installs the organization, so that its board becomes complete. */
  install: () => Promise<void>;
}

/** The number of changes. */
const rounds = 2;

/** Reads everything, then changes something and reads again, some times. Compares the numbers after each job. */
async function followChanges(followed: Followed, comparison: Comparison): Promise<void> {
  const { service, world, provider, accounts } = followed;
  const owner = world.accountByLogin(engines.name) ?? assert.fail();
  const known = accounts.flatMap((login) => world.accountByLogin(login) ?? []);
  const people = known.filter(({ type }) => type === 'User');
  const reader = toReader(service, provider);
  comparison.begin({ ...service.asIs, ...toReader(service.asIs, provider) }, known);
  // The board is there before anything is collected.
  await putBoards({ ...service, ...reader }, followed.simulator, [boardOfEverything(engines.name)]);
  await followed.install();
  for (let round = 0; round <= rounds; round += 1) {
    const { random } = comparison;
    const repositories = world.owned(owner).filter(({ isFork }) => !isFork);
    const change = round === 0 ? 'the collection' : changeSomething(world, random.pick(repositories), people, random);
    comparison.changes.push(change);
    await pollOwners(followed, 3601);
    for (const { login } of known) {
      for (const endpoint of ['contributors', 'contributions']) await reader.get(`${login}/${endpoint}`);
    }
    await untilIdle(service);
    await reader.get(`${engines.name}/boards/everything`);
    await comparison.compare(change, true);
  }
  const { comparisons, rankings, contradictions, changes } = comparison;
  assert.deepEqual([...contradictions], [], changes.join());
  assert.ok(rankings > 0 && comparisons > 500, `${rankings} ${comparisons}`);
}

describe('addresses that show the same number', () => {
  for (const seed of sampled([33, 31, 32], 3)) {
    it(`agree after every job of a collection and after changes at GitHub (seed ${seed})`, async () => {
      const { now, advance } = clock();
      const comparison = new Comparison(seed);
      const { afterJob } = comparison;
      await using simulator = await startSimulator({ now, seed, repositories: 2 });
      const settings = appSettings(simulator);
      await using service = await startSteppedService({ simulator, now, afterJob, settings });
      const install = async (): Promise<void> => {
        simulator.app.deliverTo(service.url, secret);
        simulator.app.install(organization(simulator));
        await untilRepositoryIs(service, 'engine-1', /installed/);
      };
      const accounts = [engines.name, ada.name, keeper.name];
      const { world } = simulator;
      await followChanges({ service, simulator, world, advance, provider: 'github', accounts, install }, comparison);
    });
  }

  const hosts = {
    gitea: {
      seeds: [43, 41, 42],
      open: async (start: StartStepped) => {
        const fixture = await gitea.openFixture({ start });
        return { fixture, settings: gitea.listGiteaSettings(fixture.simulator) };
      },
    },
    gitlab: {
      seeds: [51, 52, 53],
      open: async (start: StartStepped) => {
        const fixture = await gitlab.openFixture(start);
        return { fixture, settings: gitlab.listGitLabSettings(fixture.simulator) };
      },
    },
  };
  for (const [provider, { seeds, open }] of Object.entries(hosts)) {
    for (const seed of sampled(seeds, 3)) {
      it(`agree after every job of a collection and after changes at ${provider} (seed ${seed})`, async () => {
        const comparison = new Comparison(seed);
        const { afterJob } = comparison;
        let service: SteppedService | undefined;
        const { settings, ...opened } = await open(async (options) => {
          service = await startSteppedService({ ...options, afterJob });
          return service;
        });
        await using fixture = opened.fixture;
        const { simulator, world, advance, people } = fixture;
        const stepped = service ?? assert.fail();
        const accounts = [engines.name, people.ada.login, people.max.login];
        const install = () => installAsOperator(stepped, settings, `${provider}/${engines.name}`);
        await followChanges({ service: stepped, simulator, world, advance, provider, accounts, install }, comparison);
      });
    }
  }
});
