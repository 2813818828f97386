import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { award } from '../../service/achievements/award.ts';
import { clock, until } from '../../time.ts';
import { startTestService } from '../service.ts';
import { startCamo } from './camo.ts';

/**
 * The time for which data is fresh, in seconds. All requests stay within one day, because calendars would show the next
 * one.
 */
const freshForS = 600;

describe('cards behind an image proxy', () => {
  it('serves complete cards to a README while the provider is up, slow, rate limited and down, and lets a proxy revalidate them', async () => {
    const time = clock();
    await using simulator = await startSimulator({ repositories: 1 });
    // The budget must also last for the work after the provider's response, on a machine that runs several tests.
    const settings = { LOOKUP_BUDGET_MS: '1500', FRESH_FOR_S: String(freshForS) };
    await using service = await startTestService({ simulator, now: time.now, settings });
    await using camo = await startCamo(time.now);
    const { user, organization } = simulator.accounts;
    const base = `${service.url}/v1/github/entities`;
    const readme = [
      `${base}/${user}/contributions?format=svg`,
      `${base}/${user}/contributions?format=png&scale=2&theme=nord`,
      `${base}/${user}/contributions?format=svg&card=calendar`,
      `${base}/${organization}/contributors?format=svg&limit=10`,
      `${base}/${organization}/badges/community`,
      `${base}/${user}/achievements?format=svg`,
    ];
    // The first request may come before everything is collected, and gets an image even so.
    for (const address of readme) {
      const { status, headers } = await camo.show(address);
      assert.equal(status, 200, address);
      assert.match(headers.get('content-type') ?? '', /^image\//);
    }
    await service.getComplete(`${organization}/contributors`);
    await service.getComplete(`${user}/contributors`);
    await award(service, 'Gold', { repository: 'engine-1', icon: `${simulator.url}/avatars/u/1` });
    const good = new Map<string, Buffer>();
    for (const address of readme) {
      const image = await until(async () => {
        time.advance(6);
        const { status, headers, body } = await camo.show(address);
        const text = body.toString();
        // A complete card may be cached for longer.
        const isFinal = headers.get('cache-control')?.includes('max-age=60') === true;
        return status === 200 && isFinal && !/Collecting|still counting|No \w+ yet|>0 contributions/.test(text)
          ? body
          : undefined;
      }, `${address} is complete`);
      good.set(address, image);
    }
    assert.match(String(good.get(readme[0] ?? '')), />Ada Lovelace</);
    assert.match(String(good.get(readme[3] ?? '')), /href="data:image\/(png|jpeg);base64,/);
    assert.match(String(good.get(readme[4] ?? '')), /[1-9]\d* contributors/);
    assert.match(String(good.get(readme[5] ?? '')), /href="data:image\/png;base64,[^"]+"\/>\n<text[^>]*>Gold</);

    // A proxy keeps a card while it is fresh, and revalidates it by its ETag afterwards.
    const first = await camo.show(`${readme[0]}&hide=avatar`);
    const requestCount = camo.requestCount;
    assert.equal((await camo.show(`${readme[0]}&hide=avatar`)).body.toString(), first.body.toString());
    assert.equal(camo.requestCount, requestCount);
    time.advance(61);
    assert.equal((await camo.show(`${readme[0]}&hide=avatar`)).headers.get('etag'), first.headers.get('etag'));
    assert.equal(camo.requestCount, requestCount + 1);

    const showAll = async (state: string): Promise<void> => {
      time.advance(2 * freshForS);
      for (const address of readme) {
        const { status, body } = await camo.show(address);
        assert.equal(status, 200, `${state} ${address}`);
        const isSame = body.equals(good.get(address) ?? Buffer.alloc(0));
        assert.ok(
          isSame || good.get(address)?.length === body.length,
          `${address} is the last good image while ${state}`,
        );
      }
    };
    const always = { times: 100_000 };
    simulator.faults.add({ kind: 'slow', delayMs: 20_000, ...always });
    await showAll('slow');
    const unknown = await camo.show(`${base}/${simulator.accounts.heavy}/contributions?format=svg`);
    assert.equal(unknown.status, 200);
    assert.match(unknown.body.toString(), />Collecting</);
    assert.equal(unknown.headers.get('cache-control'), 'no-store');
    simulator.faults.clear();
    simulator.faults.add({ kind: 'primary_limit', retryAfterS: 3600, ...always });
    await showAll('rate limited');
    await simulator.close();
    await showAll('down');
  });
});
