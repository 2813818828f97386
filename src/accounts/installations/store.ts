import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { announce } from '../../database/queue/announcements.ts';
import { deleteSome } from '../../database/schema/delete-some.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { Installation, UsableInstallation } from '../../hosts/interface/installation.ts';

/** A stored installation. */
interface StoredInstallation {
  id: string;
  source: 'app' | 'operator';
  account: { externalId: string; name: string };
  covers: 'all' | 'selected';
  missingPermissions: string[];
  suspendedAt: Date | null;
}

/** SQL that is true when the installation `i` is neither removed nor suspended. */
export const isLiving = sql<boolean>`i.removed_at is null and i.suspended_at is null`;

/**
 * Stores the installations of the app that a provider listed at `requestedAt`, and marks all others as removed. An
 * older list never replaces a newer one.
 * @returns the installations that show more repositories than before, or other ones, with their accounts.
 */
export async function saveInstallations(
  transaction: Connection,
  provider: string,
  found: readonly Installation[],
  requestedAt: Date,
): Promise<{ id: string; account: string }[]> {
  const rows = found.map((installation) => ({
    id: installation.externalId,
    account_external_id: installation.account.externalId,
    account_name: installation.account.name,
    credential_name: installation.credentialName,
    covers: installation.covers,
    missing_permissions: installation.missingPermissions,
    suspended_at: installation.suspendedAt,
  }));
  const { rows: saved } = await sql<{ id: string; account: string; is_other: boolean }>`
    with before as (
      select id, covers, missing_permissions, removed_at is null and suspended_at is null as is_living
      from installations where provider = ${provider}
    ), saved as (
      insert into installations as i (provider, id, source, account_external_id, account_name, credential_name, covers,
        missing_permissions, suspended_at, seen_at, created_at)
      select ${provider}, id, 'app', account_external_id, account_name, credential_name, covers,
        array(select json_array_elements_text(missing_permissions)), suspended_at, ${requestedAt}, ${requestedAt}
      from json_to_recordset(${JSON.stringify(rows)}::json) as r (
        id text, account_external_id text, account_name text, credential_name text, covers text, missing_permissions json,
        suspended_at timestamptz)
      order by id
      on conflict (provider, id) do update set
        account_external_id = excluded.account_external_id, account_name = excluded.account_name,
        covers = excluded.covers, missing_permissions = excluded.missing_permissions,
        suspended_at = excluded.suspended_at, removed_at = null, seen_at = excluded.seen_at
      where i.seen_at <= excluded.seen_at
      returning id, account_external_id, covers, missing_permissions, ${isLiving} as is_living)
    select saved.id, saved.account_external_id as account
    from saved left join before using (id)
    where saved.is_living and (before.is_living is not true or before.covers <> saved.covers
      or before.missing_permissions <> saved.missing_permissions)`.execute(transaction);
  await sql`
    update installations set removed_at = ${requestedAt}, seen_at = ${requestedAt}
    where provider = ${provider} and source = 'app' and removed_at is null and seen_at <= ${requestedAt}
      and id <> all(${rows.map(({ id }) => id)}::text[])`.execute(transaction);
  await announce(transaction, { kind: 'installations', key: provider });
  return saved;
}

/**
 * Marks all app installations of a provider as removed, when it has no app any more.
 * @returns whether there were any.
 */
export async function endAppInstallations(transaction: Connection, provider: string, now: Date): Promise<boolean> {
  const ended = await transaction
    .updateTable('installations')
    .set({ removed_at: now, seen_at: now })
    .where('provider', '=', provider)
    .where('source', '=', 'app')
    .where('removed_at', 'is', null)
    .returning('id')
    .execute();
  return ended.length > 0;
}

/** SQL that is true when `i` is an installation of the app that has ended. */
const hasEnded = sql<boolean>`i.source = 'app' and i.removed_at is not null`;

/**
 * Lists accounts of which an installation of a provider's app has ended, in a stable order.
 * @param page.after the position that the last call returned; empty at the start.
 * @returns their ids as far as they are stored, and the position after them; undefined at the end.
 */
