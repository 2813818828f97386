import { sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import { passGate } from '../../database/gate.ts';
import { enqueue } from '../../notifications/outbox-store.ts';

/** That somebody earned an achievement of a repository. */
export interface NewAward {
  achievementId: string;
  accountId: string;
  /** When it was earned. */
  awardedAt: Date;
}

/**
 * Awards achievements: each to a person once, however often this is repeated, and never to those who are not stored; and
 * has receivers told of them, as the file says. Must run in a transaction.
 * @returns those that are new.
 */
export async function recordAwarded(
  transaction: Connection,
  awards: readonly NewAward[],
  { now, newId }: { now: Date; newId: () => string },
): Promise<(NewAward & { id: string })[]> {
  if (awards.length === 0) return [];
  await passGate(transaction);
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
    join accounts p on p.id = n.account_id and p.type = 'user'
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

/** Which of some people have which of some achievements, revoked ones included. */
export async function findAwarded(
  connection: Connection,
  { achievementIds, accountIds }: { achievementIds: readonly string[]; accountIds: readonly string[] },
): Promise<{ achievementId: string; accountId: string }[]> {
  const rows = await connection
    .selectFrom('awards')
    .select(['achievement_id', 'account_id'])
    .where('account_id', 'in', accountIds)
    .where('achievement_id', 'in', achievementIds)
    .execute();
  return rows.map((row) => ({ achievementId: row.achievement_id, accountId: row.account_id }));
}
