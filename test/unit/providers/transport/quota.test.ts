import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { urgencies } from '../../../../src/hosts/interface/call.ts';
import { Quota } from '../../../../src/hosts/transport/limits.ts';

const now = new Date('2026-06-15T12:00:00Z');
const resetAt = new Date('2026-06-15T12:30:00Z');

/** Returns the urgencies of which a request may be sent while a number of 100 requests remains. */
function permittedAt(remaining: number): string[] {
  const quota = new Quota();
  quota.update({ limit: 100, remaining, resetAt });
  return urgencies.filter((urgency) => quota.usedUpUntil(urgency, now) === undefined);
}

describe('division of a quota', () => {
  it('leaves half to everything but first reads, 30 % to background calls, and 10 % to owners', () => {
    const permitted = [51, 50, 31, 30, 11, 10, 1, 0].map((remaining) => [remaining, permittedAt(remaining).join(' ')]);
    assert.deepEqual(permitted, [
      [51, 'owner background interactive bulk'],
      [50, 'owner background interactive'],
      [31, 'owner background interactive'],
      [30, 'owner background'],
      [11, 'owner background'],
      [10, 'owner'],
      [1, 'owner'],
      [0, ''],
    ]);
  });

  it('states the time at which the quota resets while a share is used up, and permits everything from then on', () => {
    const quota = new Quota();
    quota.update({ limit: 100, remaining: 20, resetAt });
    assert.deepEqual(quota.usedUpUntil('interactive', now), resetAt);
    assert.equal(quota.usedUpUntil('interactive', resetAt), undefined);
  });

  it('permits everything before the host has reported a quota', () => {
    assert.equal(new Quota().usedUpUntil('bulk', now), undefined);
  });
});
