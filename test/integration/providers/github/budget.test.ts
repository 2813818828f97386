import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../../src/errors.ts';
import { Budget, type Resource, type Token } from '../../../../src/providers/github/budget.ts';
import type { Call } from '../../../../src/providers/provider.ts';
import { clock } from '../../../time.ts';

const callOf = (urgency: Call['urgency'], signal = new AbortController().signal): Call => ({
  urgency,
  signal,
  cost: { requests: 0, points: 0 },
});
const [interactive, background] = [callOf('interactive'), callOf('background')];

function make(secrets: string[]): { budget: Budget; time: ReturnType<typeof clock>; sleeps: number[] } {
  const time = clock();
  const sleeps: number[] = [];
  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    sleeps.push(ms);
  };
  return { budget: new Budget(secrets, { now: time.now, sleep }), time, sleeps };
}

/** Returns the seconds from now after which the budget permits a request; 0 when it gives a token at once. */
async function waitFor(budget: Budget, call: Call, now: Date, resource: Resource = 'graphql'): Promise<number> {
  try {
    (await budget.acquire(resource, call)).release();
    return 0;
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'provider_rate_limited');
    return ((error.retryAt?.getTime() ?? Number.NaN) - now.getTime()) / 1000;
  }
}

const tell = (token: Token | undefined, remaining: number, resetAt: Date): void =>
  token?.learn({ resource: 'graphql', limit: 5000, remaining, resetAt });
describe('the quota of GitHub tokens', () => {
  it('leaves the last tenth of the quota to interactive requests', async () => {
    const { budget, time } = make(['a']);
    const resetAt = new Date(time.now().getTime() + 600_000);
    tell(budget.tokens[0], 502, resetAt);
    assert.equal(await waitFor(budget, background, time.now()), 0);
    tell(budget.tokens[0], 500, resetAt);
    assert.equal(await waitFor(budget, background, time.now()), 600);
    assert.equal(await waitFor(budget, interactive, time.now()), 0);
    tell(budget.tokens[0], 0, resetAt);
    assert.equal(await waitFor(budget, interactive, time.now()), 600);
    time.advance(601);
    assert.equal(await waitFor(budget, background, time.now()), 0);
  });

  it('waits a minute after a refusal without a time, then twice as long each time, at most an hour', async () => {
    const { budget, time } = make(['a']);
    const [token] = budget.tokens;
    for (const seconds of [60, 120, 240, 480, 960, 1920, 3600, 3600]) {
      token?.block(undefined, time.now());
      assert.equal(await waitFor(budget, interactive, time.now()), seconds);
      time.advance(seconds + 1);
    }
    token?.forgivePenalty();
    token?.block(undefined, time.now());
    assert.equal(await waitFor(budget, interactive, time.now()), 60);
  });

  it('blocks all resources of a token until the time that a refusal names', async () => {
    const { budget, time } = make(['a', 'b']);
    const [first, second] = budget.tokens;
    first?.block(new Date(time.now().getTime() + 30_000), time.now());
    assert.equal(await waitFor(budget, interactive, time.now(), 'core'), 0);
    second?.block(new Date(time.now().getTime() + 90_000), time.now());
    assert.equal(await waitFor(budget, interactive, time.now(), 'core'), 30);
  });

  it('uses the token with the most remaining quota, minus the requests that are running', async () => {
    const { budget, time } = make(['a', 'b']);
    const resetAt = new Date(time.now().getTime() + 600_000);
    tell(budget.tokens[0], 4000, resetAt);
    tell(budget.tokens[1], 4003, resetAt);
    const taken = [];
    for (let count = 0; count < 6; count += 1) taken.push((await budget.acquire('graphql', interactive)).label);
    assert.deepEqual(new Set(taken), new Set(['token 1 of 2', 'token 2 of 2']));
    assert.equal(taken[0], 'token 2 of 2');
  });

  it('keeps the lower remaining quota when responses arrive out of order', () => {
    const { budget, time } = make(['a']);
    const resetAt = new Date(time.now().getTime() + 600_000);
    tell(budget.tokens[0], 100, resetAt);
    tell(budget.tokens[0], 120, resetAt);
    assert.equal(budget.tokens[0]?.remaining('graphql')?.remaining, 100);
    tell(budget.tokens[0], 5000, new Date(resetAt.getTime() + 3_600_000));
    assert.equal(budget.tokens[0]?.remaining('graphql')?.remaining, 5000);
  });

  it('reserves some of the concurrent requests for interactive ones', async () => {
    const { budget, sleeps } = make(['a']);
    for (let count = 0; count < 40; count += 1) await budget.acquire('graphql', background);
    const controller = new AbortController();
    const waiting = budget.acquire('graphql', callOf('background', controller.signal));
    controller.abort();
    await assert.rejects(waiting);
    assert.ok(sleeps.length >= 0);
    for (let count = 0; count < 10; count += 1) await budget.acquire('graphql', interactive);
  });

  it('sends fewer background requests in a minute than GitHub allows', async () => {
    const { budget, time } = make(['a']);
    let sent = 0;
    while ((await waitFor(budget, background, time.now(), 'core')) === 0) sent += 1;
    assert.equal(sent, 450);
    assert.equal(await waitFor(budget, interactive, time.now(), 'core'), 0);
    time.advance(61);
    assert.equal(await waitFor(budget, background, time.now(), 'core'), 0);
  });

  it('pauses a token that GitHub refuses, and rejects requests while it refuses all tokens', async () => {
    const { budget, time } = make(['a', 'b']);
    budget.tokens[0]?.refuse(time.now());
    assert.equal((await budget.acquire('core', interactive)).label, 'token 2 of 2');
    budget.tokens[1]?.refuse(time.now());
    await assert.rejects(budget.acquire('core', interactive), /does not accept the configured token/);
    time.advance(601);
    assert.equal(await waitFor(budget, interactive, time.now(), 'core'), 0);
  });

  it('treats a token as limited to public data only when its scopes show it', () => {
    const { budget } = make(['a', 'b', 'c']);
    const [unknown, classic, full] = budget.tokens;
    classic?.learnScopes('public_repo');
    full?.learnScopes('repo');
    assert.deepEqual([unknown?.seesOnlyPublic, classic?.seesOnlyPublic, full?.seesOnlyPublic], [false, true, false]);
  });
});
