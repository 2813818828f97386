import { Type } from 'typebox';
import { AccountPath, privateProblemResponses, requireOwner } from '../../accounts/routes.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { App } from '../../http/app.ts';
import type { AccessContext } from '../context.ts';
import { eraseAccount } from './store.ts';

/** Adds the erasure of an account by its owner. */
export function erasureRoutes(app: App, context: AccessContext): void {
  app.delete(
    '/v1/:provider/entities/:name',
    {
      schema: {
        summary: 'Erases everything about the account; it is not looked up again until its owner asks for a token',
        params: AccountPath,
        security: [{ serviceToken: [] }],
        response: { 204: Type.Null(), ...privateProblemResponses },
      },
    },
    async (request, reply) => {
      const owned = await requireOwner(context, { request, reply }, request.params, 'manage');
      if (owned === 'redirected') return reply;
      await inTransaction(context.connection, (transaction) => eraseAccount(transaction, owned.account, context.now()));
      return reply.code(204).header('cache-control', 'private, no-store').send(null);
    },
  );
}
