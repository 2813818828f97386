import { crc32 } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AccessServices } from '../../../accounts/access/services.ts';
import { KeySet, PublicKey } from '../../../accounts/access/tokens/signing-key-store.ts';
import { findProvider } from '../../../accounts/resolve.ts';
import { findByName, isShown } from '../../../accounts/store.ts';
import type { Provider } from '../../../hosts/interface/provider.ts';
import { type AccountName, AccountPath, problemResponses } from '../../../http/pipeline/endpoint.ts';
import { imageFormats, isImageFormat, withImages } from '../../../http/pipeline/images.ts';
import { ProblemSchema } from '../../../http/pipeline/problem.ts';
import { toRequester } from '../../../http/pipeline/requester.ts';
import { imageHeaders, isNotModified, maxAgeS, toEtag } from '../../../http/pipeline/response.ts';
import { sendRedirect } from '../../../http/pipeline/send.ts';
import type { App } from '../../../http/server/app.ts';
import type { Account } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import { didDocument, issuerProfile, paths, toDid, toJwk } from '../../signing/issuer.ts';
import { findCredentialKeys } from '../../signing/key-store.ts';
import { signCredential } from '../../signing/sign.ts';
import { awaitAccess } from '../awards/access-store.ts';
import { type Award, audienceFor, findAward } from '../awards/page-store.ts';
import { AwardPath, drawAward, iconUrl, noSuchAward } from '../awards/routes.ts';
import { achievementCredential, credentialId, statusUrl } from './credential.ts';
import { findRevoked, isAwardStanding, provideStatusEntry, statusListCredential } from './status-store.ts';

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

const documentMaxAgeS = 300;
/** The value of `Cache-Control` for responses that all caches may store. */
const cachedByAll = `public, max-age=${documentMaxAgeS}`;
/** https://www.w3.org/TR/vc-jose-cose/ */
const mediaType = 'application/vc+jwt';

const described = { tags: ['Achievements'], security: [] };

/** The bytes before the chunk that is added: the signature and the chunk IHDR, which is the first and has 25 bytes. */
const pngHeadLength = 8 + 25;

const CredentialPath = Type.Object({ ...AccountPath.properties, ...AwardPath.properties });
const CredentialFormat = Type.Optional(
  Type.Enum(['jwt', ...imageFormats], {
    description: 'Default: `jwt`. `svg` and `png` are the image of the award with the credential in it (baked).',
  }),
);

/** Registers the route for awards as Open Badges 3.0 credentials. */
export function credentialRoutes(app: App, services: AccessServices): void {
  app.get(
    '/v1/:provider/entities/:name/achievements/:award_id/credential',
    {
      schema: {
        operationId: 'getCredential',
        tags: ['Achievements'],
        summary:
          'An award as a signed Open Badges 3.0 credential, as a JWT or in its image, for those who may see the award',
        params: CredentialPath,
        querystring: withImages({ format: CredentialFormat }, services.images, 'by format'),
        security: [{}, { serviceToken: [] }],
        produces: [mediaType, 'image/svg+xml', 'image/png'],
        response: {
          200: Type.String({ description: `A compact JWS, as \`${mediaType}\`, or an image that contains it.` }),
          ...problemResponses,
        },
      },
      config: { cards: ['achievements'] },
    },
    async (request, reply) => {
      const found = await findReadable(services, request, request.params);
      if ('renamedTo' in found) return sendRedirect(request, reply, { account: found.renamedTo });
      const jwt = await issue(services, found);
      const { format } = request.query;
      if (!isImageFormat(format)) {
        return sendCredential(request, reply, { body: Buffer.from(jwt), type: mediaType, isFinal: true });
      }
      const { body, contentType, isFinal } = await drawAward(services, found, { format, query: { ...request.query } });
      const baked = { body: bake(body, format, jwt), type: contentType, isFinal };
      return sendCredential(request, reply.headers(imageHeaders), baked);
    },
  );
}

