import { sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import { addJob } from '../../database/queue.ts';
import { notifyJob } from '../jobs.ts';

/** An address for which there is a secret; the secret itself is shown only once. */
export interface SignedReceiver {
  id: string;
  url: string;
  changedAt: Date;
  /** The time until which the former secret signs messages too; null: there is none. */
  formerUntil: Date | null;
}

export async function findSignedReceivers(connection: Connection, accountId: string): Promise<SignedReceiver[]> {
  const rows = await connection
    .selectFrom('webhook_secrets')
    .select(['id', 'url', 'changed_at', 'former_until'])
    .where('account_id', '=', accountId)
    .orderBy('url')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    url: row.url,
    changedAt: row.changed_at,
    formerUntil: row.former_until,
  }));
}

/**
 * Stores the secret for an account's messages to an address. A secret that it replaces also signs until `formerUntil`.
 * Waiting messages to the address become due at once, because they may have waited for a secret.
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
  await sql`
    update notifications set next_attempt_at = ${newSecret.now} where id = any(array(
      select n.id from notifications n join repositories r on r.id = n.repository_id
      where n.state = 'waiting' and n.receiver = ${newSecret.receiver} and r.owner_id = ${newSecret.accountId}
      order by n.id for no key update of n))`.execute(transaction);
  await transaction.deleteFrom('failing_receivers').where('receiver', '=', newSecret.receiver).execute();
  await addJob(transaction, notifyJob(newSecret.receiver));
  return { id: row.id, url: newSecret.url, changedAt: newSecret.now, formerUntil: row.former_until };
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
