import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Credentials, type Resource, type Token } from '../../../../src/hosts/github/credentials.ts';
import type { Call } from '../../../../src/hosts/interface/provider.ts';
import { AppError } from '../../../../src/model/errors.ts';
import { clock } from '../../../time.ts';

const toCall = (urgency: Call['urgency'], signal = new AbortController().signal): Call => ({
  urgency,
  signal,
  cost: { requests: 0, points: 0 },
});
const [owner, interactive, background] = [toCall('owner'), toCall('interactive'), toCall('background')];

function openCredentials(secrets: string[]): { credentials: Credentials; time: ReturnType<typeof clock> } {
  const time = clock();
  return { credentials: new Credentials(secrets, { now: time.now }), time };
}

/** Returns the seconds from now after which a request may be sent; 0 when a token is given at once. */
async function waitFor(
  credentials: Credentials,
  call: Call,
  now: Date,
  resource: Resource = 'graphql',
): Promise<number> {
  try {
    (await credentials.acquire(resource, call))[Symbol.dispose]();
    return 0;
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'provider_rate_limited');
    return ((error.retryAt?.getTime() ?? Number.NaN) - now.getTime()) / 1000;
  }
}

const reportQuota = (token: Token | undefined, remaining: number, resetAt: Date): void =>
  token?.updateQuota('graphql', { limit: 5000, remaining, resetAt });

describe('the quota of GitHub tokens', () => {
  it('leaves the last tenth of the quota to owners', async () => {
    const { credentials, time } = openCredentials(['a']);
    const resetAt = new Date(time.now().getTime() + 600_000);
    reportQuota(credentials.tokens[0], 502, resetAt);
    assert.equal(await waitFor(credentials, background, time.now()), 0);
    reportQuota(credentials.tokens[0], 500, resetAt);
    assert.equal(await waitFor(credentials, background, time.now()), 600);
    assert.equal(await waitFor(credentials, interactive, time.now()), 600);
    assert.equal(await waitFor(credentials, owner, time.now()), 0);
    reportQuota(credentials.tokens[0], 0, resetAt);
    assert.equal(await waitFor(credentials, owner, time.now()), 600);
    time.advance(601);
    assert.equal(await waitFor(credentials, background, time.now()), 0);
  });

  it('waits a minute after a refusal without a time, then twice as long each time, at most an hour', async () => {
    const { credentials, time } = openCredentials(['a']);
    const [token] = credentials.tokens;
    for (const seconds of [60, 120, 240, 480, 960, 1920, 3600, 3600]) {
      token?.backoff.block(undefined, time.now());
      assert.equal(await waitFor(credentials, interactive, time.now()), seconds);
      time.advance(seconds + 1);
    }
    token?.backoff.forgive();
    token?.backoff.block(undefined, time.now());
    assert.equal(await waitFor(credentials, interactive, time.now()), 60);
  });

  it('blocks all resources of a token until the time that a refusal names', async () => {
    const { credentials, time } = openCredentials(['a', 'b']);
    const [first, second] = credentials.tokens;
    first?.backoff.block(new Date(time.now().getTime() + 30_000), time.now());
    assert.equal(await waitFor(credentials, interactive, time.now(), 'core'), 0);
    second?.backoff.block(new Date(time.now().getTime() + 90_000), time.now());
    assert.equal(await waitFor(credentials, interactive, time.now(), 'core'), 30);
  });

  it('uses the token with the most remaining quota, minus the requests that are running', async () => {
    const { credentials, time } = openCredentials(['a', 'b']);
    const resetAt = new Date(time.now().getTime() + 600_000);
    reportQuota(credentials.tokens[0], 4000, resetAt);
    reportQuota(credentials.tokens[1], 4003, resetAt);
    const taken = [];
    for (let count = 0; count < 6; count += 1) {
      taken.push((await credentials.acquire('graphql', interactive)).credential.label);
    }
    assert.deepEqual(new Set(taken), new Set(['token 1 of 2', 'token 2 of 2']));
    assert.equal(taken[0], 'token 2 of 2');
  });

  it('keeps the lower remaining quota when responses arrive out of order', () => {
    const { credentials, time } = openCredentials(['a']);
    const resetAt = new Date(time.now().getTime() + 600_000);
    reportQuota(credentials.tokens[0], 100, resetAt);
    reportQuota(credentials.tokens[0], 120, resetAt);
    assert.equal(credentials.tokens[0]?.remaining('graphql')?.remaining, 100);
    reportQuota(credentials.tokens[0], 5000, new Date(resetAt.getTime() + 3_600_000));
    assert.equal(credentials.tokens[0]?.remaining('graphql')?.remaining, 5000);
  });

  it('reserves some of the concurrent requests for interactive ones', async () => {
    const { credentials } = openCredentials(['a']);
    const [first] = await Promise.all(Array.from({ length: 40 }, () => credentials.acquire('graphql', background)));
    const controller = new AbortController();
    const aborted = credentials.acquire('graphql', toCall('background', controller.signal));
    let isGranted = false;
    const waiting = credentials.acquire('graphql', background).then(() => {
      isGranted = true;
    });
    for (let count = 0; count < 10; count += 1) await credentials.acquire('graphql', interactive);
    controller.abort();
    await assert.rejects(aborted);
    assert.ok(!isGranted, 'no slot is free for background requests');
    first?.[Symbol.dispose]();
    await waiting;
  });

  it('sends fewer background requests in a minute than GitHub allows', async () => {
    const { credentials, time } = openCredentials(['a']);
    let sent = 0;
    while ((await waitFor(credentials, background, time.now(), 'core')) === 0) sent += 1;
    assert.equal(sent, 450);
    assert.equal(await waitFor(credentials, interactive, time.now(), 'core'), 0);
    time.advance(61);
    assert.equal(await waitFor(credentials, background, time.now(), 'core'), 0);
  });

  it('pauses a token that GitHub refuses, and rejects requests while it refuses all tokens', async () => {
    const { credentials, time } = openCredentials(['a', 'b']);
    credentials.tokens[0]?.refuse(time.now());
    assert.equal((await credentials.acquire('core', interactive)).credential.label, 'token 2 of 2');
    credentials.tokens[1]?.refuse(time.now());
    await assert.rejects(credentials.acquire('core', interactive), /does not accept the configured token/);
    time.advance(601);
    assert.equal(await waitFor(credentials, interactive, time.now(), 'core'), 0);
  });

  it('treats a token as limited to public data only when its scopes show it', () => {
    const { credentials } = openCredentials(['a', 'b', 'c']);
    const [unknown, classic, full] = credentials.tokens;
    classic?.recordScopes('public_repo');
    full?.recordScopes('repo');
    assert.deepEqual([unknown?.seesOnlyPublic, classic?.seesOnlyPublic, full?.seesOnlyPublic], [false, true, false]);
  });
});
