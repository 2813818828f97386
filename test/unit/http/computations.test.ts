import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { currentScope, withinScope } from '../../../src/database/reads/statement-scope.ts';
import { Computations } from '../../../src/http/pipeline/computations.ts';
import { AppError } from '../../../src/model/errors.ts';

/** Counts computations, each of which ends when the test says so. */
function counted() {
  const begun: {
    finish: (result: string) => void;
    signal: AbortSignal | undefined;
    isExpensive: boolean | undefined;
  }[] = [];
  const compute = (): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { signal, isExpensive } = currentScope() ?? {};
    begun.push({ finish: resolve, signal, isExpensive });
    return promise;
  };
  return { begun, compute };
}

function withVersions() {
  const versions = { a: 0 };
  const cache = { findVersion: () => versions.a };
  let isLive = true;
  const computations = new Computations(cache, () => isLive);
  return { computations, change: () => (versions.a += 1), setLive: (live: boolean) => (isLive = live) };
}

describe('expensive computations', () => {
  it('are shared by requests for the same result, and expensive', async () => {
    const { computations } = withVersions();
    const { begun, compute } = counted();
    const both = [computations.share('a', 'days', compute), computations.share('a', 'days', compute)];
    const otherResult = computations.share('a', 'private days', compute);
    assert.equal(begun.length, 2);
    assert.equal(begun[0]?.isExpensive, true);
    begun[0]?.finish('one');
    begun[1]?.finish('other');
    assert.deepEqual(await Promise.all([...both, otherResult]), ['one', 'one', 'other']);
    void computations.share('a', 'days', compute);
    assert.equal(begun.length, 3);
  });

  it('are not shared across a change of the account, or while changes may be missed', async () => {
    const { computations, change, setLive } = withVersions();
    const { begun, compute } = counted();
    void computations.share('a', 'days', compute);
    change();
    void computations.share('a', 'days', compute);
    setLive(false);
    void computations.share('a', 'days', compute);
    assert.equal(begun.length, 3);
  });

  it('end with the last request that waits', async () => {
    const { computations } = withVersions();
    const { begun, compute } = counted();
    const requests = [new AbortController(), new AbortController()];
    const results = requests.map(({ signal }) =>
      withinScope({ signal, isExpensive: false }, () => computations.share('a', 'days', compute)),
    );
    const [first, second] = results.map((result) => result.catch((error: unknown) => error));
    requests[0]?.abort(new AppError('overloaded', 'too late'));
    assert.equal(((await first) as AppError).code, 'overloaded');
    assert.equal(begun[0]?.signal?.aborted, false);
    requests[1]?.abort();
    assert.equal(((await second) as AppError).code, 'too_slow');
    assert.equal(begun[0]?.signal?.aborted, true);
    void computations.share('a', 'days', compute);
    assert.equal(begun.length, 2);
  });

  it('fail for all requests that share them', async () => {
    const { computations } = withVersions();
    const fail = async (): Promise<string> => {
      await Promise.resolve();
      throw new Error('no database');
    };
    const both = [computations.share('a', 'days', fail), computations.share('a', 'days', fail)];
    const results = await Promise.allSettled(both);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'rejected'],
    );
  });
});

describe('responses to visitors', () => {
  const visitor = { accountId: 'a', key: '/a', startSequence: 0 };

  it('are made once for requests that wait for them, and are not expensive', async () => {
    const { computations } = withVersions();
    const { begun, compute } = counted();
    const both = [computations.shareResponse(visitor, compute), computations.shareResponse(visitor, compute)];
    void computations.shareResponse({ ...visitor, key: '/a?page=2' }, compute);
    assert.equal(begun.length, 2);
    assert.equal(begun[0]?.isExpensive, false);
    begun[0]?.finish('one');
    assert.deepEqual(await Promise.all(both), ['one', 'one']);
    void computations.shareResponse(visitor, compute);
    assert.equal(begun.length, 3);
  });

  it('are made for each request that read its account before a change, or while changes may be missed', async () => {
    const { computations, change, setLive } = withVersions();
    const { begun, compute } = counted();
    void computations.shareResponse(visitor, compute);
    change();
    void computations.shareResponse(visitor, compute);
    void computations.shareResponse(visitor, compute);
    assert.equal(begun.length, 3);
    void computations.shareResponse({ ...visitor, startSequence: 1 }, compute);
    void computations.shareResponse({ ...visitor, startSequence: 1 }, compute);
    assert.equal(begun.length, 4);
    setLive(false);
    void computations.shareResponse({ ...visitor, startSequence: 1 }, compute);
    assert.equal(begun.length, 5);
  });

  it('are not confused with expensive results of the same name', () => {
    const { computations } = withVersions();
    const { begun, compute } = counted();
    void computations.share('a', 'days', compute);
    void computations.shareResponse({ ...visitor, key: 'a days' }, compute);
    assert.equal(begun.length, 2);
  });
});
