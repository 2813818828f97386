import assert from 'node:assert/strict';
import { generateKeyPairSync, generatePrimeSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { readPublicKey } from '../../../src/accounts/access/keys/public-key.ts';

const ed25519 = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });

describe('acceptance of public keys', () => {
  it('refuses points of low order, in canonical and other encodings', () => {
    const lowOrder = [
      `01${'00'.repeat(31)}`,
      `01${'00'.repeat(30)}80`,
      '00'.repeat(32),
      `${'00'.repeat(31)}80`,
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
      '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
      'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa',
      ...['ec', 'ed', 'ee'].flatMap((first) => ['7f', 'ff'].map((last) => `${first}${'ff'.repeat(30)}${last}`)),
    ];
    for (const point of lowOrder) {
      const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(point, 'hex').toString('base64url') };
      assert.throws(() => readPublicKey(jwk), { code: 'invalid_input', message: /low order/ }, point);
    }
    assert.equal(readPublicKey(ed25519.publicKey.export({ format: 'jwk' })).kind, 'Ed25519');
  });

  it('refuses RSA keys with a modulus or an exponent that protects nothing, and says why', () => {
    const { n = '', e } = rsa.publicKey.export({ format: 'jwk' });
    const prime = generatePrimeSync(1024, { bigint: true });
    const encode = (value: bigint): string => {
      const hex = value.toString(16);
      return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex').toString('base64url');
    };
    const modulus = BigInt(`0x${Buffer.from(n, 'base64url').toString('hex')}`);
    for (const [jwk, message] of [
      [{ n: encode(modulus - 1n) }, /has an even modulus/],
      [{ n: encode(1n << 2047n) }, /has an even modulus/],
      [{ n: encode((1n << 2048n) - 1n) }, /modulus that 3 divides/],
      [{ n: encode(9973n * modulus) }, /modulus that 9973 divides/],
      [{ n: encode(prime * prime) }, /modulus (that is a square|of 204\d bits)/],
      [{ n: encode(prime) }, /modulus of 1024 bits; accepted are 2048 to 8192/],
      [{ n: 'Aw' }, /weak RSA key|must be a public key/],
      [{ n, e: 'AQ' }, /has the exponent 1\./],
      [{ n, e: 'Ag' }, /has the exponent 2\./],
      [{ n, e: 'AQAA' }, /has an even exponent/],
    ] as const)
      assert.throws(
        () => readPublicKey({ kty: 'RSA', e, ...jwk }),
        { code: 'invalid_input', message },
        String(message),
      );
    assert.equal(readPublicKey({ kty: 'RSA', n, e }).kind, 'RSA');
  });

  it('refuses private and symmetric keys in any form', () => {
    const jwks = [ed25519, rsa, ec].map(({ privateKey }) => privateKey.export({ format: 'jwk' }));
    const { d: _, ...primes } = rsa.privateKey.export({ format: 'jwk' });
    const open = ed25519.publicKey.export({ format: 'jwk' });
    const openPem = String(ed25519.publicKey.export({ type: 'spki', format: 'pem' }));
    const pems = [
      ed25519.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }),
      ec.privateKey.export({ type: 'sec1', format: 'pem' }),
      rsa.privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    ].map(String);
    const invalidKeys: (string | object)[] = [
      ...jwks,
      ...jwks.map((jwk) => JSON.stringify(jwk)),
      ...jwks.map((jwk) => ({ keys: [open, jwk] })),
      ...jwks.map((jwk) => JSON.stringify({ keys: [jwk] })),
      ...jwks.map((jwk) => ({ kty: 'OKP', nested: { jwk } })),
      primes,
      { ...rsa.publicKey.export({ format: 'jwk' }), p: primes.p },
      { kty: 'oct', k: 'c2VjcmV0' },
      { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] },
      ...pems,
      ...pems.map((text) => openPem + text),
    ];
    for (const key of invalidKeys) {
      assert.throws(
        () => readPublicKey(key),
        { code: 'invalid_input', message: /private or secret key/ },
        JSON.stringify(key),
      );
    }
    assert.throws(() => readPublicKey({ keys: [open] }), { code: 'invalid_input' });
    assert.throws(() => readPublicKey({ kty: 'oct' }), { code: 'invalid_input' });
  });
});
