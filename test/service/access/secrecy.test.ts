import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isThorough } from '../../depth.ts';
import { send } from '../../e2e/raw-request.ts';
import { engines, keeper, serviceToken } from '../../integration/access/owner.ts';
import { storeAbsentRepositories } from '../../integration/http/stored-world.ts';
import { shareStoredService } from '../http/stored-service.ts';

/** The cost of a request to the service, which a caller may notice as time. */
interface Cost {
  status: number;
  databaseUses: number;
  providerRequests: number;
  ms: number;
}

type Request = () => Promise<Cost>;

const median = (times: number[]): number => times.toSorted((one, other) => one - other)[times.length >> 1] ?? 0;

/** Returns the lowest cost of several equal requests, because jobs use the database meanwhile. */
async function lowestCost(send: Request): Promise<Omit<Cost, 'ms'>> {
  const costs: Cost[] = [];
  for (let round = 0; round < 8; round += 1) costs.push(await send());
  return {
    status: costs[0]?.status ?? 0,
    databaseUses: Math.min(...costs.map(({ databaseUses }) => databaseUses)),
    providerRequests: Math.min(...costs.map(({ providerRequests }) => providerRequests)),
  };
}

/** Returns the ratio of the median times of two requests. */
async function ratioOfTimes(one: Request, other: Request): Promise<number> {
  const [ones, others]: [number[], number[]] = [[], []];
  for (let round = 0; round < 60; round += 1) {
    // Each comes first in half of the rounds, so that neither has an advantage.
    if (round % 2 === 0) ones.push((await one()).ms);
    others.push((await other()).ms);
    if (round % 2 === 1) ones.push((await one()).ms);
  }
  return median(ones) / median(others);
}

