import { sql } from 'kysely';
import type { Connection } from '../database/connections/connection.ts';
import { type Account, type Actor, nameKey } from '../model/account.ts';
import { saveActors } from './actor-store.ts';
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

/**
 * Requests a full scan of every repository of a provider that holds commits of erased people, because no stored data
 * shows to which of them a returning person contributed.
 */
export async function requestRescanOfErased(connection: Connection, provider: string, now: Date): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    select distinct repository_id as id from repository_identities where identity_id in (
      select id from identities where provider = ${provider} and email like 'erased %')`.execute(connection);
  // A statement of its own, because Citus misreads the rows of a locking subquery that depends on tables divided by repository.
  await sql`
    update streams set full_scan_wanted_at = ${now} where (repository_id, name) in (
      select repository_id, name from streams where repository_id = any(${rows.map(({ id }) => id)}::uuid[])
      order by repository_id, name for no key update)`.execute(connection);
}
