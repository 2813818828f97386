import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeList } from '@digitalbazaar/vc-bitstring-status-list';
import { statusListCredential } from '../../../../src/recognition/achievements/credentials/status-store.ts';

const terms = { publicUrl: 'https://badges.example.org', now: new Date('2026-06-15T12:00:00Z'), maxAgeS: 300 };

describe('encoding of a status list', () => {
  it('has 131,072 bits, of which those of revoked credentials are set', async () => {
    const revoked = [0, 7, 8, 4711, 131_071];
    const { credentialSubject } = statusListCredential({ list: 3, revoked }, terms);
    const list = await decodeList(credentialSubject);
    assert.equal(list.length, 131_072);
    assert.deepEqual(
      Array.from({ length: list.length }, (_, position) => position).filter((position) => list.getStatus(position)),
      revoked,
    );
  });

  it('says how long it may be cached, and is valid for verifiers with slow clocks', () => {
    const credential = statusListCredential({ list: 3, revoked: [] }, terms);
    assert.equal(credential.credentialSubject.ttl, 300_000);
    assert.equal(credential.validFrom, '2026-06-15T11:50:00Z');
    assert.equal(credential.id, 'https://badges.example.org/v1/credential-statuses/3');
  });
});
