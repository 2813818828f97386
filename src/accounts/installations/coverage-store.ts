import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { isLiving } from './store.ts';

/** Applies installations to repositories: which repositories are installed, and which must be hidden. */

/** SQL that is true when the living installation `i` covers the repository `r` of the account `a`. */
const covers = sql`i.provider = r.provider and i.account_external_id = a.external_id and ${isLiving}
  and (i.covers = 'all' or exists (
    select from covered_repositories c
    where c.provider = i.provider and c.installation_id = i.id and c.repository_external_id = r.external_id))`;

/** The accounts whose repositories are updated, or the repositories themselves. */
export type Owners =
  | { repositoryIds: readonly string[] }
  | { ids: readonly string[] }
  /** An account by its external id. */
  | { provider: string; account: string }
  /** All accounts that ever installed the service at a provider. */
  | { everyInstalledOn: string };

function belongTo(owners: Owners): RawBuilder<boolean> {
  if ('repositoryIds' in owners) return sql`r.id = any(${owners.repositoryIds}::uuid[])`;
  if ('ids' in owners) return sql`a.id = any(${owners.ids}::uuid[])`;
  return 'account' in owners
    ? sql`a.provider = ${owners.provider} and a.external_id = ${owners.account}`
    : sql`a.provider = ${owners.everyInstalledOn} and a.external_id in (
        select account_external_id from installations where provider = ${owners.everyInstalledOn})`;
}

/**
 * Updates `installed_at` by the current installations. Must be called after each change of repositories or
 * installations.
 */
export async function recordInstalled(transaction: Connection, owners: Owners, now: Date): Promise<void> {
  await sql`
    update repositories set installed_at = case when installed_at is null then ${now}::timestamptz end
    where id in (
      select r.id from repositories r join accounts a on a.id = r.owner_id
      where ${belongTo(owners)} and (r.installed_at is not null) <> exists (select from installations i where ${covers})
      order by r.id for no key update of r)`.execute(transaction);
}

/**
 * Hides private repositories that were read by an installation of the app that does not cover them any more.
 * @returns the ids of the accounts that own them.
 */
export async function hideUncovered(transaction: Connection, owners: Owners, now: Date): Promise<string[]> {
  const { rows } = await sql<{ owner_id: string }>`
    update repositories set deleted_at = ${now}, updated_at = ${now}
    where id in (
      select r.id from repositories r join accounts a on a.id = r.owner_id
      where ${belongTo(owners)} and r.is_private and r.deleted_at is null
        and r.credential_name in (select credential_name from installations where provider = a.provider)
        and not exists (select from installations i where i.credential_name = r.credential_name and ${covers})
      order by r.id for no key update of r)
    returning owner_id`.execute(transaction);
  return distinctOwners(rows);
}

/** Hides private repositories that were read with a credential. @returns the ids of the accounts that own them. */
export async function hideShownBy(
  transaction: Connection,
  { provider, credentialName }: { provider: string; credentialName: string },
  now: Date,
): Promise<string[]> {
  const { rows } = await sql<{ owner_id: string }>`
    update repositories set deleted_at = ${now}, updated_at = ${now}
    where id in (
      select id from repositories
      where provider = ${provider} and credential_name = ${credentialName} and is_private and deleted_at is null
      order by id for no key update)
    returning owner_id`.execute(transaction);
  return distinctOwners(rows);
}

function distinctOwners(rows: readonly { owner_id: string }[]): string[] {
  return [...new Set(rows.map((row) => row.owner_id))].toSorted();
}
