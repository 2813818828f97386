import type { KeyObject } from 'node:crypto';

/** The largest factor that is looked for. A modulus of two large primes has none, and a made-up one mostly has. */
const largestFactor = 10_000n;

/**
 * Returns why an RSA key protects nothing; undefined when that cannot be seen. OpenSSL reads such keys without complaint.
 * Whether the modulus is one prime is left open, because that takes seconds.
 */
export function findRsaWeakness(key: KeyObject): string | undefined {
  const { publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  // With an exponent of 1, any message is its own valid signature.
  if (publicExponent < 3n) return `has the exponent ${publicExponent}`;
  if (publicExponent % 2n === 0n) return 'has an even exponent';
  const modulus = BigInt(`0x${Buffer.from(key.export({ format: 'jwk' }).n ?? '', 'base64url').toString('hex') || '0'}`);
  if (modulus % 2n === 0n) return 'has an even modulus';
  for (let factor = 3n; factor < largestFactor; factor += 2n)
    if (modulus % factor === 0n) return `has a modulus that ${factor} divides`;
  return isSquare(modulus) ? 'has a modulus that is a square' : undefined;
}

/** Returns whether a number has a whole root, which Newton's method finds from above. */
function isSquare(value: bigint): boolean {
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root * root === value;
    root = next;
  }
}
