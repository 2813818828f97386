import { sql } from 'kysely';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { deleteSome } from '../../../database/schema/delete-some.ts';
import { keptAwards, takeSharedErasureLock } from '../../../database/schema/erasure.ts';
import { enqueue } from '../../notifications/outbox-store.ts';
import type { Kind } from '../../rules/kinds.ts';

/** An achievement of a repository that an account earned. */
export interface NewAward {
  achievementId: string;
  accountId: string;
  /** The moment at which the account earned it. */
  awardedAt: Date;
}

/** The most work that one transaction drops. */
const droppedAtOnce = 10_000;

/** A change after which achievements have to be evaluated. */
export interface Work {
  id: string;
  /** Null for all achievements that the kind matters to. */
  achievementId: string | null;
  /** Null for all accounts. */
  accountId: string | null;
  /** The kind of contribution that changed; null for any. */
  kind: string | null;
}

/** An achievement that the file defines. */
export interface StoredAchievement {
  id: string;
  name: string;
  evaluateAt: Date | null;
  evaluatedAt: Date | null;
}

/** The file of a repository, with the stored achievements that it defines. */
export interface EvaluatedFile {
  ownerId: string;
  oid: string;
  text: string;
  achievements: StoredAchievement[];
}

/** Returns the file of an installed repository that is shown; undefined where nothing can be earned. */
export async function findEvaluatedFile(
  connection: Connection,
  repositoryId: string,
): Promise<EvaluatedFile | undefined> {
  const [{ rows }, achievements] = await Promise.all([
    sql<Pick<EvaluatedFile, 'ownerId' | 'oid' | 'text'>>`
      select r.owner_id as "ownerId", f.oid, f.text from achievement_files f join repositories r on r.id = f.repository_id
      where f.repository_id = ${repositoryId} and f.path is not null and r.installed_at is not null
        and ${isPresentInSql('r')}`.execute(connection),
    connection
      .selectFrom('achievements')
      .select(['id', 'name', 'evaluate_at as evaluateAt', 'evaluated_at as evaluatedAt'])
      .where('repository_id', '=', repositoryId)
      .where('is_current', '=', true)
      .execute(),
  ]);
  const [file] = rows;
  return file && { ...file, achievements };
}

export async function findWork(connection: Connection, repositoryId: string, limit: number): Promise<Work[]> {
  return connection
    .selectFrom('pending_evaluations')
    .select(['id', 'achievement_id as achievementId', 'account_id as accountId', 'kind'])
    .where('repository_id', '=', repositoryId)
    .orderBy(sql`achievement_id is not null`)
    .limit(limit)
    .execute();
}

/** Deletes work that is done, and stores work that has to wait. */
export async function finishWork(
  transaction: Connection,
  repositoryId: string,
  { done, later }: { done: readonly string[]; later: readonly Pick<Work, 'achievementId' | 'accountId'>[] },
): Promise<void> {
  await sql`
    delete from pending_evaluations
    where repository_id = ${repositoryId} and id = any(${done}::uuid[])`.execute(transaction);
  if (later.length === 0) return;
  const rows = later.map(({ achievementId, accountId }) => ({ achievement_id: achievementId, account_id: accountId }));
  await sql`
    insert into pending_evaluations (repository_id, achievement_id, account_id)
    select ${repositoryId}, achievement_id, account_id
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as l (achievement_id uuid, account_id uuid)`.execute(transaction);
}

/**
 * Deletes some work of a repository in which nothing can be earned: it has no file, or it is not installed any more.
 * @returns how much.
 */
export function dropUselessWork(connection: Connection, repositoryId: string, limit = droppedAtOnce): Promise<number> {
  return deleteSome(connection, 'pending_evaluations', {
    where: sql`repository_id = ${repositoryId} and not exists (
      select from achievement_files f join repositories r on r.id = f.repository_id
      where f.repository_id = ${repositoryId} and f.path is not null and r.installed_at is not null)`,
    orderBy: sql`repository_id`,
    limit,
  });
}

/** Marks achievements that are evaluated once as done, unless a changed file gave them another date meanwhile. */
export async function completeEvaluations(
  transaction: Connection,
  achievements: readonly { id: string; evaluateAt: Date | null }[],
  now: Date,
): Promise<void> {
  for (const { id, evaluateAt } of achievements) {
    await transaction
      .updateTable('achievements')
      .set({ evaluated_at: now })
      .where('id', '=', id)
      .where('evaluate_at', '=', evaluateAt)
      .execute();
  }
}

/**
 * Returns the time until which a repository's contributions are known, by kind. A kind is absent while it is not known
 * completely, and while it is being collected, because newer contributions may then be stored before older ones.
 */
export async function findKnownUntil(connection: Connection, repositoryId: string): Promise<Map<Kind, Date>> {
  const { rows } = await sql<{ kind: Kind; until: Date }>`
    with pending as (
      select k.kind from (values ('commit', 'commit_lines'), ('commit', 'commit_files'), ('pull_request', 'pull_request_files'))
        as k (kind, detail)
      where exists (select from pending_details d where d.repository_id = ${repositoryId} and d.detail = k.detail)
        and not exists (
          select from pending_details f
          where f.repository_id = ${repositoryId} and f.detail = k.detail and f.key = '' and f.rest = 'forget')
    )
    select u.kind, max(greatest(s.known_until, r.collected_at)) as until
    from streams s join repositories r on r.id = s.repository_id cross join unnest(s.covers) as u (kind)
    where s.repository_id = ${repositoryId} and s.completed_at is not null and s.scan_started_at is null
      and (s.is_deep or u.kind = 'commit') and u.kind not in (select kind from pending)
    group by u.kind`.execute(connection);
  return new Map(rows.map(({ kind, until }) => [kind, until]));
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
    returning id, achievement_id as "achievementId",
      account_id as "accountId", awarded_at as "awardedAt"`.execute(transaction);
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
    where account_id = any(${accountIds}::uuid[])
      and achievement_id = any(${achievementIds}::uuid[])`.execute(connection);
  return rows;
}
