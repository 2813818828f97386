import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { AccessServices } from '../../access/services.ts';
import { findProvider } from '../../accounts/resolve.ts';
import { findByName, isShown } from '../../accounts/store.ts';
import { AppError } from '../../errors.ts';
import type { App } from '../../http/app.ts';
import { AccountPath, problemResponses } from '../../http/endpoint.ts';
import { sendRedirect } from '../../http/send.ts';
import { findAward } from '../awards/page-store.ts';
import { AwardPath, iconUrl, noSuchAward } from '../awards/routes.ts';
import { credentialId, issuerProfile, paths, statusUrl } from './credential.ts';
import { currentCredentialKey, findCredentialKeys, isAwardStanding } from './key-store.ts';
import { signCredential } from './sign.ts';

const CredentialPath = Type.Object({ ...AccountPath.properties, ...AwardPath.properties });
const KeyPath = Type.Object({ key_id: Type.String({ pattern: '^[\\w-]{43}$', maxLength: 43 }) });

/** https://www.w3.org/TR/vc-jose-cose/ */
const mediaType = 'application/vc+jwt';
const maxAgeS = 300;
const everybody = `public, max-age=${maxAgeS}`;

/** Registers the routes for awards as Open Badges 3.0 credentials, and the routes for their verification. */
export function credentialRoutes(app: App, services: AccessServices): void {
  credential(app, services);
  verification(app, services);
}

function credential(app: App, services: AccessServices): void {
  app.get(
    '/v1/:provider/entities/:name/achievements/:award_id/credential',
    {
      schema: {
        summary: 'An award as a signed Open Badges 3.0 credential (JWT), for those who may see the award',
        params: CredentialPath,
        security: [{}, { serviceToken: [] }],
        response: {
          200: Type.String({
            description: `A compact JWS, as \`${mediaType}\`. Its \`kid\` is the address of the key.`,
          }),
          ...problemResponses,
        },
      },
    },
    async (request, reply) => {
      const { provider: providerName, name, award_id: awardId } = request.params;
      const provider = findProvider(services.providers, providerName);
      const holder = provider.accounts.isPossibleName(name)
        ? await findByName(services.connection, providerName, name)
        : undefined;
      if (holder === undefined || holder.state === 'deleted') throw noSuchAward();
      const { account } = holder;
      const isOwner = request.caller?.accountId === account.id;
      if (!isShown(account) && !isOwner) throw noSuchAward();
      if (holder.state === 'renamed') return sendRedirect(request, reply, { account: account.name });
      const includesPrivate = isOwner || account.publishesPrivate;
      const audience = { accountId: account.id, isOwner, includesPrivate };
      const award = await findAward(services.connection, audience, awardId);
      if (award === undefined) throw noSuchAward();
      if (award.isImported) {
        throw new AppError('not_found', 'This award was imported from another service, so that it is not signed here.');
      }
      const key = await currentCredentialKey(services.connection, {
        now: services.now(),
        newKey: services.newSigningKey,
      });
      const jwt = await signCredential(
        {
          ...award,
          awardId: award.id,
          iconUrl: iconUrl(award, provider),
          person: { url: provider.accounts.urlOf(account), name: account.name, externalId: account.externalId },
        },
        key,
        services.publicUrl(),
      );
      return reply
        .headers({ 'cache-control': request.caller === null ? everybody : 'private, no-store', vary: 'authorization' })
        .type(mediaType)
        .serializer((text: string) => text)
        .send(jwt);
    },
  );
}

function verification(app: App, services: AccessServices): void {
  app.get(paths.issuer, { schema: { summary: 'Who issues credentials (Open Badges 3.0 Profile)' } }, async (_, reply) =>
    sendOpenly(reply, issuerProfile(services.publicUrl())),
  );
  app.get(
    paths.keys,
    { schema: { summary: 'All keys that ever signed credentials (RFC 7517)' } },
    async (_request, reply) => {
      const keys = await findCredentialKeys(services.connection);
      return sendOpenly(reply, { keys: keys.map(toJwk) });
    },
  );
  app.get(
    `${paths.keys}/:key_id`,
    { schema: { summary: 'A key that signed credentials (RFC 7517)', params: KeyPath } },
    async (request, reply) => {
      const [key] = await findCredentialKeys(services.connection, request.params.key_id);
      if (key === undefined) throw new AppError('not_found', 'There is no such key.');
      return sendOpenly(reply, toJwk(key));
    },
  );
  app.get(
    `${paths.statuses}/:award_id/status`,
    {
      schema: {
        summary: 'Whether a credential stands: the list names it when its award was revoked or erased',
        params: AwardPath,
      },
    },
    async (request, reply) => {
      const { award_id: awardId } = request.params;
      const isStanding = await isAwardStanding(services.connection, awardId);
      return sendOpenly(reply, {
        id: statusUrl(services.publicUrl(), awardId),
        issuer: issuerProfile(services.publicUrl()).id,
        revokedCredential: isStanding ? [] : [{ id: credentialId(awardId), revoked: true }],
      });
    },
  );
}

function sendOpenly(reply: FastifyReply, body: object): FastifyReply {
  return reply.header('cache-control', everybody).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

function toJwk({ id, publicKey }: { id: string; publicKey: Record<string, string> }): object {
  return { ...publicKey, kid: id, use: 'sig', alg: 'EdDSA' };
}
