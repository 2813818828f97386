import { sql } from 'kysely';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import { isShownInSql } from '../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { Content, Kind, Target } from './notification.ts';
import { giveUpAfterMs, notifyJob } from './outbox-store.ts';

export const states = ['waiting', 'sent', 'dead'] as const;
type State = (typeof states)[number];

/** A message about an award, as the owner of the repository sees it. */
export interface Notification {
  id: string;
  state: State;
  webhook: string;
  kind: Kind;
  target: Target;
  content: Content;
  attempts: number;
  /** The reason why the last attempt failed; null: it did not, or there was none. */
  error: string | null;
  createdAt: Date;
  lastAttemptAt: Date | null;
  /** Null: no attempt is planned. */
  nextAttemptAt: Date | null;
}

const columns = sql`
  n.id, n.state, n.webhook, n.kind, n.target, n.content, n.attempts, n.error, n.created_at as "createdAt",
  n.last_attempt_at as "lastAttemptAt",
  case when n.state = 'waiting' then greatest(n.next_attempt_at, f.resumes_at) end as "nextAttemptAt"
  from notifications n
    join repositories r on r.id = n.repository_id
    join accounts a on a.id = n.account_id
    left join failing_receivers f on f.receiver = n.receiver`;
/** Hidden and deleted accounts are hidden from the repository's owner too. */
const isShown = sql<boolean>`${isShownInSql('a')} and ${isPresentInSql('r')}`;

/** Finds a page of messages about awards in an account's repositories, newest first. */
export async function findNotifications(
  connection: Connection,
  ownerId: string,
  page: { limit: number; state?: State | undefined; after?: string | undefined; before?: string | undefined },
): Promise<Notification[]> {
  const { limit, state, after, before } = page;
  const { rows } = await sql<Notification>`
    select ${columns}
    where r.owner_id = ${ownerId} and ${isShown}
      and (${state ?? null}::text is null or n.state = ${state ?? null})
      and (${after ?? null}::uuid is null or n.id < ${after ?? null})
      and (${before ?? null}::uuid is null or n.id > ${before ?? null})
    order by n.id ${before === undefined ? sql`desc` : sql`asc`} limit ${limit}`.execute(connection);
  return before === undefined ? rows : rows.toReversed();
}

/** Finds a message about an award in one of an account's repositories; undefined when there is none with this id. */
export async function findNotification(
  connection: Connection,
  ownerId: string,
  id: string,
): Promise<Notification | undefined> {
  const { rows } = await sql<Notification>`
    select ${columns} where n.id = ${id} and r.owner_id = ${ownerId} and ${isShown}`.execute(connection);
  return rows[0];
}

/**
 * Queues a message that was given up as if it were new, so that it is tried at once.
 * @returns false when the message is not in the state `dead`.
 */
export async function revive(transaction: Connection, id: string, now: Date): Promise<boolean> {
  const { rows } = await sql<{ receiver: string }>`
    update notifications set state = 'waiting', attempts = 0, next_attempt_at = ${now}, ended_at = null,
      give_up_at = ${new Date(now.getTime() + giveUpAfterMs)}
    where id = ${id} and state = 'dead' returning receiver`.execute(transaction);
  const [row] = rows;
  if (row === undefined) return false;
  await transaction.deleteFrom('failing_receivers').where('receiver', '=', row.receiver).execute();
  await addJob(transaction, notifyJob(row.receiver));
  return true;
}
