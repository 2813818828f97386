import type { Connection } from '../../database/connection.ts';
import { announce } from '../../database/listener.ts';
import { isKeyKind, type PublicKey } from './public-key.ts';

/** A long-term key as it is stored. */
export interface OwnerKey extends PublicKey {
  accountId: string;
  createdAt: Date;
}

export async function findKeysOf(connection: Connection, accountId: string): Promise<OwnerKey[]> {
  const rows = await connection
    .selectFrom('owner_keys')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(toOwnerKey);
}

/** Finds a key by its id, once for each account that registered it. */
export async function findKeys(
  connection: Connection,
  id: string,
): Promise<(OwnerKey & { provider: string; name: string })[]> {
  const rows = await connection
    .selectFrom('owner_keys')
    .innerJoin('accounts', 'accounts.id', 'owner_keys.account_id')
    .selectAll('owner_keys')
    .select(['accounts.provider', 'accounts.name'])
    .where('owner_keys.id', '=', id)
    .where('accounts.deleted_at', 'is', null)
    .execute();
  return rows.map((row) => Object.assign(toOwnerKey(row), { provider: row.provider, name: row.name }));
}

/**
 * Stores a key.
 * @returns false when the account had it already.
 */
export async function saveKey(
  connection: Connection,
  key: PublicKey & { accountId: string; createdAt: Date },
): Promise<boolean> {
  const saved = await connection
    .insertInto('owner_keys')
    .values({ account_id: key.accountId, id: key.id, kind: key.kind, spki: key.spki, created_at: key.createdAt })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .execute();
  return saved.length > 0;
}

/**
 * Removes a key, and announces to all nodes that the tokens it signed are no longer valid.
 * @returns false when there is no such key.
 */
export async function removeKey(connection: Connection, accountId: string, id: string): Promise<boolean> {
  const removed = await connection
    .deleteFrom('owner_keys')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returning('id')
    .execute();
  await announce(connection, { kind: 'account', key: accountId });
  return removed.length > 0;
}

function toOwnerKey(row: { account_id: string; id: string; kind: string; spki: Buffer; created_at: Date }): OwnerKey {
  const { kind } = row;
  if (!isKeyKind(kind)) throw new Error('a key of an unknown kind is stored');
  return {
    accountId: row.account_id,
    id: row.id,
    kind,
    spki: row.spki,
    createdAt: row.created_at,
  };
}
