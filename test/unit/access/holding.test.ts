import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assessHolding, type Holding } from '../../../src/accounts/access/administrators/holding.ts';

const dayMs = 86_400_000;
const start = Date.parse('2026-06-15T12:00:00Z');
const day = (number: number): Date => new Date(start + number * dayMs);

const holding: Holding = {
  holder: '7',
  holderName: 'github/olive-admin',
  account: { type: 'organization', externalId: '1' },
  endsAt: null,
  endedAt: null,
  confirmation: { confirmedAt: day(0), canCheck: true },
};

const stateOn = (holding: Holding, number: number): string => assessHolding(holding, day(number)).state;

describe('assessment of a holding', () => {
  it('suspends a holding that the host has not confirmed for 7 days, until the next confirmation', () => {
    assert.equal(stateOn(holding, 6.99), 'active');
    assert.equal(stateOn(holding, 7), 'suspended');
    assert.equal(stateOn(holding, 300), 'suspended');
    assert.equal(stateOn({ ...holding, confirmation: { confirmedAt: day(8), canCheck: true } }, 9), 'active');
    assert.deepEqual(assessHolding(holding, day(1)), { state: 'active', endsAt: null, worksUntil: day(7) });
  });

  it('applies the 7 days while it is not known whether a credential can check the holder', () => {
    const unknown = { ...holding, confirmation: { confirmedAt: day(0), canCheck: null } };
    assert.equal(stateOn(unknown, 6.99), 'active');
    assert.equal(stateOn(unknown, 7), 'suspended');
  });

  it('ends a holding 30 days after the last proof where no credential can check the holder', () => {
    const unchecked = { ...holding, confirmation: { confirmedAt: day(0), canCheck: false } };
    assert.equal(stateOn(unchecked, 29.99), 'active');
    assert.equal(stateOn(unchecked, 30), 'ended');
    assert.deepEqual(assessHolding(unchecked, day(1)), { state: 'active', endsAt: day(30), worksUntil: day(30) });
  });

  it('ends a key at its latest end, also while its holder is confirmed', () => {
    const key = { ...holding, endsAt: day(400), confirmation: { confirmedAt: day(399), canCheck: true } };
    assert.equal(stateOn(key, 399.99), 'active');
    assert.equal(stateOn(key, 400), 'ended');
    assert.deepEqual(assessHolding(key, day(399)).worksUntil, day(400));
  });

  it('lets a holding without a known holder work until its end', () => {
    const unknown = { ...holding, holder: null, confirmation: null, endsAt: day(30) };
    assert.equal(stateOn(unknown, 29), 'active');
    assert.equal(stateOn(unknown, 30), 'ended');
  });

  it('confirms nothing for the holdings of a user account itself', () => {
    const own = { ...holding, holder: '1', account: { type: 'user', externalId: '1' }, confirmation: null };
    assert.deepEqual(assessHolding(own, day(1000)), { state: 'active', endsAt: null, worksUntil: null });
    assert.equal(stateOn({ ...own, endsAt: day(400) }, 400), 'ended');
  });

  it('suspends the holdings of a user account that has become an organization, or of another user', () => {
    const account = { type: 'organization', externalId: '7' };
    assert.equal(stateOn({ ...holding, account, confirmation: null }, 0), 'suspended');
    const otherAccount = { ...holding, account: { type: 'user', externalId: '1' }, confirmation: null };
    assert.equal(stateOn(otherAccount, 0), 'suspended');
  });

  it('keeps an ended holding ended after a later confirmation of its holder', () => {
    const ended = { ...holding, endedAt: day(3), confirmation: { confirmedAt: day(4), canCheck: true } };
    assert.deepEqual(assessHolding(ended, day(4)), { state: 'ended', endsAt: day(3), worksUntil: day(3) });
  });
});
