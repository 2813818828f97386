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

const median = (times: number[]): number => times.toSorted((left, right) => left - right)[times.length >> 1] ?? 0;

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
async function ratioOfTimes(numerator: Request, denominator: Request): Promise<number> {
  const [numeratorTimes, denominatorTimes]: [number[], number[]] = [[], []];
  for (let round = 0; round < 60; round += 1) {
    // Each comes first in half of the rounds, so that neither has an advantage.
    if (round % 2 === 0) numeratorTimes.push((await numerator()).ms);
    denominatorTimes.push((await denominator()).ms);
    if (round % 2 === 1) numeratorTimes.push((await numerator()).ms);
  }
  return median(numeratorTimes) / median(denominatorTimes);
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
        const [firstResponse, secondResponse] =
          order === 0 ? [await request(own), await request()] : [await request(), await request(own)];
        const [ownerResponse, publicResponse] =
          order === 0 ? [firstResponse, secondResponse] : [secondResponse, firstResponse];
        const strangerResponse = await request(others);
        for (let again = 0; again < 2; again += 1) {
          assert.equal((await request(own)).text, ownerResponse.text);
          assert.equal((await request()).text, publicResponse.text);
          assert.equal((await request(others)).text, strangerResponse.text);
        }
        assert.equal(strangerResponse.text, publicResponse.text);
        assert.equal(ownerResponse.text === publicResponse.text, !isPrivate, path);
        for (const response of [ownerResponse, publicResponse, strangerResponse])
          assert.match(response.headers.get('vary') ?? '', /^authorization/);
        assert.equal(ownerResponse.headers.get('cache-control'), 'private, no-store');
        assert.equal(ownerResponse.headers.get('access-control-allow-origin'), '*');
        assert.equal(ownerResponse.headers.get('access-control-allow-credentials'), null);
        assert.match(publicResponse.headers.get('cache-control') ?? '', /^public, /);
        // The tag of the private response has no effect for others, nor the public tag for the owner.
        if (!isPrivate) continue;
        const [tag, openTag] = [ownerResponse.headers.get('etag') ?? '', publicResponse.headers.get('etag') ?? ''];
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
      'an account of another person': [
        () =>
          cost(`/v1/github/entities/${engines.name}/token?v=${next()}`, `Bearer ${shared.simulator.tokens.outsider}`),
        () => cost(`/v1/github/entities/nobody-${next()}/token`, `Bearer ${shared.simulator.tokens.outsider}`),
      ],
      'an account behind a token of another': [
        () => cost(`/v1/github/entities/${keeper.name}/repositories?v=${next()}`, `Bearer ${token}`),
        () => cost(`/v1/github/entities/nobody-${next()}/repositories`, `Bearer ${token}`),
      ],
    };
    for (const [title, [sendPresent, sendAbsent]] of Object.entries(pairs)) {
      const [first, second] = [await lowestCost(sendPresent), await lowestCost(sendAbsent)];
      assert.deepEqual([first.status, first.providerRequests], [second.status, second.providerRequests], title);
      // One short query, such as the one for a former name, is not noticed among the others; more would be.
      assert.ok(
        Math.abs(first.databaseUses - second.databaseUses) <= 1,
        `${title}: ${JSON.stringify([first, second])}`,
      );
      if (!isThorough) continue;
      // The bound is generous: a read from another table or a request to the provider would take several times as long.
      const ratio = await ratioOfTimes(sendPresent, sendAbsent);
      assert.ok(ratio > 0.4 && ratio < 2.5, `${title}: ${ratio}`);
    }
  });
});
