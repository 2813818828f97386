import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { outbox, webhookSecret } from '../../../simulators/github/deliver.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../simulators/github/tokens.ts';
import type { Account } from '../../../simulators/world/model.ts';
import { Random } from '../../../simulators/world/random.ts';
import { star, unstar } from '../../../simulators/world/repository-changes.ts';
import { createTestDatabase } from '../../database.ts';
import { sampled } from '../../depth.ts';
import { untilIdle } from '../../e2e/access/state.ts';
import {
  awardingRepository,
  poll,
  untilAwarded,
  writeAchievementsFile,
} from '../../e2e/achievements/awarding/awarding.ts';
import { installAsOperator } from '../../e2e/installations/as-operator.ts';
import { organization, runTask, untilRepositoryIs } from '../../e2e/installations/installed.ts';
import { sendDelivery } from '../../e2e/raw-request.ts';
import type { TestService } from '../../e2e/service.ts';
import { engines } from '../../integration/access/owner.ts';
import { simple } from '../../integration/achievements/awards/every-feature.ts';
import { until } from '../../time.ts';
import { startSteppedApp, startSteppedService } from './stepped-service.ts';

const person = ({ world }: Simulator, login: string): Account => world.accountByLogin(login) ?? assert.fail(login);

/** Returns the accounts that star the repository and the times, as they are stored. */
async function storedStars({ database }: TestService): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string; at: Date }>(
    `select a.name, c.created_at as at from (select * from contributions where kind = 'star' offset 0) c
     join repositories r on r.id = c.repository_id join accounts a on a.id = c.account_id
     where r.name = 'engine-1' order by a.name collate "C"`,
  );
  return rows.map(({ name, at }) => `${name} ${at.toISOString()}`);
}

function trueStars(simulator: Simulator): string[] {
  const stars = simulator.world.starsOf(awardingRepository(simulator));
  return stars
    .map(({ accountId, starredAt }) => `${simulator.world.accountById(accountId)?.login} ${starredAt.toISOString()}`)
    .toSorted();
}

async function untilStored(service: TestService, expected: string[]): Promise<void> {
  await until(async () => {
    await service.work?.();
    return isDeepStrictEqual(await storedStars(service), expected) ? true : undefined;
  }, 'stars').catch(async () => assert.deepEqual(await storedStars(service), expected));
}

interface StreamRow {
  id: string;
  completed: boolean;
  withheld: boolean;
  wanted: boolean;
  failure: string | null;
}

async function starStream({ database }: TestService): Promise<StreamRow> {
  const { rows } = await database.pool.query<StreamRow>(
    `select r.id, completed_at is not null as completed, withheld_at is not null as withheld,
       full_scan_wanted_at is not null as wanted, failure
     from streams s join repositories r on r.id = s.repository_id where r.name = 'engine-1' and s.name = 'stars'`,
  );
  return rows[0] ?? assert.fail('there is no stream of stars');
}

/** Makes the service compare the repository with its host, as it does each night. */
async function reconcile(service: TestService): Promise<void> {
  const { id } = await starStream(service);
  await runTask(service, 'reconcile_repository', { repositoryId: id });
  await untilIdle(service);
}

/** Starts a service that follows a repository without stars with a token to which GitHub shows no stargazers. */
async function startFollowing(simulator: Simulator): Promise<TestService> {
  const service = await startSteppedService({
    simulator,
    tokens: ['outsider'],
    settings: { GITHUB_WEBHOOK_SECRET: webhookSecret },
  });
  const repository = awardingRepository(simulator);
  repository.stars = [];
  const settings = {
    GITHUB_URL: simulator.url,
    GITHUB_API_URL: simulator.apiUrl,
    GITHUB_TOKEN: simulator.tokens.outsider,
  };
  await installAsOperator(service, settings, `github/${engines.name}/${repository.name}`);
  await untilRepositoryIs(service, repository.name, /installed collected/);
  return service;
}

const listRequests = ({ requests }: Simulator, name: string): number =>
  requests.filter((request) => request.name === name).length;

