import { Type } from 'typebox';
import { findActor, recordAction } from '../../accounts/access/actor.ts';
import type { AccessServices } from '../../accounts/access/services.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { Caller } from '../../http/pipeline/caller.ts';
import { AccountPath } from '../../http/pipeline/endpoint.ts';
import { addOwnerEndpoint } from '../../http/pipeline/owner-pipeline.ts';
import type { App } from '../../http/server/app.ts';
import type { Account } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import { awardRoutes } from './awards/routes.ts';
import { credentialRoutes, verificationRoutes } from './credentials/routes.ts';
import { setRevoked } from './credentials/status-store.ts';
import type { AchievementFiles } from './files/achievement-files.ts';
import { storable } from './files/store.ts';

const AwardPath = Type.Object({
  ...AccountPath.properties,
  award_id: Type.String({
    pattern: '^[\\da-fA-F]{8}(-[\\da-fA-F]{4}){3}-[\\da-fA-F]{12}$',
    maxLength: 36,
    description: 'Id of an award, from the list of the people who have the achievement.',
  }),
});
const Revocation = Type.Object(
  { reason: Type.String({ minLength: 1, maxLength: 500, description: 'Kept in the audit log of the account.' }) },
  { additionalProperties: false, title: 'Revocation' },
);

/** Registers all routes about awards. */
export function achievementRoutes(app: App, services: AccessServices & { achievementFiles: AchievementFiles }): void {
  awardRoutes(app, services);
  credentialRoutes(app, services);
  verificationRoutes(app, services);
  revocationRoutes(app, services);
}

/** Registers the routes with which the owner of a repository revokes and restores awards from it. */
function revocationRoutes(app: App, services: AccessServices): void {
  const shared = {
    path: '/v1/:provider/entities/:name/achievements/:award_id',
    params: AwardPath,
    needs: 'manage',
  } as const;
  addOwnerEndpoint(app, services, {
    ...shared,
    method: 'DELETE',
    operationId: 'revokeAward',
    tag: 'Achievements',
    summary: 'Revokes an award from a repository of the account; it is hidden from all callers, and not given again',
    body: Revocation,
    load: (context) => change(services, context, context.params.award_id, storable(context.body.reason)),
  });
  addOwnerEndpoint(app, services, {
    ...shared,
    method: 'PUT',
    operationId: 'restoreAward',
    tag: 'Achievements',
    summary: 'Restores an award that was revoked',
    load: (context) => change(services, context, context.params.award_id, null),
  });
}

/** @param reason the reason of a revocation; null to restore the award. */
async function change(
  services: AccessServices,
  { account, caller }: { account: Account; caller: Caller },
  awardId: string,
  reason: string | null,
): Promise<void> {
  await inTransaction(services.connection, async (transaction) => {
    const revocation = reason === null ? null : { at: services.now(), reason };
    const outcome = await setRevoked(transaction, { ownerId: account.id, awardId }, revocation);
    if (outcome === 'absent')
      throw new AppError('not_found', 'There is no such award from a repository of the account.');
    if (outcome === 'same') return;
    const actor = await findActor(transaction, caller);
    const action =
      reason === null
        ? ({ action: 'award_restored', subject: awardId } as const)
        : ({ action: 'award_revoked', subject: `${awardId}: ${reason}` } as const);
    await recordAction(services, transaction, account.id, { ...action, ...actor });
  });
}
