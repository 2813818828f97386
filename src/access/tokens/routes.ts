import { Type } from 'typebox';
import { AccountPath, privateProblemResponses, providerOf, requireOwner } from '../../accounts/routes.ts';
import { inTransaction } from '../../database/transaction.ts';
import { AppError } from '../../errors.ts';
import type { App } from '../../http/app.ts';
import { bearerToken } from '../../http/caller.ts';
import { SingleSchema, single } from '../../http/envelope.ts';
import { seldomByAddress } from '../../http/rate-limits.ts';
import { sendPrivately } from '../../http/replies.ts';
import { actorOf, note } from '../actor.ts';
import type { AccessContext } from '../context.ts';
import { proveOwner } from '../prove-owner.ts';
import { issueToken } from './issue.ts';
import { findPublishedKeys } from './signing-key-store.ts';
import { revokeToken } from './store.ts';

const TokenPath = Type.Object({
  ...AccountPath.properties,
  token_id: Type.String({ pattern: '^[\\x21-\\x7e]{1,100}$', maxLength: 100, description: "The token's `jti`." }),
});

const keysMaxAgeS = 300;

/** Adds endpoint 5, the revocation of tokens, and the public keys that verify them. */
export function tokenRoutes(app: App, context: AccessContext): void {
  app.get(
    '/v1/:provider/entities/:name/token',
    {
      config: { credential: 'provider', rateLimit: seldomByAddress },
      schema: {
        summary: 'A service token, for who proves with a token of the provider to own the account',
        params: AccountPath,
        security: [{ providerToken: [] }],
        response: { 200: SingleSchema(Type.Object({ token: Type.String() })), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const provider = providerOf(context, request.params.provider);
      const credential = bearerToken(request.headers.authorization);
      if (credential === undefined) throw needsProviderToken();
      const { account, actor } = await proveOwner(context, { provider, name: request.params.name }, credential);
      const tokenId = context.newId();
      const token = await issueToken(context, account, tokenId);
      await note(context, context.connection, account.id, { action: 'token_issued', subject: tokenId, actor, tokenId });
      return sendPrivately(reply, single('token', { token }));
    },
  );
  app.delete(
    '/v1/:provider/entities/:name/tokens/:token_id',
    {
      schema: {
        summary: 'Revokes a service token of the account, at once on every node',
        params: TokenPath,
        security: [{ serviceToken: [] }],
        response: { 204: Type.Null(), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const owned = await requireOwner(context, { request, reply }, request.params);
      if (owned === 'redirected') return reply;
      const { token_id: subject } = request.params;
      const { account, caller } = owned;
      // A caller who may only read may still revoke the token that they hold.
      if (!caller.mayManage && caller.tokenId !== subject) {
        throw new AppError('forbidden', 'This token may only read: its scope lacks "manage".');
      }
      await inTransaction(context.connection, async (transaction) => {
        const actor = await actorOf(transaction, caller);
        await revokeToken(transaction, { accountId: account.id, tokenId: subject, now: context.now() });
        await note(context, transaction, account.id, { action: 'token_revoked', subject, ...actor });
      });
      return reply.code(204).header('cache-control', 'private, no-store').send(null);
    },
  );
  app.get(
    '/.well-known/jwks.json',
    { schema: { summary: 'Keys that service tokens are signed with (RFC 7517)' } },
    async (_request, reply) => {
      const keys = await findPublishedKeys(context.connection, context.now());
      return reply.header('cache-control', `public, max-age=${keysMaxAgeS}`).send({
        keys: keys.map(({ id, publicKey }) => Object.assign(publicKey, { kid: id, use: 'sig', alg: 'EdDSA' })),
      });
    },
  );
}

export function needsProviderToken(): AppError {
  return new AppError(
    'unauthenticated',
    'This address needs a token of the provider, such as a personal access token: Authorization: Bearer.',
  );
}
