import { crc32 } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { AccessServices } from '../../../accounts/access/services.ts';
import { findProvider } from '../../../accounts/resolve.ts';
import { findByName, isShown } from '../../../accounts/store.ts';
import type { Provider } from '../../../hosts/interface/provider.ts';
import { type AccountName, AccountPath, problemResponses } from '../../../http/pipeline/endpoint.ts';
import { imageFormats, isImageFormat, withImages } from '../../../http/pipeline/images.ts';
import { toRequester } from '../../../http/pipeline/requester.ts';
import { imageHeaders, maxAgeS } from '../../../http/pipeline/response.ts';
import { sendRedirect } from '../../../http/pipeline/send.ts';
import type { App } from '../../../http/server/app.ts';
import type { Account } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import { signCredential } from '../../signing/sign.ts';
import { awaitAccess } from '../awards/access-store.ts';
import { type Award, audienceFor, findAward } from '../awards/page-store.ts';
import { AwardPath, drawAward, iconUrl, noSuchAward } from '../awards/routes.ts';
import { achievementCredential } from './credential.ts';
import { provideStatusEntry } from './status-store.ts';
import { cachedByAll, mediaType } from './verification/routes.ts';

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
