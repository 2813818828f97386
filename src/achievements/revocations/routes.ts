import { Type } from 'typebox';
import { actorOf, note } from '../../access/actor.ts';
import type { AccessContext } from '../../access/context.ts';
import { AccountPath, privateProblemResponses, requireOwner } from '../../accounts/routes.ts';
import type { Account } from '../../accounts/store.ts';
import { inTransaction } from '../../database/transaction.ts';
import { AppError } from '../../errors.ts';
import type { App } from '../../http/app.ts';
import type { Caller } from '../../http/caller.ts';
import { storable } from '../files/store.ts';
import { setRevoked } from './store.ts';

const AwardPath = Type.Object({
  ...AccountPath.properties,
  award_id: Type.String({
    pattern: '^[\\da-fA-F]{8}(-[\\da-fA-F]{4}){3}-[\\da-fA-F]{12}$',
    maxLength: 36,
    description: 'Id of an award, as it is in the list of who was awarded it.',
  }),
});
const Revocation = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 500, description: 'Kept in the audit log of the account.' }) },
  { additionalProperties: false },
);

const address = '/v1/:provider/entities/:name/achievements/:award_id';
const documented = {
  params: AwardPath,
  security: [{ serviceToken: [] }],
  response: { 204: Type.Null(), ...privateProblemResponses },
};

/** Registers the routes with which the owner of a repository revokes and restores awards from it. */
export function revocationRoutes(app: App, context: AccessContext): void {
  app.delete(
    address,
    {
      schema: {
        ...documented,
        summary: 'Revokes an award from a repository of the account; it is shown to nobody, and not given again',
        body: Revocation,
      },
    },
    async (request, reply) => {
      const owned = await requireOwner(context, { request, reply }, request.params, 'manage');
      if (owned === 'redirected') return reply;
      await change(context, owned, request.params.award_id, storable(request.body.reason));
      return reply.code(204).header('cache-control', 'private, no-store').send(null);
    },
  );
  app.put(
    address,
    { schema: { ...documented, summary: 'Restores an award that was revoked' } },
    async (request, reply) => {
      const owned = await requireOwner(context, { request, reply }, request.params, 'manage');
      if (owned === 'redirected') return reply;
      await change(context, owned, request.params.award_id, null);
      return reply.code(204).header('cache-control', 'private, no-store').send(null);
    },
  );
}

/** @param reason the reason of a revocation; null to restore the award. */
async function change(
  context: AccessContext,
  { account, caller }: { account: Account; caller: Caller },
  awardId: string,
  reason: string | null,
): Promise<void> {
  await inTransaction(context.connection, async (transaction) => {
    const revocation = reason === null ? null : { at: context.now(), reason };
    const end = await setRevoked(transaction, { ownerId: account.id, awardId }, revocation);
    if (end === 'absent') throw new AppError('not_found', 'There is no such award from a repository of the account.');
    if (end === 'same') return;
    const actor = await actorOf(transaction, caller);
    const done =
      reason === null
        ? ({ action: 'award_restored', subject: awardId } as const)
        : ({ action: 'award_revoked', subject: `${awardId}: ${reason}` } as const);
    await note(context, transaction, account.id, { ...done, ...actor });
  });
}
