import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Credential, Slots } from '../../../../src/hosts/transport/credential.ts';

const now = new Date('2026-06-15T12:00:00Z');
const later = (seconds: number): Date => new Date(now.getTime() + seconds * 1000);

function open(): Credential {
  return new Credential({ secret: undefined, name: '', slots: new Slots({ all: 1, background: 1, waiting: 1 }) });
}

describe('use of a credential', () => {
  it('states what remains of a quota, which is whole again after its end', () => {
    const credential = open();
    credential.updateQuota('core', { limit: 60, remaining: 7, resetAt: later(60) });
    assert.deepEqual(credential.use(now).quotas, [{ resource: 'core', limit: 60, remaining: 7 }]);
    assert.deepEqual(credential.use(later(60)).quotas, [{ resource: 'core', limit: 60, remaining: 60 }]);
  });

  it('states no quota that no response has stated', () => {
    const credential = open();
    credential.take('core', now);
    assert.deepEqual(credential.use(now), { state: 'usable', quotas: [] });
  });

  it('is limited while background work may not use the rest of a quota', () => {
    const credential = open();
    credential.updateQuota('core', { limit: 60, remaining: 6, resetAt: later(60) });
    assert.equal(credential.use(now).state, 'limited');
    assert.equal(credential.use(later(60)).state, 'usable');
  });

  it('is limited during the backoff after a refusal because of a limit', () => {
    const credential = open();
    credential.backoff.block(later(30), now);
    assert.equal(credential.use(now).state, 'limited');
    assert.equal(credential.use(later(31)).state, 'usable');
  });

  it('is refused until the host accepts the credential again', () => {
    const credential = open();
    credential.refuse(now);
    assert.equal(credential.use(later(3600)).state, 'refused');
    credential.accept();
    assert.equal(credential.use(later(3600)).state, 'usable');
  });
});
