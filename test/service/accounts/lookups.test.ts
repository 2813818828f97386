import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { shareService } from '../../e2e/shared-service.ts';
import { clock } from '../../time.ts';
import { type SteppedService, startSteppedService } from '../sync/stepped-service.ts';

/** Outcomes of lookups as callers see them. */

const name = 'ada-lovelace';

describe('lookups that find no account', () => {
  const shared = shareService({
    simulator: { repositories: 1 },
    start: (simulator) => startSteppedService({ simulator }),
  });

  it('happen once for an absent name, and never for an impossible one', async () => {
    const { simulator } = shared;
    const service = shared.service as SteppedService;
    assert.equal((await service.getAfterWork('nobody-has-this-name')).status, 404);
    for (let count = 0; count < 2; count += 1) {
      const { status, body } = await service.getAfterWork('nobody-has-this-name');
      assert.deepEqual([status, body.error?.code], [404, 2]);
    }
    assert.equal(simulator.requests.length, 1);
    for (const impossible of ['-dash', 'a'.repeat(40), 'dot.ted', '%00', '%2e%2e', 'ä', 'a%2Fb', '@a', 'a%20b']) {
      assert.equal((await service.getAfterWork(impossible)).status, 404, impossible);
    }
    assert.equal(simulator.requests.length, 1);
    assert.equal((await service.getAfterWork(simulator.accounts.deleted)).status, 404);
  });

  it('leave out an unreadable number, and log its path without its value', async () => {
    const { simulator } = shared;
    const service = shared.service as SteppedService;
    const path = ['data', 'account', 'followers'];
    simulator.faults.add({ kind: 'surprise', path, value: { totalCount: 'plenty' } });
    const { status, body } = await service.getAfterWork(name);
    assert.equal(status, 200);
    assert.equal(body.data[0]?.['display_name'], 'Ada Lovelace');
    assert.deepEqual([body.meta_data.complete, body.meta_data.missing], [false, ['followers']]);
    assert.match(service.lines.join(''), /\/followers/);
    assert.doesNotMatch(service.lines.join(''), /plenty/);
  });
});

describe('lookups that fail', () => {
  it('end with a clear error, or are delayed while the host limits its requests, and are not repeated at once', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startSteppedService({ simulator, now });
    const request = async (kind: (typeof failures)[number][0] | (typeof limits)[number]) => {
      // After this time earlier failures are forgotten, and every limit has ended.
      advance(3700);
      simulator.faults.clear();
      simulator.faults.add({ kind, times: 1000 });
      const response = await service.getAfterWork(name);
      const requestCount = simulator.requests.length;
      const repeated = await service.getAfterWork(name);
      assert.equal(simulator.requests.length, requestCount);
      assert.equal(repeated.status, response.status);
      return { response, repeated };
    };
    const failures = [
      ['unavailable', 503, 7, /cannot be reached/],
      ['drop_before', 503, 7, /cannot be reached/],
      ['malformed', 502, 7, /not JSON/],
      ['huge', 503, 7, /cannot be reached/],
      ['redirect', 502, 7, /redirects to another address/],
      ['bad_credentials', 502, 7, /token/],
    ] as const;
    for (const [kind, status, code, message] of failures) {
      const { response } = await request(kind);
      assert.equal(response.status, status, kind);
      assert.equal(response.body.error?.code, code, kind);
      assert.match(response.body.error.message, message);
      assert.ok(Number(response.headers.get('retry-after')) > 0, kind);
    }
    const limits = ['primary_limit', 'secondary_limit', 'primary_limit_in_200'] as const;
    for (const kind of limits) {
      const { response, repeated } = await request(kind);
      assert.deepEqual([response.status, response.body.data], [202, []], kind);
      const waitS = Number(response.headers.get('retry-after'));
      assert.ok(waitS >= 60 && waitS <= 3600, `${kind}: ${waitS} s`);
      assert.equal(repeated.headers.get('retry-after'), String(waitS));
      const { complete, missing, progress } = response.body.meta_data;
      assert.deepEqual([complete, missing, progress?.reason], [false, ['data'], 'quota'], kind);
      assert.equal(Date.parse(progress?.resumes_dttm ?? ''), now().getTime() + waitS * 1000, kind);
    }
    simulator.faults.clear();
    advance(3700);
    // The database has its own clock, by which the delayed job is not due.
    await service.database.pool.query('update graphile_worker._private_jobs set run_at = now()');
    assert.equal((await service.getAfterWork(name)).status, 200);
  });

  it('end with an error, and log the remedy, where an organization forbids them by SAML', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    simulator.refusing.refuse(simulator.accounts.organization, 'saml');
    await using service = await startSteppedService({ simulator });
    assert.equal((await service.getAfterWork(simulator.accounts.organization)).status, 502);
    assert.match(service.lines.join(''), /You must grant your Personal Access token access/);
  });
});
