import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
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
    // Images count against no address. Requests from loopback and a token are not limited by address either.
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
});
