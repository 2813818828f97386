import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addJob } from '../../../src/database/queue/added-jobs.ts';
import { lookUpNamedPeopleJob } from '../../../src/recognition/boards/jobs.ts';
import { findDueNames } from '../../../src/recognition/boards/people/named-people-store.ts';
import { engines, jsonRequest, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { type SteppedService, startSteppedService } from '../sync/stepped-service.ts';

const path = `${engines.name}/boards`;
const dayS = 86_400;

async function put(service: SteppedService, simulator: Simulator, fields: object): Promise<void> {
  const token = await serviceToken(service, simulator, engines);
  const board = {
    name: 'Steering',
    slug: 'steering',
    repositories: ['analytical-engines/*'],
    points: [{ action: 'commit', points: 1 }],
    ...fields,
  };
  const response = await service.get(path, jsonRequest('PUT', token, { version: 1, boards: [{ board }] }));
  assert.equal(response.status, 200, response.text);
}

const grant = (person: string): object => ({ person, points: 50, reason: 'Release manager', granted_by: 'the board' });

async function lookUpAgain(service: SteppedService): Promise<void> {
  await addJob(service.database.connection, lookUpNamedPeopleJob);
  await service.work();
}

/** Returns the people on the board with their points, and the entry of missing data about names. */
async function read(service: SteppedService): Promise<{ people: string[]; missing: string[] }> {
  const { body, status, text } = await service.getAfterWork(`${path}/steering`);
  assert.equal(status, 200, text);
  const rows = body.data as unknown as { person: { name: string }; points: number }[];
  const { missing = [] } = body.meta_data as unknown as { missing?: string[] };
  return {
    people: rows.map(({ person, points }) => `${person.name} ${points}`),
    missing: missing.filter((part) => part.startsWith('named people')),
  };
}

describe('accounts that a board names', () => {
  it('are looked up, so that their grants count', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startSteppedService({ simulator });
    const { outsider } = simulator.accounts;
    await put(service, simulator, { grants: [grant(`@${outsider.toUpperCase()}`)] });
    const { people, missing } = await read(service);
    assert.deepEqual([people.find((person) => person.startsWith(outsider)), missing], [`${outsider} 50`, []]);
    assert.deepEqual(await service.database.connection.selectFrom('named_people').selectAll().execute(), []);
  });

  it('are missing data while lookups fail, which ranks the others all the same', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startSteppedService({ simulator, now });
    const { outsider } = simulator.accounts;
    await service.getAfterWork('ada-lovelace');
    await service.getAfterWork(engines.name);
    simulator.faults.add({ kind: 'unavailable', on: 'Account', times: 1_000_000 });
    await put(service, simulator, { grants: [grant('ada-lovelace'), grant(outsider)] });
    const before = await read(service);
    assert.deepEqual(before.missing, ['named people: not_looked_up']);
    assert.ok(before.people.length > 1);
    assert.match(before.people[0] ?? '', /^ada-lovelace 5\d$/);
    assert.ok(before.people.every((person) => !person.startsWith(outsider)));
    simulator.faults.clear();
    advance(600);
    await lookUpAgain(service);
    const { people, missing } = await read(service);
    assert.deepEqual([people.toSorted(), missing], [[...before.people, `${outsider} 50`].toSorted(), []]);
  });

  it('are looked up once a day while their host has no such account, and are not missing then', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startSteppedService({ simulator, now });
    await put(service, simulator, {
      people: { exclude: ['nobody-1'] },
      teams: { red: ['nobody-2', `@${engines.name}/core`] },
      grants: [grant('nobody-3')],
    });
    assert.deepEqual((await read(service)).missing, []);
    const listRequests = (name: string): number =>
      simulator.requests.filter((request) => JSON.stringify(request).includes(name)).length;
    const first = ['nobody-1', 'nobody-2', 'nobody-3'].map(listRequests);
    assert.ok(
      first.every((count) => count > 0),
      first.join(),
    );
    advance(dayS - 600);
    await lookUpAgain(service);
    assert.deepEqual(['nobody-1', 'nobody-2', 'nobody-3'].map(listRequests), first);
    advance(600);
    await lookUpAgain(service);
    assert.deepEqual(
      ['nobody-1', 'nobody-2', 'nobody-3'].map(listRequests),
      first.map((count) => 2 * count),
    );
  });

  it('are looked up in bounded runs, and forgotten with the last board that names them', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startSteppedService({ simulator, now });
    const { connection } = service.database;
    const exclude = Array.from({ length: 60 }, (_, index) => `nobody-${index}`);
    await put(service, simulator, { people: { exclude } });
    const countLookedUp = async (): Promise<number> =>
      (await connection.selectFrom('named_people').selectAll().execute()).length;
    assert.equal(await countLookedUp(), 50);
    assert.equal((await findDueNames(connection, now(), 100)).length, 10);
    assert.deepEqual((await read(service)).missing, ['named people: not_looked_up']);
    await lookUpAgain(service);
    assert.equal(await countLookedUp(), 60);
    assert.deepEqual((await read(service)).missing, []);
    advance(1);
    await put(service, simulator, {});
    await lookUpAgain(service);
    assert.equal(await countLookedUp(), 0);
  });
});
