import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { AccountPath, privateProblemResponses, providerOf, requireOwner } from '../../accounts/routes.ts';
import type { Account } from '../../accounts/store.ts';
import { inTransaction } from '../../database/transaction.ts';
import { AppError } from '../../errors.ts';
import type { App } from '../../http/app.ts';
import { bearerToken } from '../../http/caller.ts';
import { EnvelopeSchema, envelope, formatTimestamp, SingleSchema, single } from '../../http/envelope.ts';
import { seldomByAddress } from '../../http/rate-limits.ts';
import { sendPrivately } from '../../http/replies.ts';
import { actorOf, note } from '../actor.ts';
import type { Actor } from '../audit/store.ts';
import type { AccessContext } from '../context.ts';
import { proveOwner } from '../prove-owner.ts';
import { needsProviderToken } from '../tokens/routes.ts';
import { readPublicKey, toPem } from './public-key.ts';
import { findKeysOf, removeKey, saveKey } from './store.ts';

const maxKeys = 20;
const maxKeyLength = 10_000;

const Registration = Type.Object({
  data: Type.Object({
    key: Type.Union([Type.String({ maxLength: maxKeyLength }), Type.Object({})], {
      description: 'A public key: PEM or JWK; Ed25519, ECDSA on P-256 or P-384, or RSA of at least 2048 bits.',
    }),
  }),
});
const KeyId = Type.Object({ id: Type.String({ description: 'SHA-256 of the key (SubjectPublicKeyInfo, DER), hex.' }) });
const Key = Type.Object({
  ...KeyId.properties,
  kind: Type.String(),
  key: Type.String({ description: 'PEM.' }),
  created_dttm: Type.String({ format: 'date-time' }),
});
const KeyPath = Type.Object({
  ...AccountPath.properties,
  key_id: Type.String({ pattern: '^[\\x21-\\x7e]{1,100}$', maxLength: 100 }),
});

interface Owner extends Actor {
  account: Account;
}

/** Adds the management of long-term public keys, which verify the tokens that an owner signs. */
export function keyRoutes(app: App, context: AccessContext): void {
  registration(app, context);
  listingOfKeys(app, context);
  removal(app, context);
}

function registration(app: App, context: AccessContext): void {
  app.put(
    '/v1/:provider/entities/:name/keys',
    {
      config: { credential: 'provider', rateLimit: seldomByAddress },
      schema: {
        summary: 'Registers a public key; tokens that its private part signs are good for the account',
        params: AccountPath,
        body: Registration,
        security: [{ providerToken: [] }],
        response: { 200: SingleSchema(KeyId), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const owner = await byProviderToken(context, request, request.params);
      const key = readPublicKey(request.body.data.key);
      const { account } = owner;
      await inTransaction(context.connection, async (transaction) => {
        const held = await findKeysOf(transaction, account.id);
        if (held.length >= maxKeys && !held.some(({ id }) => id === key.id)) {
          throw new AppError('conflict', `The account has ${maxKeys} keys already; remove one first.`);
        }
        const isNew = await saveKey(transaction, { ...key, accountId: account.id, createdAt: context.now() });
        if (isNew) await noteKey(context, transaction, owner, { action: 'key_registered', subject: key.id });
      });
      return sendPrivately(reply, single('key_id', { id: key.id }));
    },
  );
}

function listingOfKeys(app: App, context: AccessContext): void {
  app.get(
    '/v1/:provider/entities/:name/keys',
    {
      config: { credential: 'either', rateLimit: seldomByAddress },
      schema: {
        summary: 'The registered public keys; by a service token, or a token of the provider',
        params: AccountPath,
        security: [{ serviceToken: [] }, { providerToken: [] }],
        response: { 200: EnvelopeSchema(Key), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const owner = await byEitherToken(context, request, reply, request.params, 'read');
      if (owner === 'redirected') return reply;
      const keys = await findKeysOf(context.connection, owner.account.id);
      const data = keys.map(({ id, kind, spki, createdAt }) => ({
        id,
        kind,
        key: toPem(spki),
        created_dttm: formatTimestamp(createdAt),
      }));
      return sendPrivately(reply, envelope({ dataType: 'key', data }));
    },
  );
}

function removal(app: App, context: AccessContext): void {
  app.delete(
    '/v1/:provider/entities/:name/keys/:key_id',
    {
      config: { credential: 'either', rateLimit: seldomByAddress },
      schema: {
        summary: 'Removes a public key; what it signed is not valid from then on, on every node',
        params: KeyPath,
        security: [{ serviceToken: [] }, { providerToken: [] }],
        response: { 204: Type.Null(), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const owner = await byEitherToken(context, request, reply, request.params, 'manage');
      if (owner === 'redirected') return reply;
      const { key_id: subject } = request.params;
      await inTransaction(context.connection, async (transaction) => {
        const isRemoved = await removeKey(transaction, owner.account.id, subject);
        if (!isRemoved) throw new AppError('not_found', 'The account has no such key.');
        await noteKey(context, transaction, owner, { action: 'key_removed', subject });
      });
      return reply.code(204).header('cache-control', 'private, no-store').send(null);
    },
  );
}

function noteKey(
  context: AccessContext,
  connection: Parameters<typeof note>[1],
  { account, actor, tokenId }: Owner,
  done: { action: 'key_registered' | 'key_removed'; subject: string },
): Promise<void> {
  return note(context, connection, account.id, { ...done, actor, tokenId });
}

async function byProviderToken(
  context: AccessContext,
  request: FastifyRequest,
  asked: { provider: string; name: string },
): Promise<Owner> {
  const provider = providerOf(context, asked.provider);
  const credential = bearerToken(request.headers.authorization);
  if (credential === undefined) throw needsProviderToken();
  return proveOwner(context, { provider, name: asked.name }, credential);
}

async function byEitherToken(
  context: AccessContext,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: { provider: string; name: string },
  needs: 'read' | 'manage',
): Promise<Owner | 'redirected'> {
  if (request.caller === null) return byProviderToken(context, request, asked);
  const owned = await requireOwner(context, { request, reply }, asked, needs);
  if (owned === 'redirected') return owned;
  return { account: owned.account, ...(await actorOf(context.connection, owned.caller)) };
}
