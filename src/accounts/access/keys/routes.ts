import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { authorizeOwner, resolveOwn } from '../../../http/pipeline/authorize.ts';
import {
  type AccountName,
  AccountPath,
  changeProblemResponses,
  privateProblemResponses,
} from '../../../http/pipeline/endpoint.ts';
import { EnvelopeSchema, envelope, SingleSchema, single, TimestampSchema } from '../../../http/pipeline/envelope.ts';
import { sensitiveByAddress } from '../../../http/pipeline/rate-limits.ts';
import { sendNothing, sendPrivately, sendRedirect } from '../../../http/pipeline/send.ts';
import type { App } from '../../../http/server/app.ts';
import { findProvider } from '../../resolve.ts';
import { findActor } from '../actor.ts';
import { holderFields } from '../administrators/person.ts';
import { type Proven, proveOwner } from '../prove-owner.ts';
import type { AccessServices } from '../services.ts';
import { readProviderToken } from '../tokens/issue.ts';
import { listKeys, type Owner, registerKey, removeOwnKey } from './manage.ts';

const maxKeyLength = 10_000;

const Registration = Type.Object(
  {
    data: Type.Object({
      key: Type.Union([Type.String({ maxLength: maxKeyLength }), Type.Object({})], {
        description: 'A public key: PEM or JWK; Ed25519, ECDSA on P-256 or P-384, or RSA of at least 2048 bits.',
      }),
    }),
  },
  { title: 'KeyRegistration' },
);
const KeyId = Type.Object(
  { id: Type.String({ description: 'SHA-256 of the key (SubjectPublicKeyInfo, DER), hex.' }) },
  { title: 'KeyId' },
);
const Key = Type.Object(
  {
    ...KeyId.properties,
    kind: Type.String(),
    key: Type.String({ description: 'PEM.' }),
    created_dttm: TimestampSchema(),
    ...holderFields,
  },
  { title: 'Key' },
);
const KeyPath = Type.Object({
  ...AccountPath.properties,
  key_id: Type.String({ pattern: '^[\\x21-\\x7e]{1,100}$', maxLength: 100 }),
});

/**
 * Adds the management of long-term public keys, which verify the tokens that an owner signs. These routes are outside
 * of the pipeline: with a token of the provider, the provider decides who owns the account.
 */
export function keyRoutes(app: App, services: AccessServices): void {
  addRegistration(app, services);
  addList(app, services);
  addRemoval(app, services);
}

function addRegistration(app: App, services: AccessServices): void {
  app.put(
    '/v1/:provider/entities/:name/keys',
    {
      config: { credential: 'provider', rateLimit: sensitiveByAddress },
      schema: {
        operationId: 'registerKey',
        tags: ['Access'],
        summary: 'Registers a public key; tokens that its private part signs are good for the account',
        params: AccountPath,
        body: Registration,
        security: [{ providerToken: [] }],
        response: { 200: SingleSchema(KeyId), ...changeProblemResponses },
      },
    },
    async (request, reply) => {
      const owner = await byProviderToken(services, request, request.params);
      const id = await registerKey(services, owner, request.body.data.key);
      return sendPrivately(reply, single('key_id', { id }));
    },
  );
}

function addList(app: App, services: AccessServices): void {
  app.get(
    '/v1/:provider/entities/:name/keys',
    {
      config: { credential: 'either', rateLimit: sensitiveByAddress },
      schema: {
        operationId: 'listKeys',
        tags: ['Access'],
        summary: 'The registered public keys; by a service token, or a token of the provider',
        params: AccountPath,
        security: [{ serviceToken: [] }, { providerToken: [] }],
        response: { 200: EnvelopeSchema(Key), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const owner = await byEitherToken(services, request, reply, request.params, 'read');
      if (owner === 'redirected') return reply;
      const data = await listKeys(services, owner.account);
      return sendPrivately(reply, envelope({ dataType: 'key', data }));
    },
  );
}

function addRemoval(app: App, services: AccessServices): void {
  app.delete(
    '/v1/:provider/entities/:name/keys/:key_id',
    {
      config: { credential: 'either', rateLimit: sensitiveByAddress },
      schema: {
        operationId: 'removeKey',
        tags: ['Access'],
        summary: 'Removes a public key; the tokens that it signed are invalid from then on, on every node',
        params: KeyPath,
        security: [{ serviceToken: [] }, { providerToken: [] }],
        response: { 204: Type.Null(), ...changeProblemResponses },
      },
    },
    async (request, reply) => {
      const owner = await byEitherToken(services, request, reply, request.params, 'manage');
      if (owner === 'redirected') return reply;
      await removeOwnKey(services, owner, request.params.key_id);
      return sendNothing(reply);
    },
  );
}

async function byProviderToken(
  services: AccessServices,
  request: FastifyRequest,
  params: AccountName,
): Promise<Proven> {
  const provider = findProvider(services.providers, params.provider);
  return proveOwner(services, { provider, name: params.name }, readProviderToken(services, request));
}

async function byEitherToken(
  services: AccessServices,
  request: FastifyRequest,
  reply: FastifyReply,
  params: AccountName,
  needs: 'read' | 'manage',
): Promise<Owner | 'redirected'> {
  if (request.caller === null) return byProviderToken(services, request, params);
  const resolution = await resolveOwn(services.resolver, params, request.caller);
  const { state, account, caller } = authorizeOwner(resolution, request.caller, needs);
  if (state === 'renamed') {
    await sendRedirect(request, reply, { account: account.name });
    return 'redirected';
  }
  if (needs === 'manage') await services.confirmOwner({ account, caller }, 'if doubtful');
  return { account, ...(await findActor(services.connection, caller)) };
}
