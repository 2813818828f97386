import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { takeSharedErasureLock } from '../../../database/schema/erasure-lock.ts';
import { keptAwards } from '../../../database/schema/kept-awards.ts';
import { enqueue } from '../../notifications/outbox-store.ts';

/** An achievement of a repository that an account earned. */
export interface NewAward {
  achievementId: string;
  accountId: string;
  /** The moment at which the account earned it. */
  awardedAt: Date;
}

/**
 * Stores awards, and queues the notifications that the file defines for them. An account gets each achievement at most
 * once, however often this runs; accounts that are not stored, or are not users, get none. Must run in a transaction.
 * @returns the awards that are new.
 */
export async function recordAwarded(
  transaction: Connection,
  awards: readonly NewAward[],
  { now, newId }: { now: Date; newId: () => string },
): Promise<(NewAward & { id: string })[]> {
  if (awards.length === 0) return [];
  await takeSharedErasureLock(transaction);
  const rows = awards.map(({ achievementId, accountId, awardedAt }) => ({
    id: newId(),
    achievement_id: achievementId,
    account_id: accountId,
    awarded_at: awardedAt,
  }));
  const { rows: added } = await sql<NewAward & { id: string }>`
    insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
    select n.id, n.achievement_id, n.account_id, r.name, n.awarded_at, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as n (id uuid, achievement_id uuid, account_id uuid, awarded_at timestamptz)
    join achievements a on a.id = n.achievement_id join repositories r on r.id = a.repository_id
    join accounts p on p.id = n.account_id and p.type = 'user' and p.erased_at is null
    order by n.achievement_id, n.account_id
    on conflict (achievement_id, account_id) do nothing
    returning id, achievement_id as "achievementId", account_id as "accountId", awarded_at as "awardedAt"`.execute(
    transaction,
  );
  await enqueue(
    transaction,
    added.map(({ id }) => id),
    { now, newId },
  );
  return added;
}

/** Returns those of the achievements that the accounts were awarded, revoked awards included. */
export async function findAwarded(
  connection: Connection,
  { achievementIds, accountIds }: { achievementIds: readonly string[]; accountIds: readonly string[] },
): Promise<{ achievementId: string; accountId: string }[]> {
  const { rows } = await sql<{ achievementId: string; accountId: string }>`
    select achievement_id as "achievementId", account_id as "accountId" from ${keptAwards('w')}
    where account_id = any(${accountIds}::uuid[]) and achievement_id = any(${achievementIds}::uuid[])`.execute(
    connection,
  );
  return rows;
}
