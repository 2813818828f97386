import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { keptAwards } from '../../../database/schema/kept-awards.ts';
import { revokeCredential } from '../credentials/status-store.ts';

/**
 * Revokes or restores an award, if it is from a repository that the account owns. A revoked credential stays revoked.
 * @param revocation null to restore the award.
 * @returns `absent` when there is no such award, `same` when it had this state before.
 */
export async function setRevoked(
  transaction: Connection,
  { ownerId, awardId }: { ownerId: string; awardId: string },
  revocation: { at: Date; reason: string } | null,
): Promise<'absent' | 'same' | 'changed'> {
  const { rows } = await sql<{ is_revoked: boolean }>`
    select w.revoked_at is not null as is_revoked
    from ${keptAwards('w')} join achievements h on h.id = w.achievement_id join repositories r on r.id = h.repository_id
    where w.id = ${awardId} and r.owner_id = ${ownerId} for update of w`.execute(transaction);
  const [award] = rows;
  if (award === undefined) return 'absent';
  if (award.is_revoked === (revocation !== null)) return 'same';
  await transaction
    .updateTable('awards')
    .set({ revoked_at: revocation?.at ?? null, revoked_reason: revocation?.reason ?? null })
    .where('id', '=', awardId)
    .execute();
  if (revocation !== null) await revokeCredential(transaction, awardId);
  return 'changed';
}
