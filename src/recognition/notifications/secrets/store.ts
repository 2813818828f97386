import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { addJob } from '../../../database/queue/added-jobs.ts';
import { notifyJob } from '../outbox-store.ts';

/** The most messages that one statement makes due. */
const retriedAtOnce = 1000;

/** An address for which there is a secret; the secret itself is shown only once. */
export interface SignedReceiver {
  id: string;
  url: string;
  changedAt: Date;
  /** The time until which the former secret signs messages too; null: there is none. */
  formerUntil: Date | null;
}

export async function findSignedReceivers(connection: Connection, accountId: string): Promise<SignedReceiver[]> {
  return connection
    .selectFrom('webhook_secrets')
    .select(['id', 'url', 'changed_at as changedAt', 'former_until as formerUntil'])
    .where('account_id', '=', accountId)
    .orderBy('url')
    .execute();
}

/**
 * Stores the secret for an account's messages to an address. A secret that it replaces also signs until `formerUntil`.
 * The queued job tries messages at once that may have waited for a secret.
 */
export async function saveWebhookSecret(
  transaction: Connection,
  newSecret: {
    id: string;
    accountId: string;
    url: string;
    receiver: string;
    secret: Buffer;
    formerUntil: Date;
    now: Date;
  },
): Promise<SignedReceiver> {
  const { rows } = await sql<{ id: string; former_until: Date | null }>`
    insert into webhook_secrets as s (id, account_id, url, receiver, secret, changed_at)
    values (${newSecret.id}, ${newSecret.accountId}, ${newSecret.url}, ${newSecret.receiver}, ${newSecret.secret}, ${newSecret.now})
    on conflict (account_id, receiver) do update set
      secret = excluded.secret, former_secret = s.secret, former_until = ${newSecret.formerUntil},
      changed_at = excluded.changed_at
    returning id, former_until`.execute(transaction);
  const [row] = rows;
  if (row === undefined) throw new Error('a secret was neither stored nor there');
  await transaction.deleteFrom('failing_receivers').where('receiver', '=', newSecret.receiver).execute();
  await addJob(transaction, notifyJob(newSecret.receiver));
  return { id: row.id, url: newSecret.url, changedAt: newSecret.now, formerUntil: row.former_until };
}

/**
 * Makes the messages to a receiver due whose last attempt was before the owner stored a secret, some in each statement. An
 * index finds those whose next attempt lies in the future: a failing receiver gets one message at a time, so there are a
 * few for each attempt of some hours, however many messages wait.
 */
export async function retryUnsigned(
  connection: Connection,
  receiver: string,
  now: Date,
  limit = retriedAtOnce,
): Promise<void> {
  let last = limit;
  while (last === limit) {
    const { numAffectedRows = 0n } = await sql`
      update notifications set next_attempt_at = ${now} where id = any(array(
        select n.id from notifications n
        where n.state = 'waiting' and n.receiver = ${receiver} and n.next_attempt_at > ${now} and exists (
          select from repositories r join webhook_secrets s on s.account_id = r.owner_id
          where r.id = n.repository_id and s.receiver = n.receiver and s.changed_at >= n.last_attempt_at)
        order by n.next_attempt_at, n.id limit ${limit} for no key update of n))`.execute(connection);
    last = Number(numAffectedRows);
  }
}

/** Finds the secrets that sign an account's messages to a receiver at `now`, the newest first; empty without any. */
export async function findSigningSecrets(
  connection: Connection,
  { accountId, receiver }: { accountId: string; receiver: string },
  now: Date,
): Promise<Buffer[]> {
  const row = await connection
    .selectFrom('webhook_secrets')
    .select(['secret', 'former_secret', 'former_until'])
    .where('account_id', '=', accountId)
    .where('receiver', '=', receiver)
    .executeTakeFirst();
  if (row === undefined) return [];
  const isFormerGood = row.former_secret !== null && row.former_until !== null && row.former_until > now;
  return isFormerGood && row.former_secret !== null ? [row.secret, row.former_secret] : [row.secret];
}

/**
 * Removes a secret.
 * @returns false when the account has no such secret.
 */
export async function removeWebhookSecret(connection: Connection, accountId: string, id: string): Promise<boolean> {
  const removed = await connection
    .deleteFrom('webhook_secrets')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .execute();
  return removed.length > 0;
}
