import type { Connection } from '../database/connections/connection.ts';
import type { Account } from '../model/account.ts';
import { type Actor, nameKey } from '../model/account.ts';
import { saveActors } from './mentions/actor-store.ts';
import { findById } from './store.ts';

/** Stores an account whose owner has just proved that it exists, under the name that the provider reports. */
export async function saveOwned(
  connection: Connection,
  provider: string,
  owned: Actor,
  options: { now: Date; newId: () => string },
): Promise<Account> {
  const known = await findByExternalId(connection, provider, owned.externalId);
  if (known !== undefined && known.deletedAt === null && nameKey(known.account.name) === nameKey(owned.name)) {
    return known.account;
  }
  const actor = { ...owned, displayName: owned.displayName || (known?.account.displayName ?? '') };
  await saveActors(connection, provider, [actor], { mentionedAt: options.now, newId: options.newId });
  await connection
    .updateTable('accounts')
    .set({ deleted_at: null })
    .where('provider', '=', provider)
    .where('external_id', '=', owned.externalId)
    .execute();
  const saved = await findByExternalId(connection, provider, owned.externalId);
  if (saved === undefined) throw new Error('an account was neither stored nor there');
  return saved.account;
}

/** Finds an account by the provider's immutable id. */
async function findByExternalId(
  connection: Connection,
  provider: string,
  externalId: string,
): Promise<{ account: Account; deletedAt: Date | null } | undefined> {
  const row = await connection
    .selectFrom('accounts')
    .select(['id', 'deleted_at'])
    .where('provider', '=', provider)
    .where('external_id', '=', externalId)
    .executeTakeFirst();
  const account = row && (await findById(connection, row.id));
  return account && { account, deletedAt: row.deleted_at };
}
