import type { Connection } from '../../database/connection.ts';

/** A link that opens one card. */
export interface Embed {
  id: string;
  accountId: string;
  /** The path below the account's URL: `contributions?private=true&format=svg`. */
  path: string;
  format: string;
  createdAt: Date;
}

/** Stores a link; `secretHash` is the SHA-256 of the secret at the end of its URL. */
export async function saveEmbed(connection: Connection, embed: Embed & { secretHash: Buffer }): Promise<void> {
  await connection
    .insertInto('embeds')
    .values({
      id: embed.id,
      account_id: embed.accountId,
      path: embed.path,
      format: embed.format,
      secret_hash: embed.secretHash,
      created_at: embed.createdAt,
    })
    .execute();
}

export async function findEmbeds(connection: Connection, accountId: string): Promise<Embed[]> {
  const rows = await connection
    .selectFrom('embeds')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .execute();
  return rows.map(toEmbed);
}

/** Finds the link of a secret, as long as its account is not deleted. */
export async function findEmbedBySecret(connection: Connection, secretHash: Buffer): Promise<Embed | undefined> {
  const row = await connection
    .selectFrom('embeds')
    .innerJoin('accounts', 'accounts.id', 'embeds.account_id')
    .selectAll('embeds')
    .where('secret_hash', '=', secretHash)
    .where('accounts.deleted_at', 'is', null)
    .executeTakeFirst();
  return row && toEmbed(row);
}

/**
 * Removes a link.
 * @returns false when the account has no such link.
 */
export async function removeEmbed(connection: Connection, accountId: string, id: string): Promise<boolean> {
  const removed = await connection
    .deleteFrom('embeds')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .execute();
  return removed.length > 0;
}

function toEmbed(row: { id: string; account_id: string; path: string; format: string; created_at: Date }): Embed {
  return { id: row.id, accountId: row.account_id, path: row.path, format: row.format, createdAt: row.created_at };
}
