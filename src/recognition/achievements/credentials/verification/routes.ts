import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { AccessServices } from '../../../../accounts/access/services.ts';
import { KeySet, PublicKey } from '../../../../accounts/access/tokens/signing-key.ts';
import { ProblemSchema } from '../../../../http/pipeline/problem.ts';
import { isNotModified, toEtag } from '../../../../http/pipeline/response.ts';
import type { App } from '../../../../http/server/app.ts';
import { AppError } from '../../../../model/errors.ts';
import { didDocument, issuerProfile, paths, toDid, toJwk } from '../../../signing/issuer.ts';
import { findCredentialKeys } from '../../../signing/key-store.ts';
import { signCredential } from '../../../signing/sign.ts';
import { AwardPath } from '../../awards/routes.ts';
import { credentialId, statusUrl } from '../credential.ts';
import { statusListCredential } from '../status-list.ts';
import { findRevoked, isAwardStanding } from '../status-store.ts';

const address = () => Type.String({ format: 'uri' });

/** The schemas of the resources that verifiers of credentials fetch. */
const Issuer = Type.Object(
  {
    id: address(),
    type: Type.Array(Type.String(), { examples: [['Profile']] }),
    name: Type.String({ examples: ['Plaudit'] }),
    url: address(),
    otherIdentifier: Type.Optional(
      Type.Array(Type.Object({ type: Type.String(), identifier: Type.String(), identifierType: Type.String() }), {
        description: 'The DID of the service, where it has one.',
      }),
    ),
  },
  { title: 'Issuer' },
);

const VerificationMethod = Type.Object(
  {
    id: Type.String({ examples: ['did:web:plaudit.example.org#key'] }),
    type: Type.Literal('JsonWebKey2020'),
    controller: Type.String({ examples: ['did:web:plaudit.example.org'] }),
    publicKeyJwk: PublicKey,
  },
  { title: 'VerificationMethod' },
);

const DidDocument = Type.Object(
  {
    '@context': Type.Array(Type.String()),
    id: Type.String({ examples: ['did:web:plaudit.example.org'] }),
    alsoKnownAs: Type.Array(address()),
    verificationMethod: Type.Array(VerificationMethod),
    assertionMethod: Type.Array(Type.String()),
  },
  { title: 'DidDocument' },
);

const RevocationList = Type.Object(
  {
    id: address(),
    issuer: address(),
    revokedCredential: Type.Array(Type.Object({ id: Type.String(), revoked: Type.Literal(true) }), { maxItems: 1 }),
  },
  { title: 'RevocationList' },
);

const KeyPath = Type.Object({ key_id: Type.String({ pattern: '^[\\w-]{43}$', maxLength: 43 }) });
const ListPath = Type.Object({ list: Type.String({ pattern: '^(0|[1-9]\\d{0,8})$', maxLength: 9 }) });

const maxAgeS = 300;
/** The value of `Cache-Control` for responses that all caches may store. */
export const cachedByAll = `public, max-age=${maxAgeS}`;
/** https://www.w3.org/TR/vc-jose-cose/ */
export const mediaType = 'application/vc+jwt';

const described = { tags: ['Achievements'], security: [] };

/** Registers what verifiers of credentials fetch: the issuer, the keys, and the status of credentials. */
export function verificationRoutes(app: App, services: AccessServices): void {
  addIssuer(app, services);
  addKeys(app, services);
  addStatusLists(app, services);
  addStatusOfAward(app, services);
}

