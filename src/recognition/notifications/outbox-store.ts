import { type RawBuilder, sql } from 'kysely';
import { Type } from 'typebox';
import { isPresentInSql } from '../../accounts/repositories/present-store.ts';
import { isShownInSql } from '../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inOneTransaction } from '../../database/connections/transaction.ts';
import { addJob, type Job } from '../../database/queue/added-jobs.ts';
import { deleteSome } from '../../database/schema/delete-some.ts';
import { keptAwards } from '../../database/schema/erasure.ts';
import type { Attempt } from './notification.ts';

export const ReceiverReference = Type.Object({ receiver: Type.String() });

/** The first delay; the receiver may only be restarting. */
const firstMs = 10_000;
const factor = 3;
/** The longest delay, in ms, even when a receiver requests a longer one. */
const maxDelayMs = 6 * 3_600_000;
/** The most by which chance changes a delay, so that receivers that failed together are not tried together again. */
const jitterShare = 0.2;

/** The time, in ms, for which a receiver is tried before a message to it is given up. */
export const giveUpAfterMs = 3 * 86_400_000;

/** The most messages that one transaction gives up. */
const givenUpAtOnce = 5000;

/**
 * The age of an award, in ms, above which it is not notified, because a new file would otherwise send messages about a
 * repository's whole past at once.
 */
const newsMs = 30 * 86_400_000;

/**
 * Puts messages about awards into the outbox, as the repository's file requests them, and queues the jobs that send
 * them. Must run in the transaction that stores the awards, so that both are stored or neither is. A repeated call adds
 * no second message for the same award and receiver.
 */
export async function enqueue(
  transaction: Connection,
  awardIds: readonly string[],
  { now, newId }: { now: Date; newId: () => string },
): Promise<void> {
  const defined = await sql<{ award_id: string; webhook: string }>`
    select w.id as award_id, t.name as webhook
    from ${keptAwards('w')} join achievements h on h.id = w.achievement_id
      join repository_webhooks t on t.repository_id = h.repository_id and h.name = any(t.achievements)
    where w.id = any(${awardIds}::uuid[]) and w.awarded_at > ${new Date(now.getTime() - newsMs)}
    order by w.awarded_at, w.id, t.name`.execute(transaction);
  if (defined.rows.length === 0) return;
  const rows = defined.rows.map((row) => Object.assign(row, { id: newId() }));
  const added = await sql<{ receiver: string }>`
    insert into notifications (
      id, award_id, account_id, repository_id, webhook, kind, target, receiver, content, state, next_attempt_at,
      give_up_at, created_at)
    select n.id, w.id, w.account_id, r.id, t.name, t.kind, t.target, t.receiver,
      jsonb_build_object('person', a.name, 'achievement', h.name, 'repository', o.name || '/' || r.name,
        'awardedAt', to_char(w.awarded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')),
      'waiting', ${now}, ${new Date(now.getTime() + giveUpAfterMs)}, ${now}
    from json_to_recordset(${JSON.stringify(rows)}::json) as n (id uuid, award_id uuid, webhook text)
      join ${keptAwards('w')} on w.id = n.award_id
      join achievements h on h.id = w.achievement_id
      join repositories r on r.id = h.repository_id
      join repository_webhooks t on t.repository_id = r.id and t.name = n.webhook
      join accounts o on o.id = r.owner_id
      join accounts a on a.id = w.account_id
    order by n.id
    on conflict (award_id, receiver) do nothing
    returning receiver`.execute(transaction);
  for (const receiver of new Set(added.rows.map((row) => row.receiver))) await addJob(transaction, notifyJob(receiver));
}

/**
 * Claims a receiver's next message that is due. Stores the time of the next attempt before this one, so that the
 * message is also tried again when the process is killed. The message with the fewest attempts comes first, so that a
 * refused one does not hold up the others. A message is deleted when its award was revoked or erased, or its account or
 * repository is hidden; the attempt is then `isWithheld`.
 * @returns undefined when no message is due.
 */
