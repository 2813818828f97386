import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { httpsUrlToDidUrl } from '@digitalbazaar/did-method-web';
import { issuerId, keyUrl, toDid } from '../../../../src/recognition/signing/issuer.ts';

describe('the DID of the service', () => {
  for (const [publicUrl, did] of [
    ['https://badges.example.org', 'did:web:badges.example.org'],
    ['https://badges.example.org:8443', 'did:web:badges.example.org%3A8443'],
    ['https://example.org/plaudit/eu', 'did:web:example.org:plaudit:eu'],
    ['https://bücher.example', 'did:web:xn--bcher-kva.example'],
  ] as const) {
    it(`is ${did} for ${publicUrl}, as an independent library computes it`, () => {
      assert.equal(toDid(publicUrl), did);
      assert.equal(httpsUrlToDidUrl(publicUrl).did.replace(/:$/, ''), did);
    });
  }

  it('encodes characters that a DID may not contain', () => {
    assert.equal(toDid('https://example.org/~ada/a:b'), 'did:web:example.org:%7Eada:a%3Ab');
  });

  for (const publicUrl of ['http://localhost:8080', 'https://203.0.113.7', 'https://[2001:db8::1]:8443']) {
    it(`is absent for ${publicUrl}, where the issuer and the keys have URLs instead`, () => {
      assert.equal(toDid(publicUrl), undefined);
      assert.equal(issuerId(publicUrl), `${publicUrl}/v1/issuer`);
      assert.equal(keyUrl(publicUrl, 'abc'), `${publicUrl}/v1/credential-keys/abc`);
    });
  }
});
