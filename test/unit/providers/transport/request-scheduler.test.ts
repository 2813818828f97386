import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../../src/hosts/interface/call.ts';
import { Credential, Slots } from '../../../../src/hosts/transport/credential.ts';
import { type Lease, RequestScheduler } from '../../../../src/hosts/transport/request-scheduler.ts';
import { AppError } from '../../../../src/model/errors.ts';
import { manualTime, waitUntilIdle } from './manual-time.ts';

const resource = 'api';
const neverAborted = new AbortController().signal;

/** Schedules requests with one credential, unless more are added. */
function createScheduler({ all = 2, background = 2, waiting = 100 } = {}) {
  const time = manualTime();
  const addCredential = (name: string): Credential => {
    const credential = new Credential({ secret: undefined, name, slots: new Slots({ all, background, waiting }) });
    credentials.push(credential);
    return credential;
  };
  const credentials: Credential[] = [];
  const credential = addCredential('first');
  const scheduler = new RequestScheduler({
    now: time.now,
    startTimer: time.startTimer,
    limited: (retryAt) => new AppError('provider_rate_limited', 'limited', { retryAt }),
    denied: () => new AppError('provider_denied', 'denied'),
  });
  const acquire = (urgency: Call['urgency'], signal = neverAborted): Promise<Lease<Credential>> =>
    scheduler.acquire({ resource, call: { urgency, signal }, candidates: () => credentials });
  /** The names of the requests in the order in which they got a slot. */
  const begun: string[] = [];
  const leases: Lease<Credential>[] = [];
  const request = async (name: string, urgency: Call['urgency'], signal?: AbortSignal): Promise<void> => {
    leases.push(await acquire(urgency, signal));
    begun.push(name);
  };
  const releaseAll = async (): Promise<void> => {
    await waitUntilIdle();
    for (let lease = leases.shift(); lease !== undefined; lease = leases.shift()) {
      lease[Symbol.dispose]();
      await waitUntilIdle();
    }
  };
  const inMs = (ms: number): Date => new Date(time.now().getTime() + ms);
  return { time, scheduler, credential, addCredential, acquire, request, releaseAll, begun, leases, inMs };
}

describe('the slots of the request scheduler', () => {
  it('sends requests of owners first, then those of visitors, then all for which no caller waits', async () => {
    const { request, releaseAll, begun, leases } = createScheduler({ all: 1, background: 1 });
    await request('first', 'background');
    const requests = (['bulk', 'background', 'interactive', 'owner'] as const).map((urgency) =>
      request(urgency, urgency),
    );
    await waitUntilIdle();
    assert.equal(leases.length, 1);
    await releaseAll();
    await Promise.all(requests);
    assert.deepEqual(begun, ['first', 'owner', 'interactive', 'bulk', 'background']);
  });

  it('sends interactive requests first, and requests of the same urgency in the order in which they came', async () => {
    const { request, releaseAll, begun } = createScheduler({ all: 1 });
    const names = ['b1', 'b2', 'i1', 'b3', 'i2', 'i3', 'b4'];
    const requests = names.map((name) => request(name, name.startsWith('i') ? 'interactive' : 'background'));
    await releaseAll();
    await Promise.all(requests);
    assert.deepEqual(begun, ['b1', 'i1', 'i2', 'i3', 'b2', 'b3', 'b4']);
  });

  it('gives a free slot to a waiting request without any timer', async () => {
    const { time, request, releaseAll, begun } = createScheduler({ all: 1 });
    const requests = [request('one', 'background'), request('two', 'background')];
    await waitUntilIdle();
    assert.deepEqual([begun, time.timers()], [['one'], []]);
    await releaseAll();
    await Promise.all(requests);
    assert.deepEqual(begun, ['one', 'two']);
  });

  it('keeps slots free for interactive requests while background requests wait', async () => {
    const { request, releaseAll, begun } = createScheduler({ all: 3, background: 1 });
    const requests = [request('b1', 'background'), request('b2', 'background'), request('i1', 'interactive')];
    await waitUntilIdle();
    assert.deepEqual(begun, ['b1', 'i1']);
    await releaseAll();
    await Promise.all(requests);
  });

  it('uses the slot of any credential that is free first', async () => {
    const { addCredential, request, leases, releaseAll, begun } = createScheduler({ all: 1 });
    addCredential('second');
    const requests = ['one', 'two', 'three'].map((name) => request(name, 'background'));
    await waitUntilIdle();
    assert.deepEqual(begun, ['one', 'two']);
    leases[1]?.[Symbol.dispose]();
    await waitUntilIdle();
    assert.deepEqual(begun, ['one', 'two', 'three']);
    assert.equal(leases[2]?.credential.name, 'second');
    await releaseAll();
    await Promise.all(requests);
  });

  it('drops a waiting request when its signal aborts, and gives its place to the next one', async () => {
    const { request, releaseAll, begun } = createScheduler({ all: 1 });
    const controller = new AbortController();
    const first = request('one', 'background');
    const aborted = request('aborted', 'background', controller.signal);
    const next = request('next', 'background');
    controller.abort(new Error('the caller has disconnected'));
    await assert.rejects(aborted, /the caller has disconnected/);
    await releaseAll();
    await Promise.all([first, next]);
    assert.deepEqual(begun, ['one', 'next']);
  });

  it('refuses requests with a time to retry while too many wait', async () => {
    const { time, request, releaseAll } = createScheduler({ all: 1, waiting: 2 });
    const requests = [1, 2, 3].map((name) => request(String(name), 'background'));
    const retryAt = new Date(time.now().getTime() + 5000);
    await assert.rejects(request('4', 'background'), { code: 'provider_rate_limited', retryAt });
    await releaseAll();
    await Promise.all(requests);
  });

  it('lets waiting requests use a credential that is added', async () => {
    const { scheduler, addCredential, request, releaseAll, begun } = createScheduler({ all: 1 });
    const requests = ['one', 'two', 'three'].map((name) => request(name, 'background'));
    await waitUntilIdle();
    assert.deepEqual(begun, ['one']);
    addCredential('second');
    scheduler.reconsider();
    await waitUntilIdle();
    assert.deepEqual(begun, ['one', 'two']);
    await releaseAll();
    await Promise.all(requests);
    assert.deepEqual(begun, ['one', 'two', 'three']);
  });

  it('refuses waiting requests at once when their credential is limited', async () => {
    const { time, scheduler, credential, request, inMs } = createScheduler({ all: 1 });
    await request('one', 'background');
    const waiting = request('two', 'background');
    await waitUntilIdle();
    const retryAt = inMs(60_000);
    credential.backoff.block(retryAt, time.now());
    scheduler.reconsider();
    await assert.rejects(waiting, { code: 'provider_rate_limited', retryAt });
  });
});