export async function claimNext(
  connection: Connection,
  receiver: string,
  { now, random }: { now: Date; random: number },
): Promise<Attempt | undefined> {
  return inOneTransaction(connection, async (transaction) => {
    // An index has this order, so that the cost does not follow the number of messages that are due.
    const { rows } = await sql<Attempt>`
      with next as materialized (
        select n.* from notifications n
        where n.receiver = ${receiver} and n.state = 'waiting' and n.next_attempt_at <= ${now} and not exists (
          select from failing_receivers where receiver = ${receiver} and resumes_at > ${now})
        order by n.attempts, n.next_attempt_at, n.id limit 1
        for update skip locked
      )
      select n.id, n.kind, n.target, n.receiver, n.content, n.attempts, r.provider,
        json_build_object('accountId', o.id, 'externalId', o.external_id, 'name', o.name) as owner,
        not ${isShownInSql('a')} or not ${isPresentInSql('r')} or w.id is null or w.revoked_at is not null
          as "isWithheld"
      from next n
        left join ${keptAwards('w')} on w.id = n.award_id
        join repositories r on r.id = n.repository_id
        join accounts o on o.id = r.owner_id
        join accounts a on a.id = n.account_id`.execute(transaction);
    const [row] = rows;
    if (row === undefined) return undefined;
    if (row.isWithheld) {
      await transaction.deleteFrom('notifications').where('id', '=', row.id).execute();
      return row;
    }
    const attempts = row.attempts + 1;
    const nextAttemptAt = new Date(now.getTime() + retryDelayMs(attempts, random));
    await transaction
      .updateTable('notifications')
      .set({ attempts, last_attempt_at: now, next_attempt_at: nextAttemptAt })
      .where('id', '=', row.id)
      .execute();
    return { ...row, attempts };
  });
}

/** Marks a message as sent, and deletes the stored failures of its receiver. */
export async function recordSent(connection: Connection, { id, receiver }: Attempt, now: Date): Promise<void> {
  await inOneTransaction(connection, async (transaction) => {
    await transaction
      .updateTable('notifications')
      .set({ state: 'sent', error: null, ended_at: now })
      .where('id', '=', id)
      .execute();
    await transaction.deleteFrom('failing_receivers').where('receiver', '=', receiver).execute();
  });
}

/**
 * Stores the reason of a failed attempt, and delays the receiver's next attempt. Gives up the message after a final
 * failure, and all waiting messages to the receiver whose time is over.
 * @returns the number of messages that were given up.
 */
export async function recordFailed(
  connection: Connection,
  { id, receiver }: Attempt,
  failure: { reason: string; isFinal: boolean; retryAt: Date | undefined },
  { now, random }: { now: Date; random: number },
): Promise<number> {
  const { reason, isFinal, retryAt } = failure;
  const overdue = await giveUpOverdue(connection, receiver, { reason, now });
  const isDead = await inOneTransaction(connection, async (transaction) => {
    // Messages are locked before their receiver.
    await transaction.updateTable('notifications').set({ error: reason }).where('id', '=', id).execute();
    const { rows } = await sql`
      update notifications set state = 'dead', ended_at = ${now}
      where id = ${id} and state = 'waiting' and ${isFinal} returning 1`.execute(transaction);
    const { failures } = await sql<{ failures: number }>`
      insert into failing_receivers as f (receiver, failures, resumes_at) values (${receiver}, 1, ${now})
      on conflict (receiver) do update set failures = f.failures + 1
      returning failures`
      .execute(transaction)
      .then(({ rows: [row] }) => row ?? { failures: 1 });
    const requestedMs = Math.min(maxDelayMs, (retryAt?.getTime() ?? 0) - now.getTime());
    await transaction
      .updateTable('failing_receivers')
      .set({ resumes_at: new Date(now.getTime() + Math.max(requestedMs, retryDelayMs(failures, random))) })
      .where('receiver', '=', receiver)
      .execute();
    return rows.length > 0;
  });
  return overdue + Number(isDead);
}

