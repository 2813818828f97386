import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { type SteppedService, startSteppedService } from '../sync/stepped-service.ts';

const settings = {
  TRUST_PROXY: 'loopback',
  LOOKUPS_PER_HOUR: '8',
  NETWORK_LOOKUPS_PER_HOUR: '12',
};
const attacker = '203.0.113.7';

/** Requests a path, and again after the job that this adds. */
const from = (service: SteppedService, address: string, path: string) =>
  service.getAfterWork(path, { headers: { 'x-forwarded-for': address } });

const retryAfter = ({ headers }: { headers: Headers }): number => Number(headers.get('retry-after'));

const names = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

describe('limiting of lookups of unknown names', () => {
  it('permits some names to one address and its network, and looks the others up later', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startSteppedService({ simulator, settings });
    const { user } = simulator.accounts;
    assert.equal((await service.getAfterWork(user)).status, 200);
    const before = simulator.requests.length;
    // Known names cost nothing; unknown names of accounts and repositories, first listings and calendars cost one each.
    const paths = [
      ...names('nobody', 4),
      ...names('no-such', 3).map((name) => `${user}/contributors?repository=${name}`),
      `${user}/contributors`,
      'person-1',
      ...names('more', 3),
    ];
    const responses = [];
    for (const path of paths) {
      responses.push(await from(service, attacker, path));
      assert.equal((await from(service, attacker, user)).status, 200);
    }
    assert.deepEqual(
      responses.map(({ status }) => status).map((status) => (status === 200 ? 'found' : status)),
      [...Array(7).fill(404), 'found', ...Array(4).fill(202)],
    );
    // The allowance permits one more lookup each 450 seconds.
    assert.ok(responses.slice(8).every((response) => retryAfter(response) > 400 && retryAfter(response) <= 1800));
    assert.ok(responses.slice(8).every(({ body }) => body.meta_data.progress?.reason === 'allowance'));
    const requested = JSON.stringify(simulator.requests.slice(before));
    assert.doesNotMatch(requested, /person-1|more-/);
    // A repeated request costs nothing, and says when the lookup runs.
    assert.ok(retryAfter(await from(service, attacker, 'person-1')) <= 450);
    // Another address of the network gets the rest of the network's allowance; addresses elsewhere are not affected.
    const neighbour = [];
    for (const name of names('other', 6)) neighbour.push(await from(service, '203.0.113.8', name));
    assert.ok(neighbour.some(({ status }) => status === 202));
    assert.equal((await from(service, '198.51.100.1', 'person-2')).status, 200);
    assert.equal((await from(service, '203.0.113.9', 'person-3?format=json')).status, 202);
    // Images do not count against the lookups of an address. Requests from loopback and a token are not limited by address either.
    const image = await from(service, attacker, 'person-4/contributions?format=svg');
    assert.deepEqual([image.status, retryAfter(image)], [200, 0]);
    assert.equal((await service.getAfterWork('person-5')).status, 200);
    // An owner comes first, also for a name that waits.
    const token = await serviceToken(service, simulator, engines);
    const owner = { ...bearer(token).headers, 'x-forwarded-for': attacker };
    assert.equal((await service.getAfterWork('more-0', { headers: owner })).status, 404);
    assert.equal((await from(service, attacker, 'person-1')).status, 202);
    await service.database.pool.query(
      "update graphile_worker._private_jobs set run_at = now() where key like 'look_up %'",
    );
    assert.equal((await from(service, attacker, 'person-1')).status, 200);
  });

  it('lets invented names in images wait for each other alone, and names that exist for minutes at most', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ repositories: 1, now });
    const limits = { TRUST_PROXY: 'loopback', NETWORK_LOOKUPS_PER_HOUR: '4' };
    await using service = await startSteppedService({ simulator, settings: limits, now });
    const { user } = simulator.accounts;
    const proxy = '192.0.2.1';
    const image = (name: string): string => `${name}/contributions?format=svg`;
    const codes = async (address: string, paths: string[]): Promise<(string | null)[]> => {
      const images = [];
      for (const path of paths) images.push((await from(service, address, path)).headers.get('x-error-code'));
      return images;
    };
    // Names that exist do not count.
    const people = ['person-1', 'person-2', 'person-3', 'person-4', 'person-5'];
    assert.deepEqual(await codes(proxy, [user, ...people].map(image)), Array(6).fill(null));
    const before = simulator.requests.length;
    const invented = [
      ...names('nobody', 3).map(image),
      ...names('nothing', 3).map((name) => `${user}/repositories/${name}/badges/community`),
    ];
    assert.deepEqual(await codes(proxy, invented), ['2', '2', '2', '2', '0', '0']);
    assert.doesNotMatch(JSON.stringify(simulator.requests.slice(before)), /nothing-[12]/);
    // A known name, a new name for JSON, and a new name in an image elsewhere do not wait.
    assert.deepEqual(await codes(proxy, [`${image(user)}&theme=nord`]), [null]);
    assert.equal((await from(service, proxy, 'person-6')).status, 200);
    assert.deepEqual(await codes('198.51.100.1', [image('person-7')]), [null]);
    // Names from many networks wait for each other, too.
    const spread = [];
    for (let network = 0; network < 6; network += 1)
      spread.push(...(await codes(`203.0.${network}.1`, [image(`spread-${network}`)])));
    assert.deepEqual(spread, ['2', '2', '2', '2', '0', '0']);
    assert.equal((await from(service, '203.0.9.1', 'person-8')).status, 200);

    const waiting = await from(service, proxy, image('person-9'));
    assert.deepEqual([waiting.status, waiting.headers.get('x-error-code')], [200, '0']);
    assert.ok(retryAfter(waiting) > 0 && retryAfter(waiting) <= 900, `${retryAfter(waiting)} s`);
    advance(1800);
    assert.deepEqual(await codes(proxy, [image('person-9')]), [null]);
  });
});
