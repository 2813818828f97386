import type { Connection } from '../../../database/connections/connection.ts';
import { type Holding, type HoldingColumns, toHolding } from '../administrators/holding.ts';
import type { Holder } from '../administrators/person.ts';

/** A link that opens one card. */
export interface Embed {
  id: string;
  accountId: string;
  /** The path below the account's URL: `contributions?private=true&format=svg`. */
  path: string;
  format: string;
  createdAt: Date;
}

/** A link with its holder. */
export interface HeldEmbed extends Embed {
  holding: Holding;
}

/** Selects links with the columns of their holdings. */
function selectEmbeds(connection: Connection) {
  return connection
    .selectFrom('embeds')
    .innerJoin('accounts', 'accounts.id', 'embeds.account_id')
    .leftJoin('administrators', (join) =>
      join
        .onRef('administrators.account_id', '=', 'embeds.account_id')
        .onRef('administrators.person', '=', 'embeds.holder'),
    )
    .selectAll('embeds')
    .select(['accounts.type as account_type', 'accounts.external_id as account_external_id'])
    .select(['administrators.confirmed_at', 'administrators.can_check']);
}

function heldBy({ person, until }: Holder) {
  return {
    holder: person?.id ?? null,
    holder_name: person?.name ?? null,
    ends_at: until,
    suspended_at: null,
    ended_at: null,
  };
}

/** Stores a link; `secretHash` is the SHA-256 of the secret at the end of its URL. */
export async function saveEmbed(
  connection: Connection,
  embed: Embed & { secretHash: Buffer; holder: Holder },
): Promise<void> {
  await connection
    .insertInto('embeds')
    .values({
      id: embed.id,
      account_id: embed.accountId,
      path: embed.path,
      format: embed.format,
      secret_hash: embed.secretHash,
      created_at: embed.createdAt,
      ...heldBy(embed.holder),
    })
    .execute();
}

export async function findEmbeds(connection: Connection, accountId: string): Promise<HeldEmbed[]> {
  const rows = await selectEmbeds(connection)
    .where('embeds.account_id', '=', accountId)
    .orderBy('embeds.id', 'desc')
    .execute();
  return rows.map(toEmbed);
}

/** Finds the link of a secret, as long as its account is not deleted. */
export async function findEmbedBySecret(connection: Connection, secretHash: Buffer): Promise<HeldEmbed | undefined> {
  const row = await selectEmbeds(connection)
    .where('secret_hash', '=', secretHash)
    .where('accounts.deleted_at', 'is', null)
    .executeTakeFirst();
  return row && toEmbed(row);
}

/**
 * Renews a link, which belongs to the new holder from then on.
 * @returns the id of the former holder, null if that was not known; undefined when the account has no such link.
 */
export async function renewEmbed(
  transaction: Connection,
  { accountId, id }: Pick<Embed, 'accountId' | 'id'>,
  holder: Holder,
): Promise<{ formerHolder: string | null } | undefined> {
  const row = await transaction
    .selectFrom('embeds')
    .select('holder')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (row === undefined) return undefined;
  await transaction.updateTable('embeds').set(heldBy(holder)).where('id', '=', id).execute();
  return { formerHolder: row.holder };
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

function toEmbed(
  row: HoldingColumns & { id: string; account_id: string; path: string; format: string; created_at: Date },
): HeldEmbed {
  const { id, account_id: accountId, path, format, created_at: createdAt } = row;
  return { id, accountId, path, format, createdAt, holding: toHolding(row) };
}
