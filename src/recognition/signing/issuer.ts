import ipaddr from 'ipaddr.js';
import { type SigningKey, toAlgorithm } from '../../accounts/access/tokens/signing-key-store.ts';

/** The paths that verifiers fetch. They are below the service's address, which must not change. */
export const paths = {
  issuer: '/v1/issuer',
  keys: '/v1/credential-keys',
  statusLists: '/v1/credential-statuses',
  statuses: '/v1/credentials',
};

export type PublicKey = Pick<SigningKey, 'id' | 'publicKey'>;

/**
 * Returns the identifier of this service by the method `did:web`; undefined where the method allows none, because the
 * address is not https or has no host name.
 * https://w3c-ccg.github.io/did-method-web/
 */
export function toDid(publicUrl: string): string | undefined {
  const { protocol, host, hostname, pathname } = new URL(publicUrl);
  if (protocol !== 'https:' || ipaddr.isValid(hostname.replace(/^\[|\]$/g, ''))) return undefined;
  const folders = pathname.split('/').filter((folder) => folder !== '');
  return ['did', 'web', ...[host, ...folders].map(encodePart)].join(':');
}

/** Encodes the characters that a DID may not contain (DID Core, section 3.1). */
function encodePart(part: string): string {
  return part.replace(/[^\w.%-]/g, (character) => `%${Buffer.from(character).toString('hex').toUpperCase()}`);
}

/** Returns the identifier of this service as an issuer: its DID, or the URL of its profile where it has none. */
export function issuerId(publicUrl: string): string {
  return toDid(publicUrl) ?? profileUrl(publicUrl);
}

function profileUrl(publicUrl: string): string {
  return `${publicUrl}${paths.issuer}`;
}

/** Returns the issuer as credentials contain it (Open Badges 3.0, Profile). */
export function issuerIn(publicUrl: string): object {
  return { id: issuerId(publicUrl), type: ['Profile'], name: 'Plaudit', url: profileUrl(publicUrl) };
}

/** Returns the profile of the issuer, whose id is its own address; it also names the DID. */
export function issuerProfile(publicUrl: string): object {
  const did = toDid(publicUrl);
  return {
    id: profileUrl(publicUrl),
    type: ['Profile'],
    name: 'Plaudit',
    url: publicUrl,
    ...(did !== undefined && {
      otherIdentifier: [{ type: 'IdentifierEntry', identifier: did, identifierType: 'identifier' }],
    }),
  };
}

/**
 * Returns the `kid` of signatures: the DID URL of the key, or without a DID its URL.
 * Open Badges 3.0, section "Dereferencing the Public Key", allows both.
 */
export function keyUrl(publicUrl: string, keyId: string): string {
  const did = toDid(publicUrl);
  return did === undefined ? `${publicUrl}${paths.keys}/${keyId}` : `${did}#${keyId}`;
}

/** Returns a key as it is published (RFC 7517). */
export function toJwk({ id, publicKey }: PublicKey): object {
  return { ...publicKey, kid: id, use: 'sig', alg: toAlgorithm(publicKey) };
}

/** Returns the DID document, with all keys that ever signed. Its URLs have to be absolute. */
export function didDocument(publicUrl: string, did: string, keys: readonly PublicKey[]): object {
  const methods = keys.map((key) => ({
    id: keyUrl(publicUrl, key.id),
    type: 'JsonWebKey2020',
    controller: did,
    publicKeyJwk: toJwk(key),
  }));
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    alsoKnownAs: [profileUrl(publicUrl)],
    verificationMethod: methods,
    assertionMethod: methods.map(({ id }) => id),
  };
}
