import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { deleteSome } from '../../../database/schema/delete-some.ts';

/** The actions on an account's keys, settings, links and data. */
export const auditActions = [
  'signed_in',
  'token_issued',
  'token_revoked',
  'key_registered',
  'key_renewed',
  'key_taken_over',
  'key_suspended',
  'key_resumed',
  'key_ended',
  'key_removed',
  'settings_changed',
  'boards_changed',
  'season_corrected',
  'embed_created',
  'embed_renewed',
  'embed_taken_over',
  'embed_suspended',
  'embed_resumed',
  'embed_ended',
  'embed_revoked',
  'exported',
  'award_revoked',
  'award_restored',
  'notification_retried',
  'webhook_secret_made',
  'webhook_secret_removed',
] as const;
export type AuditAction = (typeof auditActions)[number];

/** The actor of an action, and the token that was used. */
export interface Actor {
  /**
   * `PROVIDER/NAME` of the account that proved the ownership, `key ID` of a long-term key, or `service` for a change
   * that no caller requested.
   */
  actor: string;
  /** The `jti` of the service token; null for a token of the provider, and for a service token that has none. */
  tokenId: string | null;
}

export interface AuditEntry extends Actor {
  id: string;
  action: AuditAction;
  /** The object of the action: an id, or the settings after the action. */
  subject: string;
  at: Date;
}

/**
 * Adds an entry to the audit trail of an account.
 * @param entry.person for an issued token, the immutable id of the person to whom it was issued.
 */
export async function recordAudit(
  connection: Connection,
  accountId: string,
  entry: AuditEntry & { person?: string },
): Promise<void> {
  await connection
    .insertInto('audit_entries')
    .values({
      id: entry.id,
      account_id: accountId,
      action: entry.action,
      subject: entry.subject,
      actor: entry.actor,
      token_id: entry.tokenId,
      person: entry.person ?? null,
      at: entry.at,
    })
    .execute();
}

/**
 * Finds the person to whom a token was issued; `person` is null for a token of release 0.3.
 * @returns undefined for a token that this service did not issue, or whose entry is deleted by now.
 */
export async function findIssuedTo(
  connection: Connection,
  accountId: string,
  tokenId: string,
): Promise<{ actor: string; person: { id: string; name: string } | null } | undefined> {
  const row = await connection
    .selectFrom('audit_entries')
    .select(['actor', 'person'])
    .where('account_id', '=', accountId)
    .where('token_id', '=', tokenId)
    .where('action', '=', 'token_issued')
    .limit(1)
    .executeTakeFirst();
  return row && { actor: row.actor, person: row.person === null ? null : { id: row.person, name: row.actor } };
}

/** Finds a page of entries about an account, newest first; `after` and `before` are ids of entries. */
export async function findAudit(
  connection: Connection,
  accountId: string,
  page: { limit: number; after?: string | undefined; before?: string | undefined },
): Promise<AuditEntry[]> {
  let query = connection.selectFrom('audit_entries').selectAll().where('account_id', '=', accountId).limit(page.limit);
  if (page.after !== undefined) query = query.where('id', '<', page.after);
  if (page.before !== undefined) query = query.where('id', '>', page.before);
  const rows = await query.orderBy('id', page.before === undefined ? 'desc' : 'asc').execute();
  const entries = rows.map((row) => ({
    id: row.id,
    action: auditActions.find((action) => action === row.action) ?? 'token_issued',
    subject: row.subject,
    actor: row.actor,
    tokenId: row.token_id,
    at: row.at,
  }));
  return page.before === undefined ? entries : entries.toReversed();
}

/** Deletes some entries from before a time. @returns how many. */
export function deleteAudit(connection: Connection, before: Date, limit: number): Promise<number> {
  return deleteSome(connection, 'audit_entries', { where: sql`at < ${before}`, orderBy: sql`at`, limit });
}