/**
 * Gives up the waiting messages to a receiver whose time is over, some in each statement: all people who earned an
 * achievement when it was new have such messages at the same time.
 * @returns how many.
 */
export async function giveUpOverdue(
  connection: Connection,
  receiver: string,
  { reason, now }: { reason: string; now: Date },
  limit = givenUpAtOnce,
): Promise<number> {
  let given = 0;
  let last = limit;
  while (last === limit) {
    const { numAffectedRows = 0n } = await sql`
      update notifications set state = 'dead', ended_at = ${now}, error = coalesce(error, ${reason})
      where id = any(array(
        select id from notifications where state = 'waiting' and receiver = ${receiver} and give_up_at <= ${now}
        order by give_up_at, id limit ${limit} for no key update))`.execute(connection);
    last = Number(numAffectedRows);
    given += last;
  }
  return given;
}

/** Returns the time of a receiver's next attempt, or undefined when no message waits for it. */
export async function findNextAttempt(connection: Connection, receiver: string): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date }>`
    select greatest(n.next_attempt_at, f.resumes_at) as at
    from notifications n left join failing_receivers f on f.receiver = n.receiver
    where n.receiver = ${receiver} and n.state = 'waiting' order by n.next_attempt_at limit 1`.execute(connection);
  return rows[0]?.at;
}

/**
 * Finds up to `limit` receivers with due messages, which jobs may have left behind when they failed. Reads one message of
 * each receiver.
 */
export async function findDueReceivers(connection: Connection, now: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ receiver: string }>`
    with recursive waiting as (
      (${firstOfNext(sql`true`)})
      union all
      select next.* from waiting w cross join lateral (${firstOfNext(sql`n.receiver > w.receiver`)}) next
    )
    select w.receiver from waiting w left join failing_receivers f on f.receiver = w.receiver
    where w.next_attempt_at <= ${now} and (f.resumes_at is null or f.resumes_at <= ${now})
    order by w.next_attempt_at limit ${limit}`.execute(connection);
  return rows.map(({ receiver }) => receiver);
}

/** Returns SQL for the message of the first receiver that meets a condition whose attempt is due first. */
function firstOfNext(where: RawBuilder<boolean>): RawBuilder<unknown> {
  return sql`
    select n.receiver, n.next_attempt_at from notifications n where n.state = 'waiting' and ${where}
    order by n.receiver, n.next_attempt_at limit 1`;
}

/** Deletes some messages that were sent or given up before these times. @returns how many. */
export function deleteFinished(
  connection: Connection,
  before: { sent: Date; dead: Date },
  limit: number,
): Promise<number> {
  // The first condition is that of the index.
  const where = sql`ended_at is not null
    and ((state = 'sent' and ended_at < ${before.sent}) or (state = 'dead' and ended_at < ${before.dead}))
    and ended_at < greatest(${before.sent}::timestamptz, ${before.dead}::timestamptz)`;
  return deleteSome(connection, 'notifications', { where, orderBy: sql`ended_at`, limit });
}

/** Deletes the failures of receivers without waiting messages. There is one for each receiver at most. */
export async function deleteRecovered(connection: Connection): Promise<void> {
  await sql`
    delete from failing_receivers f where not exists (
      select from notifications n where n.receiver = f.receiver and n.state = 'waiting')`.execute(connection);
}

/**
 * Returns the delay after a failure, in ms: 10 s, 30 s, 90 s, ... at most 6 hours, each a fifth more or less.
 * @param failures the number of failures in a row, at least 1.
 * @param random a number from 0 to 1.
 */
function retryDelayMs(failures: number, random: number): number {
  const delayMs = Math.min(maxDelayMs, firstMs * factor ** Math.min(20, failures - 1));
  return Math.round(delayMs * (1 - jitterShare + 2 * jitterShare * random));
}

/** Returns the job that sends a receiver its waiting messages. */
export function notifyJob(receiver: string): Job {
  return { task: 'notify', payload: { receiver }, key: `notify ${receiver}`, priority: 20 };
}
