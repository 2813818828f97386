import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { listContributors } from '../../simulators/world/expected-totals.ts';
import { changeProfile, setVisibility } from '../../simulators/world/mutations.ts';
import { linkTo } from '../database-link.ts';
import { newName } from '../database-server.ts';
import { untilIdle } from '../e2e/access/state.ts';
import { organization, startAppService, untilRepositoryIs } from '../e2e/installations/installed.ts';
import { startTestService, type TestService } from '../e2e/service.ts';
import { ada, bearer, serviceToken } from '../integration/access/owner.ts';
import { examine, listLines } from '../integration/doctor/examine.ts';
import { type ReplicatedServer, startReplicatedServer } from '../servers/replicated.ts';
import { clock, until } from '../time.ts';

let server: ReplicatedServer;
before(async () => {
  server = await startReplicatedServer();
});
after(() => server[Symbol.asyncDispose]());

const toReplica = (databaseUrl: string): { DATABASE_REPLICA_URL: string } => ({
  DATABASE_REPLICA_URL: server.standby.urlOf(databaseUrl),
});

/** Returns the numbers of statements for the replica by their outcome. */
async function findOutcomes({ service }: TestService): Promise<Record<string, number>> {
  const text = await (await fetch(`${service.metricsUrl}/metrics`)).text();
  const found = text.matchAll(/^plaudit_replica_reads_total\{outcome="(\w+)"\} (\d+)/gm);
  return Object.fromEntries([...found].map(([, outcome, count]) => [outcome, Number(count)]));
}

const untilUp = (service: TestService, state: 0 | 1 = 1): Promise<true> =>
  until(
    async () => {
      const text = await (await fetch(`${service.service.metricsUrl}/metrics`)).text();
      return new RegExp(`^plaudit_replica_up ${state}$`, 'm').test(text) ? true : undefined;
    },
    `the replica is ${state === 1 ? 'read' : 'not read'}`,
  );

async function start(simulator: Awaited<ReturnType<typeof startSimulator>>, now?: () => Date): Promise<TestService> {
  const databaseUrl = await server.create(newName('replicated'));
  const settings = toReplica(databaseUrl);
  const service = await startTestService({ simulator, databaseUrl, settings, ...(now && { now }) });
  await untilUp(service);
  return service;
}

/** Makes a URL that is not cached. */
let number = 0;
const uncached = (path: string): string => {
  number += 1;
  return `${path}${path.includes('?') ? '&' : '?'}uncached=${number}`;
};

describe('responses that are read from a replica', () => {
  it('come from there for visitors, and from the primary for owners', async () => {
    await using simulator = await startSimulator();
    await using service = await start(simulator);
    const token = await serviceToken(service, simulator, ada);
    await service.getComplete(`${ada.name}/contributions`);
    await untilIdle(service);
    await service.get(`${ada.name}/contributors`);
    // The list may have requested a collection, whose changes the replica has to replay too.
    await untilIdle(service);
    await server.standby.untilReplayed(service.databaseUrl);
    const before = await findOutcomes(service);
    const calendar = `${ada.name}/contributions?format=svg&card=calendar&theme=dark`;
    const paths = [ada.name, `${ada.name}/contributions`, `${ada.name}/contributors`, calendar];
    for (const path of paths) assert.equal((await service.get(uncached(path))).status, 200);
    const between = await findOutcomes(service);
    assert.ok((between['read'] ?? 0) >= (before['read'] ?? 0) + paths.length);
    assert.deepEqual({ ...between, read: 0 }, { ...before, read: 0 });
    // No read writes.
    assert.equal(between['failed'], 0);
    for (const path of paths) await service.get(uncached(path), bearer(token));
    assert.deepEqual(await findOutcomes(service), between);
    const examined = await examine({
      ...toReplica(service.databaseUrl),
      DATABASE_URL: service.databaseUrl,
      DATA_DIR: service.dataDir,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
    });
    assert.equal(listLines(examined, 'replica_reachable').length, 1);
  });

  it('contain each change that this node knows of, also while the replica is paused, and are cached no longer than others', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now });
    await using service = await start(simulator, now);
    await service.get(ada.name);
    await untilIdle(service);
    await server.standby.untilReplayed(service.databaseUrl);
    await service.get(uncached(ada.name));
    await server.standby.pause();
    try {
      const account = simulator.world.accountByLogin(ada.name) ?? assert.fail();
      changeProfile(simulator.world, account, { bio: 'Changed.' });
      advance(3700);
      const seen: boolean[] = [];
      await until(async () => {
        // Reads and caches while the change is stored and announced.
        const isChanged = (await service.get(ada.name)).text.includes('Changed.');
        seen.push(isChanged);
        return isChanged ? true : undefined;
      }, 'the change is shown');
      for (let round = 0; round < 20; round += 1) {
        for (const path of [ada.name, uncached(ada.name)]) assert.match((await service.get(path)).text, /Changed\./);
      }
      assert.ok((await findOutcomes(service))['behind']);
    } finally {
      await server.standby.resume();
    }
    await server.standby.untilReplayed(service.databaseUrl);
    const before = await findOutcomes(service);
    assert.match((await service.get(uncached(ada.name))).text, /Changed\./);
    assert.ok(((await findOutcomes(service))['read'] ?? 0) > (before['read'] ?? 0));
  });

  it('never show what became private, while the replica is paused', async () => {
    await using simulator = await startSimulator({ repositories: 3 });
    const databaseUrl = await server.create(newName('replicated'));
    const settings = toReplica(databaseUrl);
    await using first = await startAppService(simulator, { databaseUrl, settings });
    await using second = await startAppService(simulator, { databaseUrl, settings, hasNoDeliveries: true });
    for (const node of [first, second]) await untilUp(node);
    const owner = organization(simulator);
    simulator.app.install(owner);
    await untilRepositoryIs(first, 'engine-1', /^public installed collected/);
    await untilIdle(first);
    const assertCurrent = async (): Promise<void> => {
      for (const node of [first, second]) {
        const { body } = await node.get(uncached(`${owner.login}/contributors?limit=100`));
        const stored = body.data.map(({ name, contributions }) => ({ login: name, contributions }));
        assert.deepEqual(stored, listContributors(simulator.world, owner.login));
      }
    };
    await first.getComplete(`${owner.login}/contributors`);
    await server.standby.untilReplayed(databaseUrl);
    await assertCurrent();
    await server.standby.pause();
    try {
      const repository = simulator.world.repository(owner.login, 'engine-1') ?? assert.fail();
      setVisibility(simulator.world, repository, 'private');
      await untilRepositoryIs(first, 'engine-1', /^private/);
      for (let round = 0; round < 5; round += 1) await assertCurrent();
    } finally {
      await server.standby.resume();
    }
  });

  it('wait for names that are looked up, which the replica does not have yet', async () => {
    await using simulator = await startSimulator();
    await using service = await start(simulator);
    await server.standby.pause();
    try {
      assert.equal((await service.get('person-1')).status, 200);
      const requests = simulator.requests.length;
      assert.equal((await service.get(uncached('person-1'))).status, 200);
      assert.equal((await service.get('no-such-account')).status, 404);
      assert.equal(simulator.requests.length, requests + 1);
    } finally {
      await server.standby.resume();
    }
  });
});