describe('waits of the request scheduler for the end of a limit', () => {
  it('end exactly when the limit ends, with one timer for each request', async () => {
    const { time, credential, request, begun, inMs } = createScheduler();
    credential.backoff.block(inMs(2000), time.now());
    const waiting = request('one', 'background');
    await time.advance(1999);
    assert.deepEqual([begun, time.timers()], [[], [2000]]);
    await time.advance(1);
    await waiting;
    assert.deepEqual([begun, time.timers()], [['one'], []]);
  });

  it('end when a quota resets', async () => {
    const { time, credential, request, begun, inMs } = createScheduler();
    credential.updateQuota(resource, { limit: 100, remaining: 10, resetAt: inMs(3000) });
    const waiting = request('one', 'background');
    await request('owner', 'owner');
    await time.advance(2999);
    assert.deepEqual(begun, ['owner']);
    await time.advance(1);
    await waiting;
  });

  it('end when a credential is added', async () => {
    const { time, scheduler, credential, addCredential, request, begun, inMs } = createScheduler();
    credential.backoff.block(inMs(2000), time.now());
    const waiting = request('one', 'background');
    await waitUntilIdle();
    addCredential('second');
    scheduler.reconsider();
    await waiting;
    assert.deepEqual([begun, time.timers()], [['one'], []]);
  });

  it('end when the signal aborts', async () => {
    const { time, credential, request, inMs } = createScheduler();
    credential.backoff.block(inMs(2000), time.now());
    const controller = new AbortController();
    const waiting = request('one', 'background', controller.signal);
    await waitUntilIdle();
    controller.abort(new Error('the job ends'));
    await assert.rejects(waiting, /the job ends/);
    assert.deepEqual(time.timers(), []);
  });

  it('keep the order in which the requests came', async () => {
    const { time, credential, request, releaseAll, begun, inMs } = createScheduler({ all: 1 });
    credential.backoff.block(inMs(2000), time.now());
    const requests: Promise<void>[] = [];
    for (const name of ['one', 'two', 'three', 'four']) {
      requests.push(request(name, 'background'));
      await time.advance(10);
    }
    await time.advance(2000);
    await releaseAll();
    await Promise.all(requests);
    assert.deepEqual(begun, ['one', 'two', 'three', 'four']);
  });

  it('do not begin when the limit ends too late, or when a caller waits', async () => {
    const { time, credential, acquire, inMs } = createScheduler();
    const soon = inMs(1000);
    credential.backoff.block(soon, time.now());
    await assert.rejects(acquire('interactive'), { code: 'provider_rate_limited', retryAt: soon });
    const late = inMs(5001);
    credential.backoff.block(late, time.now());
    await assert.rejects(acquire('background'), { code: 'provider_rate_limited', retryAt: late });
    assert.deepEqual(time.timers(), []);
  });

  it('end with the time of the next request when the limit is extended past the deadline', async () => {
    const { time, credential, request, inMs } = createScheduler();
    credential.backoff.block(inMs(4000), time.now());
    const waiting = request('one', 'background');
    const retryAt = inMs(9000);
    await waitUntilIdle();
    credential.backoff.block(retryAt, time.now());
    const rejected = assert.rejects(waiting, { code: 'provider_rate_limited', retryAt });
    await time.advance(4000);
    await rejected;
  });
});

describe('refused credentials', () => {
  it('are set aside, and requests fail while all are refused', async () => {
    const { time, credential, addCredential, acquire } = createScheduler();
    const second = addCredential('second');
    credential.refuse(time.now());
    assert.equal((await acquire('interactive')).credential, second);
    second.refuse(time.now());
    await assert.rejects(acquire('interactive'), { code: 'provider_denied' });
    await time.advance(600_000);
    assert.equal((await acquire('interactive')).credential, credential);
  });
});
