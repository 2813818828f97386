import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Earnable, planEvaluation } from '../../../src/recognition/achievements/awards/award.ts';
import type { Work } from '../../../src/recognition/achievements/awards/work-store.ts';

function earnable(id: number): Earnable {
  return {
    stored: { id: `achievement ${id}`, name: `A${id}`, evaluateAt: null, evaluatedAt: null },
    achievement: undefined as never,
    deciding: new Set(['commit']),
    needed: new Set(['commit']),
    ranks: false,
  };
}

/** Plans achievements that wait until commits are known, after the commits of some accounts changed. */
function plan(achievements: number, people: number) {
  const earnables = Array.from({ length: achievements }, (_, index) => earnable(index));
  const work: Work[] = Array.from({ length: people }, (_, index) => ({
    id: `work ${index}`,
    achievementId: null,
    accountId: `account ${index}`,
    kind: 'commit',
  }));
  return planEvaluation(earnables, work, { knownUntil: new Map(), now: new Date() });
}

describe('evaluations that have to wait', () => {
  it('wait for the accounts that are concerned', () => {
    const { later, done, ready } = plan(2, 3);
    assert.equal(later.length, 6);
    assert.ok(later.every(({ accountId }) => accountId !== null));
    assert.deepEqual([done.length, ready.length], [3, 0]);
  });

  it('wait for all accounts where they would become very many', () => {
    const { later } = plan(200, 900);
    assert.ok(later.length < 12_000, String(later.length));
    assert.equal(new Set(later.map(({ achievementId }) => achievementId)).size, 200);
    assert.ok(later.some(({ accountId }) => accountId === null));
  });
});