describe('secrecy of private data', () => {
  const shared = shareStoredService({ service: { settings: { TRUST_PROXY: 'loopback' } } });

  it("keeps an owner's response from other callers, with any cache, condition or order of requests", async () => {
    const own = await serviceToken(shared.service, shared.simulator, keeper);
    const others = await serviceToken(shared.service, shared.simulator, engines);
    for (const path of [`${keeper.name}/contributors`, `${keeper.name}/contributions?private=true`, keeper.name]) {
      const isPrivate = path !== keeper.name;
      for (const order of [0, 1]) {
        const address = `${path}${path.includes('?') ? '&' : '?'}v=${order}`;
        const request = (token?: string, headers: Record<string, string> = {}) =>
          shared.service.get(address, { headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) } });
        const [one, two] = order === 0 ? [await request(own), await request()] : [await request(), await request(own)];
        const [mine, open] = order === 0 ? [one, two] : [two, one];
        const third = await request(others);
        for (let again = 0; again < 2; again += 1) {
          assert.equal((await request(own)).text, mine.text);
          assert.equal((await request()).text, open.text);
          assert.equal((await request(others)).text, third.text);
        }
        assert.equal(third.text, open.text);
        assert.equal(mine.text === open.text, !isPrivate, path);
        for (const response of [mine, open, third]) assert.match(response.headers.get('vary') ?? '', /^authorization/);
        assert.equal(mine.headers.get('cache-control'), 'private, no-store');
        assert.equal(mine.headers.get('access-control-allow-origin'), '*');
        assert.equal(mine.headers.get('access-control-allow-credentials'), null);
        assert.match(open.headers.get('cache-control') ?? '', /^public, /);
        // The tag of the private response has no effect for others, nor the public tag for the owner.
        if (!isPrivate) continue;
        const [tag, openTag] = [mine.headers.get('etag') ?? '', open.headers.get('etag') ?? ''];
        assert.notEqual(tag, openTag);
        assert.equal((await request(undefined, { 'if-none-match': tag })).status, 200);
        assert.equal((await request(others, { 'if-none-match': tag })).status, 200);
        assert.equal((await request(own, { 'if-none-match': openTag })).status, 200);
        const same = await request(own, { 'if-none-match': tag });
        assert.deepEqual([same.status, same.headers.get('cache-control')], [304, 'private, no-store']);
      }
    }
  });

  it('responds with 401 to an invalid credential on every route, even when the response is in the cache', async () => {
    for (const path of [
      engines.name,
      `${engines.name}/contributions`,
      `${engines.name}/contributors`,
      `${engines.name}/repositories`,
      '/healthz',
      '/readyz',
      '/openapi.json',
      '/.well-known/jwks.json',
      '/nowhere',
      `/v1/embeds/${'x'.repeat(43)}.svg`,
    ]) {
      await shared.service.get(path);
      for (const authorization of ['Bearer x', 'Bearer a.b.c', 'Basic eDp5', 'Bearer', '', ' ']) {
        const address = path.startsWith('/') ? path : `/v1/github/entities/${path}`;
        const response = await send(shared.service, address, 'GET', { authorization });
        assert.equal(response.status, 401, `${path} ${authorization}`);
      }
    }
  });

  it('responds at the same cost whether or not a private repository or an account exists', async () => {
    const token = await serviceToken(shared.service, shared.simulator, engines);
    const { connection } = shared.service.database;
    await storeAbsentRepositories(connection, engines.name, ['hidden-engine', 'missing-engine']);
    const list = `/v1/github/entities/${engines.name}/contributors?repository=`;
    for (const name of ['hidden-engine', 'missing-engine']) await send(shared.service, `${list}${name}`);
    let addresses = 0;
    let databaseUses = 0;
    shared.service.database.pool.on('acquire', () => {
      databaseUses += 1;
    });
    const cost = async (path: string, authorization?: string): Promise<Cost> => {
      addresses += 1;
      const [uses, requests, begun] = [databaseUses, shared.simulator.requests.length, performance.now()];
      const { status } = await send(shared.service, path, 'GET', {
        'x-forwarded-for': `10.${4 + (addresses >> 16)}.${(addresses >> 8) & 255}.${addresses & 255}`,
        ...(authorization !== undefined && { authorization }),
      });
      return {
        status,
        databaseUses: databaseUses - uses,
        providerRequests: shared.simulator.requests.length - requests,
        ms: performance.now() - begun,
      };
    };
    let fresh = 0;
    const next = (): string => String((fresh += 1));
    const pairs: Record<string, [Request, Request]> = {
      'a private repository': [
        () => cost(`${list}hidden-engine&v=${next()}`),
        () => cost(`${list}missing-engine&v=${next()}`),
      ],
      "somebody's account": [
        () =>
          cost(`/v1/github/entities/${engines.name}/token?v=${next()}`, `Bearer ${shared.simulator.tokens.outsider}`),
        () => cost(`/v1/github/entities/nobody-${next()}/token`, `Bearer ${shared.simulator.tokens.outsider}`),
      ],
      'an account behind a token of another': [
        () => cost(`/v1/github/entities/${keeper.name}/repositories?v=${next()}`, `Bearer ${token}`),
        () => cost(`/v1/github/entities/nobody-${next()}/repositories`, `Bearer ${token}`),
      ],
    };
    for (const [what, [one, other]] of Object.entries(pairs)) {
      const [first, second] = [await lowestCost(one), await lowestCost(other)];
      assert.deepEqual([first.status, first.providerRequests], [second.status, second.providerRequests], what);
      // One short query, such as the look for a former name, is not noticed among the others; more would be.
      assert.ok(Math.abs(first.databaseUses - second.databaseUses) <= 1, `${what}: ${JSON.stringify([first, second])}`);
      if (!isThorough) continue;
      // The bound is generous: a read from another table or a request to the provider would take several times as long.
      const ratio = await ratioOfTimes(one, other);
      assert.ok(ratio > 0.4 && ratio < 2.5, `${what}: ${ratio}`);
    }
  });
});