describe('stars of an installed repository', () => {
  it('counts stars by deliveries and reads everything else with an App, to which GitHub shows no stargazers', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startSteppedApp(simulator);
    const { world, accounts } = simulator;
    writeAchievementsFile(simulator, {
      pointActions: [],
      achievements: [simple('Gazer', 'author star: starred = true')],
    });
    simulator.app.install(organization(simulator));
    await untilRepositoryIs(service, 'engine-1', /installed collected/);
    await untilIdle(service);
    assert.ok(trueStars(simulator).length > 0);
    const { id: _id, ...stream } = await starStream(service);
    assert.deepEqual(stream, { completed: true, withheld: true, wanted: false, failure: null });

    const ada = person(simulator, accounts.user);
    star(world, awardingRepository(simulator), ada);
    const own = trueStars(simulator).filter((star) => star.startsWith(ada.login));
    await untilStored(service, own);
    await untilAwarded(service, simulator, [`${ada.login}: Gazer, ${own[0]?.split(' ')[1]}`]);

    await poll(service);
    await poll(service);
    await reconcile(service);
    assert.deepEqual(await storedStars(service), own);
    assert.equal((await starStream(service)).wanted, false, 'stars are no drift');
    const repositories = world
      .owned(organization(simulator))
      .filter((repository) => world.starsOf(repository).length > 0);
    assert.ok(
      listRequests(simulator, 'Stars') <= repositories.length,
      'a withheld list is not read again on the same day',
    );
    const { body } = await service.getComplete(`${engines.name}/contributions`);
    const { stars } = Object(body.data[0]?.['contributions']) as { stars?: number };
    const owned = world
      .owned(organization(simulator))
      .filter(({ isFork, visibility }) => !isFork && visibility === 'public');
    assert.equal(
      stars,
      owned.reduce((sum, repository) => sum + world.starsOf(repository).length, 0),
    );

    unstar(world, awardingRepository(simulator), ada);
    await untilStored(service, []);
  });

  it('removes no star after a list that seems empty, and compares stars with the list when it is shown again', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using database = await createTestDatabase();
    const { world, accounts } = simulator;
    const repository = awardingRepository(simulator);
    const start = (token: TokenName): Promise<TestService> =>
      startSteppedService({
        simulator,
        databaseUrl: database.url,
        tokens: [token],
        settings: { GITHUB_WEBHOOK_SECRET: webhookSecret },
      });
    const sent = outbox(simulator);
    const deliverAll = async (service: TestService): Promise<void> => {
      for (const delivery of sent.splice(0)) await sendDelivery(service, 'github', delivery);
    };
    const before = trueStars(simulator);
    {
      await using service = await start('organization_admin');
      const settings = {
        GITHUB_URL: simulator.url,
        GITHUB_API_URL: simulator.apiUrl,
        GITHUB_TOKEN: simulator.tokens.organization_admin,
      };
      await installAsOperator(service, settings, `github/${engines.name}/${repository.name}`);
      await untilStored(service, before);
      assert.equal((await starStream(service)).withheld, false);
    }
    {
      await using service = await start('outsider');
      await service.database.pool.query(`update streams set full_scan_wanted_at = now() where name = 'stars'`);
      await poll(service);
      assert.deepEqual(await storedStars(service), before);
      assert.equal((await starStream(service)).withheld, true);
      star(world, repository, person(simulator, accounts.outsider));
      await deliverAll(service);
      await untilStored(service, trueStars(simulator));
      await reconcile(service);
      assert.deepEqual(await storedStars(service), trueStars(simulator));
      // The removal of this star is not delivered.
      unstar(world, repository, person(simulator, accounts.outsider));
      sent.length = 0;
      await reconcile(service);
    }
    await using service = await start('organization_admin');
    await service.database.pool.query(`update streams set withheld_at = withheld_at - interval '1 day'`);
    await poll(service);
    await untilStored(service, trueStars(simulator));
    assert.equal((await starStream(service)).withheld, false);
  });

  it('counts the first stars of a repository, whose list seemed to be shown because it had none', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startFollowing(simulator);
    const { world, accounts } = simulator;
    const repository = awardingRepository(simulator);
    assert.equal((await starStream(service)).withheld, false);
    const sent = outbox(simulator);
    star(world, repository, person(simulator, accounts.user));
    star(world, repository, person(simulator, accounts.outsider));
    unstar(world, repository, person(simulator, accounts.outsider));
    for (const delivery of sent.splice(0)) await sendDelivery(service, 'github', delivery);
    await untilStored(service, trueStars(simulator));
    assert.equal(trueStars(simulator).length, 1);
    assert.equal((await starStream(service)).withheld, true);
  });

  for (const seed of sampled([1, 2, 3], 3)) {
    it(`counts stars correctly after deliveries in any order and with repetitions (seed ${seed})`, async () => {
      const random = new Random(seed);
      let at = Date.now() - 86_400_000;
      await using simulator = await startSimulator({ repositories: 1, now: () => new Date(at) });
      await using service = await startFollowing(simulator);
      const { world } = simulator;
      const repository = awardingRepository(simulator);
      const people = world.accounts.filter(({ type, isDeleted }) => type === 'User' && !isDeleted).slice(0, 4);
      for (let round = 0; round < 3; round += 1) {
        const sent = outbox(simulator);
        for (let step = 0; step < 40; step += 1) {
          const by = random.pick(people);
          const isStarred = repository.stars.some(({ accountId }) => accountId === by.id);
          (isStarred ? unstar : star)(world, repository, by);
          if (random.chance(0.5)) at += 1000;
        }
        world.listeners.clear();
        for (const delivery of shuffled(random, [...sent, ...sent.slice(0, 10)]))
          await sendDelivery(service, 'github', delivery);
        await untilIdle(service);
        await untilStored(service, trueStars(simulator));
      }
    });
  }
});

function shuffled<Item>(random: Random, items: readonly Item[]): Item[] {
  const places = items.map((item) => ({ item, place: random.next() }));
  return places.toSorted((left, right) => left.place - right.place).map(({ item }) => item);
}