function addIssuer(app: App, services: AccessServices): void {
  app.get(
    paths.issuer,
    {
      schema: {
        ...described,
        operationId: 'getIssuer',
        summary: 'Who issues credentials (Open Badges 3.0 Profile)',
        response: { 200: Issuer, 304: Type.Null() },
      },
    },
    async (_request, reply) => sendOpenly(reply, issuerProfile(services.publicUrl())),
  );
  // The first is the address where PUBLIC_URL has no path, the second where it has one.
  for (const [operationId, path] of [
    ['getWellKnownDid', '/.well-known/did.json'],
    ['getDid', '/did.json'],
  ] as const) {
    app.get(
      path,
      {
        schema: {
          ...described,
          operationId,
          summary: 'The issuer as a DID document (did:web), with all keys that ever signed credentials',
          response: { 200: DidDocument, 304: Type.Null(), 404: ProblemSchema },
        },
      },
      async (_request, reply) => {
        const publicUrl = services.publicUrl();
        const did = toDid(publicUrl);
        if (did === undefined) {
          throw new AppError('not_found', 'This service has no DID: PUBLIC_URL is not https, or has no host name.');
        }
        return sendOpenly(reply, didDocument(publicUrl, did, await findCredentialKeys(services.connection)));
      },
    );
  }
}

function addKeys(app: App, services: AccessServices): void {
  app.get(
    paths.keys,
    {
      schema: {
        ...described,
        operationId: 'listCredentialKeys',
        summary: 'All keys that ever signed credentials (RFC 7517)',
        response: { 200: KeySet, 304: Type.Null() },
      },
    },
    async (_request, reply) => {
      const found = await findCredentialKeys(services.connection);
      return sendOpenly(reply, { keys: found.map(toJwk) });
    },
  );
  app.get(
    `${paths.keys}/:key_id`,
    {
      schema: {
        ...described,
        operationId: 'getCredentialKey',
        summary: 'A key that signed credentials (RFC 7517)',
        params: KeyPath,
        response: { 200: PublicKey, 304: Type.Null() },
      },
    },
    async (request, reply) => {
      const [key] = await findCredentialKeys(services.connection, request.params.key_id);
      if (key === undefined) throw new AppError('not_found', 'There is no such key.');
      return sendOpenly(reply, toJwk(key));
    },
  );
}

function addStatusLists(app: App, services: AccessServices): void {
  app.get(
    `${paths.statusLists}/:list`,
    {
      schema: {
        ...described,
        operationId: 'getStatusList',
        summary: 'Which credentials are revoked: a signed Bitstring Status List, of which each has one bit',
        params: ListPath,
        produces: [mediaType],
        response: { 200: Type.String({ description: 'A compact JWS.' }), 304: Type.Null(), 404: ProblemSchema },
      },
    },
    async (request, reply) => {
      const list = Number(request.params.list);
      const revoked = await findRevoked(services.connection, list);
      if (revoked === undefined) throw new AppError('not_found', 'There is no such status list.');
      const terms = { publicUrl: services.publicUrl(), now: services.now(), maxAgeS };
      const jwt = await signCredential(services, statusListCredential({ list, revoked }, terms));
      return sendOpenly(reply, jwt, mediaType);
    },
  );
}

/** Registers the revocation lists that credentials of earlier releases name, one list for each. */
function addStatusOfAward(app: App, services: AccessServices): void {
  app.get(
    `${paths.statuses}/:award_id/status`,
    {
      schema: {
        ...described,
        operationId: 'getCredentialStatus',
        summary:
          'Whether a credential of an earlier release stands: the list names it when its award was revoked or erased',
        params: AwardPath,
        response: { 200: RevocationList, 304: Type.Null() },
      },
    },
    async (request, reply) => {
      const { award_id: awardId } = request.params;
      const publicUrl = services.publicUrl();
      const isStanding = await isAwardStanding(services.connection, awardId);
      return sendOpenly(reply, {
        id: statusUrl(publicUrl, awardId),
        issuer: `${publicUrl}${paths.issuer}`,
        revokedCredential: isStanding ? [] : [{ id: credentialId(awardId), revoked: true }],
      });
    },
  );
}

function sendOpenly(
  reply: FastifyReply,
  body: object | string,
  type = 'application/json; charset=utf-8',
): FastifyReply {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  const etag = toEtag(bytes);
  reply.headers({ 'cache-control': cachedByAll, etag });
  return isNotModified(reply.request.headers, { etag }) ? reply.code(304).send() : reply.type(type).send(bytes);
}