describe('requests while the replica is away', () => {
  it('succeed when it falls silent', async () => {
    await using simulator = await startSimulator();
    const databaseUrl = await server.create(newName('replicated'));
    await using link = await linkTo(server.standby.urlOf(databaseUrl));
    const settings = { DATABASE_REPLICA_URL: link.url };
    await using service = await startTestService({ simulator, databaseUrl, settings });
    await untilUp(service);
    await service.getComplete(`${ada.name}/contributions`);
    await untilIdle(service);
    await server.standby.untilReplayed(databaseUrl);
    const { read = 0 } = await findOutcomes(service);
    await service.get(uncached(ada.name));
    assert.ok(((await findOutcomes(service))['read'] ?? 0) > read);
    link.silence('all');
    const responses = await Promise.all(Array.from({ length: 20 }, () => service.get(uncached(ada.name))));
    assert.deepEqual(new Set(responses.map(({ status }) => status)), new Set([200]));
    await untilUp(service, 0);
    link.acceptConnections();
    await untilUp(service, 1);
  });

  it('succeed when its address leads nowhere, to another database or to the primary itself', async () => {
    await using simulator = await startSimulator();
    const databaseUrl = await server.create(newName('replicated'));
    const otherUrl = await server.create(newName('replicated'));
    for (const replicaUrl of ['postgresql://nobody@127.0.0.1:9/none', server.standby.urlOf(otherUrl), databaseUrl]) {
      const settings = { DATABASE_REPLICA_URL: replicaUrl };
      await using service = await startTestService({ simulator, databaseUrl, settings });
      await untilUp(service, 0);
      for (const path of [ada.name, `${ada.name}/contributors`]) assert.equal((await service.get(path)).status, 200);
      const { away = 0, ...others } = await findOutcomes(service);
      assert.ok(away > 0);
      assert.deepEqual(others, { read: 0, behind: 0, failed: 0 });
    }
  });

  it('succeed when it stops at any time, and read it again when it is back', async () => {
    await using simulator = await startSimulator();
    await using service = await start(simulator);
    await service.getComplete(`${ada.name}/contributions`);
    await untilIdle(service);
    const ending = new AbortController();
    const reading = (async (): Promise<number[]> => {
      const statuses: number[] = [];
      while (!ending.signal.aborted) statuses.push((await service.get(uncached(ada.name))).status);
      return statuses;
    })();
    await server.standby.stop();
    await untilUp(service, 0);
    await server.standby.start();
    await untilUp(service, 1);
    ending.abort();
    assert.deepEqual(new Set(await reading), new Set([200]));
    await server.standby.untilReplayed(service.databaseUrl);
    const { read = 0 } = await findOutcomes(service);
    await service.get(uncached(ada.name));
    assert.ok(((await findOutcomes(service))['read'] ?? 0) > read);
  });
});