interface Readable {
  award: Award;
  account: Account;
  provider: Provider;
}

/**
 * Finds an award that the caller may see.
 * @throws AppError `not_found` for any other award, and for an imported one, which is not signed.
 */
async function findReadable(
  services: AccessServices,
  request: FastifyRequest,
  { provider: providerName, name, award_id: awardId }: AccountName & { award_id: string },
): Promise<Readable | { renamedTo: string }> {
  const { providers, connection, now, lookUpBudgetMs } = services;
  const { caller } = request;
  const provider = findProvider(providers, providerName);
  const holder = provider.accounts.isPossibleName(name) ? await findByName(connection, providerName, name) : undefined;
  if (holder === undefined || holder.state === 'deleted') throw noSuchAward();
  const { account } = holder;
  const isOwner = caller?.accountId === account.id;
  if (!isShown(account) && !isOwner) throw noSuchAward();
  if (holder.state === 'renamed') return { renamedTo: account.name };
  const audience = audienceFor(account, { isOwner, now: now() });
  if (audience.includesPrivate) {
    const deadline = new Date(now().getTime() + lookUpBudgetMs);
    await awaitAccess(services, account, { deadline, requester: toRequester(request, false) });
  }
  const award = await findAward(connection, audience, awardId);
  if (award === undefined) throw noSuchAward();
  if (award.isImported) {
    throw new AppError('not_found', 'This award was imported from another service, so that it is not signed here.');
  }
  return { award, account, provider };
}

/** Signs the credential of an award. */
async function issue(services: AccessServices, { award, account, provider }: Readable): Promise<string> {
  const status = await provideStatusEntry(services.connection, award.id, services.randomBytes);
  if (status === undefined) throw noSuchAward();
  const proven = {
    ...award,
    awardId: award.id,
    iconUrl: iconUrl(award, provider),
    person: {
      idUrl: provider.accounts.toIdUrl(account.externalId),
      externalId: account.externalId,
      login: account.name,
      host: provider.host,
    },
    status,
  };
  return signCredential(services, achievementCredential(proven, services.publicUrl()));
}

/** Sends a credential, which caches may store as long as verifiers may store its status. */
function sendCredential(
  { caller }: FastifyRequest,
  reply: FastifyReply,
  { body, type, isFinal }: { body: Buffer; type: string; isFinal: boolean },
): FastifyReply {
  const control = isFinal ? cachedByAll : `public, max-age=${maxAgeS.incomplete}`;
  return reply
    .headers({ 'cache-control': caller === null ? control : 'private, no-store', vary: 'authorization' })
    .type(type)
    .send(body);
}

/** Embeds a credential in an image (Open Badges 3.0, section "Baked Badge"). */
export function bake(image: Buffer, format: 'svg' | 'png', jwt: string): Buffer {
  return format === 'svg' ? bakeSvg(image, jwt) : bakePng(image, jwt);
}

function bakeSvg(image: Buffer, jwt: string): Buffer {
  const svg = image.toString();
  const end = svg.indexOf('>');
  return Buffer.from(
    `${svg.slice(0, end)} xmlns:openbadges="https://purl.imsglobal.org/ob/v3p0">` +
      `<openbadges:credential verify="${jwt}"></openbadges:credential>${svg.slice(end + 1)}`,
  );
}

/** Adds a chunk iTXt, not compressed (https://www.w3.org/TR/png-3/#11iTXt). */
function bakePng(image: Buffer, jwt: string): Buffer {
  const content = Buffer.from(`iTXtopenbadgecredential\0\0\0\0\0${jwt}`, 'latin1');
  const chunk = Buffer.alloc(content.length + 8);
  chunk.writeUInt32BE(content.length - 4, 0);
  content.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(content), content.length + 4);
  return Buffer.concat([image.subarray(0, pngHeadLength), chunk, image.subarray(pngHeadLength)]);
}

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
      const terms = { publicUrl: services.publicUrl(), now: services.now(), maxAgeS: documentMaxAgeS };
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