export async function listFormerlyInstalled(
  connection: Connection,
  provider: string,
  page: { after: string; limit: number },
): Promise<{ ids: string[]; next: string | undefined }> {
  const { rows } = await sql<{ externalId: string; id: string | null }>`
    select i.account_external_id as "externalId", a.id from (
      select distinct i.account_external_id from installations i
      where i.provider = ${provider} and ${hasEnded} and i.account_external_id > ${page.after}
      order by i.account_external_id limit ${page.limit}) i
    left join accounts a on a.provider = ${provider} and a.external_id = i.account_external_id
    order by i.account_external_id`.execute(connection);
  const next = rows.length < page.limit ? undefined : rows.at(-1)?.externalId;
  return { ids: rows.flatMap(({ id }) => id ?? []), next };
}

/** Returns those of the accounts of which an installation of the app has ended. */
export async function findFormerlyInstalled(connection: Connection, accountIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select a.id from accounts a
    where a.id = any(${[...accountIds]}::uuid[]) and exists (
      select from installations i
      where i.provider = a.provider and i.account_external_id = a.external_id and ${hasEnded})`.execute(connection);
  return rows.map(({ id }) => id);
}

/**
 * Stores the repositories of a selection that the provider listed at `requestedAt`, unless a newer list is stored.
 * @returns whether the selection changed.
 */
export async function saveSelection(
  transaction: Connection,
  { provider, installation }: { provider: string; installation: string },
  repositories: readonly string[],
  requestedAt: Date,
): Promise<boolean> {
  const current = await transaction
    .updateTable('installations')
    .set({ covered_at: requestedAt })
    .where('provider', '=', provider)
    .where('id', '=', installation)
    .where('removed_at', 'is', null)
    .where((is) => is.or([is('covered_at', 'is', null), is('covered_at', '<=', requestedAt)]))
    .returning('id')
    .execute();
  if (current.length === 0) return false;
  const { rows } = await sql`
    with removed as (
      delete from covered_repositories
      where provider = ${provider} and installation_id = ${installation}
        and repository_external_id <> all(${repositories}::text[])
      returning 1
    ), added as (
      insert into covered_repositories (provider, installation_id, repository_external_id)
      select ${provider}, ${installation}, id from unnest(${repositories}::text[]) as id
      on conflict do nothing
      returning 1
    )
    select 1 from removed union all select 1 from added`.execute(transaction);
  return rows.length > 0;
}

/** Finds the installations whose credentials can be used for requests to a provider. */
export async function findUsable(connection: Connection, provider: string): Promise<UsableInstallation[]> {
  const rows = await connection
    .selectFrom('installations as i')
    .select(['id', 'account_external_id'])
    .where('provider', '=', provider)
    .where('source', '=', 'app')
    .where(isLiving)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ externalId: row.id, account: row.account_external_id }));
}

/**
 * Finds living installations of the app on accounts whose repositories have not been listed since `before`.
 * @returns ids.
 */
export async function findUnseen(connection: Connection, provider: string, before: Date): Promise<string[]> {
  const rows = await connection
    .selectFrom('installations as i')
    .leftJoin('accounts as a', (join) =>
      join.onRef('a.provider', '=', 'i.provider').onRef('a.external_id', '=', 'i.account_external_id'),
    )
    .select('i.id')
    .where('i.provider', '=', provider)
    .where('i.source', '=', 'app')
    .where(isLiving)
    .where((is) =>
      is.or([is('a.fetched_at', 'is', null), is('a.listed_at', 'is', null), is('a.listed_at', '<=', before)]),
    )
    .where('a.deleted_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Finds a living installation. */
export async function findInstallation(
  connection: Connection,
  provider: string,
  id: string,
): Promise<StoredInstallation | undefined> {
  const row = await connection
    .selectFrom('installations as i')
    .selectAll()
    .where('provider', '=', provider)
    .where('id', '=', id)
    .where(isLiving)
    .executeTakeFirst();
  return row && toInstallation(row);
}

/** Finds the installations of an account that are not removed, by their ids. */
export async function findInstallationsByAccount(
  connection: Connection,
  { provider, externalId }: { provider: string; externalId: string },
): Promise<StoredInstallation[]> {
  const rows = await connection
    .selectFrom('installations')
    .selectAll()
    .where('provider', '=', provider)
    .where('account_external_id', '=', externalId)
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(toInstallation);
}

/** Lists all installations that are not removed, by the account's name, with the number of selected repositories. */
export async function listInstallations(
  connection: Connection,
): Promise<(StoredInstallation & { provider: string; selected: number })[]> {
  const rows = await connection
    .selectFrom('installations as i')
    .leftJoin('accounts as a', (join) =>
      join.onRef('a.provider', '=', 'i.provider').onRef('a.external_id', '=', 'i.account_external_id'),
    )
    .selectAll('i')
    .select(['a.name as present_name'])
    .select((select) =>
      select
        .selectFrom('covered_repositories as c')
        .select((count) => count.fn.countAll<number>().as('selected'))
        .whereRef('c.provider', '=', 'i.provider')
        .whereRef('c.installation_id', '=', 'i.id')
        .as('selected'),
    )
    .where('i.removed_at', 'is', null)
    .orderBy('i.provider')
    .orderBy(sql`lower(coalesce(a.name, i.account_name))`)
    .orderBy('i.id')
    .execute();
  return rows.map(({ present_name: name, selected, ...row }) =>
    Object.assign(toInstallation({ ...row, account_name: name ?? row.account_name }), {
      provider: row.provider,
      selected: selected ?? 0,
    }),
  );
}

/**
 * Deletes some rows about installations that were removed before a time: first those of the repositories that they covered.
 * @returns how many.
 */
export async function deleteInstallations(connection: Connection, before: Date, limit: number): Promise<number> {
  const removed = sql`select provider, id from installations where removed_at < ${before}`;
  const { numAffectedRows = 0n } = await sql`
    delete from covered_repositories where ctid = any(array(
      select r.ctid from (${removed}) i
      join covered_repositories r on r.provider = i.provider and r.installation_id = i.id
      limit ${limit}))`.execute(connection);
  if (numAffectedRows > 0n) return Number(numAffectedRows);
  return deleteSome(connection, 'installations', {
    where: sql`removed_at < ${before}`,
    orderBy: sql`removed_at`,
    limit,
  });
}

function toInstallation(row: Selectable<Tables['installations']>): StoredInstallation {
  return {
    id: row.id,
    source: row.source,
    account: { externalId: row.account_external_id, name: row.account_name },
    covers: row.covers,
    missingPermissions: row.missing_permissions,
    suspendedAt: row.suspended_at,
  };
}

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

/**
 * Ends the installations of an account, and replaces what names the account in them by the id with which `eraseInstallations`
 * finds them. There are few, because a host installs an app once for each account. Must run in the transaction that empties the
 * account.
 */
export async function endInstallations(
  transaction: Connection,
  { id, provider, externalId }: { id: string; provider: string; externalId: string },
  now: Date,
): Promise<void> {
  await transaction
    .updateTable('installations')
    .set({ removed_at: now, account_external_id: `erased ${id}`, account_name: '' })
    .where('provider', '=', provider)
    .where('account_external_id', '=', externalId)
    .execute();
  await announce(transaction, { kind: 'installations', key: provider });
}

/**
 * Deletes some rows about the installations of an account that is being erased: first those of the repositories that they
 * covered.
 * @returns how many; 0 when none are left, or others hold the rest.
 */
export function eraseInstallations(
  connection: Connection,
  { id: accountId, provider }: { id: string; provider: string },
  limit: number,
): Promise<number> {
  return inTransaction(connection, async (transaction) => {
    // The lock keeps the owner's return from making it a living installation meanwhile.
    const { rows } = await sql<{ id: string }>`
      select id from installations where provider = ${provider} and account_external_id = ${`erased ${accountId}`}
      limit 1 for update skip locked`.execute(transaction);
    const [found] = rows;
    if (found === undefined) return 0;
    const covered = await deleteSome(transaction, 'covered_repositories', {
      where: sql`provider = ${provider} and installation_id = ${found.id}`,
      orderBy: sql`provider, installation_id`,
      limit,
    });
    if (covered > 0) return covered;
    await transaction.deleteFrom('installations').where('provider', '=', provider).where('id', '=', found.id).execute();
    return 1;
  });
}
