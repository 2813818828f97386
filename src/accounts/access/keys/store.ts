import type { Connection } from '../../../database/connections/connection.ts';
import { announce } from '../../../database/queue/announcements.ts';
import { type Holding, type HoldingColumns, keyLifeMs, toHolding } from '../administrators/holding.ts';
import type { Person } from '../administrators/store.ts';
import { isKeyKind, type PublicKey } from './public-key.ts';

/** A long-term key as it is stored. */
export interface OwnerKey extends PublicKey {
  accountId: string;
  createdAt: Date;
  holding: Holding;
}

/** Selects keys with the columns of their holdings. */
function selectKeys(connection: Connection) {
  return connection
    .selectFrom('owner_keys')
    .innerJoin('accounts', 'accounts.id', 'owner_keys.account_id')
    .leftJoin('administrators', (join) =>
      join
        .onRef('administrators.account_id', '=', 'owner_keys.account_id')
        .onRef('administrators.person', '=', 'owner_keys.holder'),
    )
    .selectAll('owner_keys')
    .select(['accounts.type as account_type', 'accounts.external_id as account_external_id'])
    .select(['administrators.confirmed_at', 'administrators.can_check']);
}

export async function findOwnerKeys(connection: Connection, accountId: string): Promise<OwnerKey[]> {
  const rows = await selectKeys(connection)
    .where('owner_keys.account_id', '=', accountId)
    .orderBy('owner_keys.created_at', 'desc')
    .orderBy('owner_keys.id')
    .execute();
  return rows.map(toOwnerKey);
}

export async function findKey(connection: Connection, accountId: string, id: string): Promise<OwnerKey | undefined> {
  const row = await selectKeys(connection)
    .where('owner_keys.account_id', '=', accountId)
    .where('owner_keys.id', '=', id)
    .executeTakeFirst();
  return row && toOwnerKey(row);
}

/** Finds a key by its id, once for each account that registered it. */
export async function findKeys(
  connection: Connection,
  id: string,
): Promise<(OwnerKey & { provider: string; name: string })[]> {
  const rows = await selectKeys(connection)
    .select(['accounts.provider', 'accounts.name'])
    .where('owner_keys.id', '=', id)
    .where('accounts.deleted_at', 'is', null)
    .execute();
  return rows.map((row) => Object.assign(toOwnerKey(row), { provider: row.provider, name: row.name }));
}

/** Stores a key for its holder. If the account has the key already, it is renewed, and its holder replaced. */
export async function saveKey(
  connection: Connection,
  key: PublicKey & { accountId: string; holder: Person; now: Date },
): Promise<void> {
  const { accountId, id, kind, spki, holder, now } = key;
  const held = {
    holder: holder.id,
    holder_name: holder.name,
    ends_at: new Date(now.getTime() + keyLifeMs),
    suspended_at: null,
    ended_at: null,
  };
  await connection
    .insertInto('owner_keys')
    .values({ account_id: accountId, id, kind, spki, created_at: now, ...held })
    .onConflict((conflict) => conflict.columns(['account_id', 'id']).doUpdateSet(held))
    .execute();
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

function toOwnerKey(
  row: HoldingColumns & { account_id: string; id: string; kind: string; spki: Buffer; created_at: Date },
): OwnerKey {
  const { kind } = row;
  if (!isKeyKind(kind)) throw new Error('a key of an unknown kind is stored');
  return {
    accountId: row.account_id,
    id: row.id,
    kind,
    spki: row.spki,
    createdAt: row.created_at,
    holding: toHolding(row),
  };
}
