import { Type } from 'typebox';
import type { Connection } from '../../../database/connections/connection.ts';
import { inTransaction } from '../../../database/connections/transaction.ts';
import { mayOnlyRead } from '../../../http/pipeline/authorize.ts';
import { AccountPath, privateProblemResponses } from '../../../http/pipeline/endpoint.ts';
import { SingleSchema, single } from '../../../http/pipeline/envelope.ts';
import { addOwnerEndpoint } from '../../../http/pipeline/owner-pipeline.ts';
import { sensitiveByAddress } from '../../../http/pipeline/rate-limits.ts';
import { renderDocument } from '../../../http/pipeline/response.ts';
import { sendPrivately, sendResponse } from '../../../http/pipeline/send.ts';
import type { App } from '../../../http/server/app.ts';
import { findProvider } from '../../resolve.ts';
import { findActor, recordAction } from '../actor.ts';
import { findIssuedTo } from '../audit/store.ts';
import { findOwnerKeys } from '../keys/store.ts';
import { proveOwner } from '../prove-owner.ts';
import type { AccessServices } from '../services.ts';
import { grantToken, noToken, readProviderToken, tokenIdPattern } from './issue.ts';
import { findPublishedKeys, KeySet } from './signing-key-store.ts';
import { revokeToken } from './store.ts';

const TokenPath = Type.Object({
  ...AccountPath.properties,
  token_id: Type.String({ pattern: tokenIdPattern.source, maxLength: 100, description: "The token's `jti`." }),
});

const Token = Type.Object({ token: Type.String({ description: 'A JWT (`at+jwt`).' }) }, { title: 'Token' });

const keysMaxAgeS = 300;

/** Adds endpoint 5, the revocation of tokens, and the public keys that verify them. */
export function tokenRoutes(app: App, services: AccessServices): void {
  addIssuance(app, services);
  addRevocation(app, services);
  addVerification(app, services);
}

/**
 * Adds endpoint 5, which does not use the pipeline: the provider decides who owns the account, which may not be stored.
 */
function addIssuance(app: App, services: AccessServices): void {
  app.get(
    '/v1/:provider/entities/:name/token',
    {
      config: { credential: 'provider', rateLimit: sensitiveByAddress },
      schema: {
        operationId: 'issueToken',
        tags: ['Access'],
        summary: 'Issues a service token of an account to its owner, whom a token of the provider proves',
        params: AccountPath,
        security: [{ providerToken: [] }],
        response: { 200: SingleSchema(Token), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const provider = findProvider(services.providers, request.params.provider);
      const credential = readProviderToken(services, request);
      const proven = await proveOwner(services, { provider, name: request.params.name }, credential);
      const { token } = await grantToken(services, proven);
      return sendPrivately(reply, single('token', { token }));
    },
  );
}

function addRevocation(app: App, services: AccessServices): void {
  const { connection, now } = services;
  addOwnerEndpoint(app, services, {
    method: 'DELETE',
    path: '/v1/:provider/entities/:name/tokens/:token_id',
    operationId: 'revokeToken',
    tag: 'Access',
    summary: 'Revokes a service token of the account, at once on every node',
    needs: 'read',
    params: TokenPath,
    load: async ({ account, caller, params: { token_id: subject } }) => {
      // A caller with a token that may only read may still revoke that token.
      if (!caller.mayManage && caller.tokenId !== subject) throw mayOnlyRead();
      await inTransaction(connection, async (transaction) => {
        if (!(await mayExist(transaction, account.id, subject))) throw noToken();
        const actor = await findActor(transaction, caller);
        await revokeToken(transaction, { accountId: account.id, tokenId: subject, now: now() });
        await recordAction(services, transaction, account.id, { action: 'token_revoked', subject, ...actor });
      });
    },
  });
}

/**
 * Returns whether an account may have a token with an id: the service issued it, or the account has a key. Owners choose
 * the ids of the tokens that they sign with their keys, so that the service does not know them in advance.
 */
async function mayExist(connection: Connection, accountId: string, tokenId: string): Promise<boolean> {
  if ((await findIssuedTo(connection, accountId, tokenId)) !== undefined) return true;
  return tokenIdPattern.test(tokenId) && (await findOwnerKeys(connection, accountId)).length > 0;
}

function addVerification(app: App, services: AccessServices): void {
  app.get(
    '/.well-known/jwks.json',
    {
      schema: {
        operationId: 'listSigningKeys',
        tags: ['Access'],
        summary: 'Keys that service tokens are signed with (RFC 7517)',
        security: [],
        response: { 200: KeySet, 304: Type.Null() },
      },
    },
    async (request, reply) => {
      const found = await findPublishedKeys(services.connection, services.now());
      const keys = found.map(({ id, publicKey }) => Object.assign(publicKey, { kid: id, use: 'sig', alg: 'EdDSA' }));
      return sendResponse(request, reply, renderDocument({ keys }, keysMaxAgeS));
    },
  );
}
