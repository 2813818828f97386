import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../database/connections/connection.ts';
import { takeSharedErasureLock } from '../database/schema/erasure.ts';
import type { Actor } from '../model/account.ts';
import { agents, type PersonType, typeOfAccount } from '../model/agents.ts';
import { findByName, leftAtInSql, lockAccounts } from './store.ts';
import { findOptedOutIds } from './visibility/opt-out-store.ts';

/** The stored facts about an account that a delivery mentions. */
interface KnownByMention {
  id: string;
  /** The time of the last request for the whole record; null when the account is known only as a contributor. */
  fetchedAt: Date | null;
}

/** Returns a mention of an account by its host in other data, with the columns of `accounts`. */
function toMention(provider: string, actor: Actor, { mentionedAt, newId }: { mentionedAt: Date; newId: () => string }) {
  return {
    id: newId(),
    external_id: actor.externalId,
    handle: actor.handle,
    type: typeOfAccount(provider, actor.name, actor.type),
    name: actor.name,
    display_name: actor.displayName,
    avatar_url: actor.avatarUrl,
    is_public: actor.isPublic ?? null,
    named_at: actor.nameMayBeOld ? new Date(0) : mentionedAt,
    is_brief: actor.isBrief ?? false,
  };
}

/**
 * Stores accounts that were mentioned at `mentionedAt`: inserts new ones, and updates stored ones where the mention is
 * newer. Accounts that have opted out are not stored and get no id. Must run in a transaction.
 * @param options.alsoLocked the ids of other accounts that the transaction is going to change.
 * @returns the ids of the accounts by external id.
 */
export async function saveActors(
  connection: Connection,
  provider: string,
  actors: readonly Actor[],
  options: { mentionedAt: Date; newId: () => string; alsoLocked?: readonly string[] },
): Promise<Map<string, string>> {
  const { mentionedAt, alsoLocked = [] } = options;
  if (actors.length + alsoLocked.length === 0) return new Map();
  await takeSharedErasureLock(connection);
  const optedOut = await findOptedOutIds(
    connection,
    provider,
    actors.map(({ externalId }) => externalId),
  );
  const mentions = actors
    .filter(({ externalId }) => !optedOut.includes(externalId))
    .map((actor) => toMention(provider, actor, options));
  const stored = await findMentioned(connection, provider, mentions);
  const ids = new Map(stored.map(({ id, external_id: externalId }) => [externalId, id]));
  const added = mentions.filter(({ external_id: externalId }) => !ids.has(externalId));
  for (const [externalId, id] of await addMentioned(connection, provider, added, mentionedAt)) ids.set(externalId, id);
  const changed = stored
    .filter(({ is_changed: isChanged }) => isChanged)
    .map(({ external_id: externalId }) => externalId);
  const locked = [...changed.flatMap((externalId) => ids.get(externalId) ?? []), ...alsoLocked];
  // Locks come after the inserts, because other transactions may wait for the inserted accounts.
  if (locked.length > 0) await lockAccounts(connection, locked);
  if (changed.length > 0) {
    await changeMentioned(
      connection,
      provider,
      mentions.filter(({ external_id: externalId }) => changed.includes(externalId)),
      mentionedAt,
    );
  }
  return ids;
}

type Mention = ReturnType<typeof toMention>;

/**
 * Returns SQL for the parts of a WITH clause that compare mentions with stored accounts: in `compared`, `differs` is true
 * where a mention has newer data, and `is_shown_otherwise` where the host shows or hides the account now.
 */
function comparedWith(provider: string, mentions: readonly Mention[]): RawBuilder<unknown> {
  return sql`mentioned as (
      select * from json_to_recordset(${JSON.stringify(mentions)}::json) as m (
        id uuid, external_id text, handle text, type text, name text, display_name text, avatar_url text,
        is_public boolean, named_at timestamptz, is_brief boolean)
    ), matched as (
      select a.id, a.external_id, a.type as old_type, a.name as old_name, a.display_name as old_display_name,
        a.avatar_url as old_avatar_url, a.named_at as old_named_at, m.handle, m.type, m.name, m.is_public, m.named_at,
        case when m.is_brief then a.display_name else m.display_name end as display_name,
        case when m.is_brief then a.avatar_url else m.avatar_url end as avatar_url,
        coalesce(a.checked_at, a.deleted_at, '-infinity') <= m.named_at
          and (a.deleted_at is not null or coalesce(a.hidden_by_host = m.is_public, false)) as is_shown_otherwise
      from mentioned m join accounts a on a.provider = ${provider} and a.external_id = m.external_id
    ), compared as (
      select *, old_named_at < named_at and (old_type, old_name, old_display_name, old_avatar_url)
        is distinct from (type, name, display_name, avatar_url) as differs
      from matched
    )`;
}

/** Finds the stored accounts among mentions; `is_changed` is true where a mention has newer data. */
async function findMentioned(
  connection: Connection,
  provider: string,
  mentions: readonly Mention[],
): Promise<{ id: string; external_id: string; is_changed: boolean }[]> {
  const { rows } = await sql<{ id: string; external_id: string; is_changed: boolean }>`
    with ${comparedWith(provider, mentions)}
    select id, external_id, differs or is_shown_otherwise as is_changed from compared`.execute(connection);
  return rows;
}

/**
 * Stores new accounts in the order of external ids, the same for all transactions, so that no two wait for each other.
 * @returns the ids by external id.
 */
async function addMentioned(
  connection: Connection,
  provider: string,
  mentions: readonly Mention[],
  mentionedAt: Date,
): Promise<Map<string, string>> {
  if (mentions.length === 0) return new Map();
  const { rows } = await sql<{ id: string; external_id: string }>`
    insert into accounts (
      id, provider, external_id, handle, type, name, display_name, avatar_url, hidden_by_host, checked_at, named_at,
      created_at, updated_at)
    select id, ${provider}, external_id, handle, type, name, display_name, avatar_url, is_public is false,
      case when is_public is not null then ${mentionedAt}::timestamptz end, named_at, ${mentionedAt}, ${mentionedAt}
    from json_to_recordset(${JSON.stringify(mentions)}::json) as m (
      id uuid, external_id text, handle text, type text, name text, display_name text, avatar_url text,
      is_public boolean, named_at timestamptz)
    order by external_id
    on conflict (provider, external_id) do nothing
    returning id, external_id`.execute(connection);
  const ids = new Map(rows.map((row) => [row.external_id, row.id]));
  // Another transaction has just stored the accounts that are missing here.
  const others = mentions.filter(({ external_id: externalId }) => !ids.has(externalId));
  if (others.length === 0) return ids;
  for (const { id, external_id: externalId } of await findMentioned(connection, provider, others))
    ids.set(externalId, id);
  return ids;
}

/** Changes stored accounts where mentions have newer data. The transaction must have locked them. */
async function changeMentioned(
  connection: Connection,
  provider: string,
  mentions: readonly Mention[],
  mentionedAt: Date,
): Promise<void> {
  await sql`
    with ${comparedWith(provider, mentions)}, left_name as (
      insert into former_names (provider, name_key, account_id, left_at, check_after)
      select ${provider}, lower(old_name), id, ${leftAtInSql(provider, 'old_name', 'old_named_at', mentionedAt)},
        ${mentionedAt}
      from compared where differs and lower(old_name) <> lower(name)
      order by id
      on conflict (provider, name_key, account_id)
        do update set left_at = excluded.left_at, check_after = excluded.check_after
    )
    update accounts a set updated_at = ${mentionedAt},
      type = case when differs then compared.type else a.type end,
      name = case when differs then compared.name else a.name end,
      display_name = case when differs then compared.display_name else a.display_name end,
      avatar_url = case when differs then compared.avatar_url else a.avatar_url end,
      handle = case when differs and compared.handle <> '' then compared.handle else a.handle end,
      named_at = case when differs then compared.named_at else a.named_at end,
      hidden_by_host = case when is_shown_otherwise then coalesce(not is_public, a.hidden_by_host) else a.hidden_by_host end,
      deleted_at = case when is_shown_otherwise then null else a.deleted_at end,
      checked_at = case when is_shown_otherwise then compared.named_at else a.checked_at end
    from compared where a.id = compared.id and (differs or is_shown_otherwise)`.execute(connection);
}

/**
 * Returns SQL that is true for the account of an agent (`agents.ts`).
 * @param accounts the name or alias of the table of accounts.
 */
function isAgentInSql(accounts: string): RawBuilder<boolean> {
  const names = agents.filter(({ provider }) => provider === null).map(({ name }) => name);
  const namesAtHosts = agents.flatMap(({ provider, name }) => (provider === null ? [] : [`${provider}/${name}`]));
  const name = sql`lower(${sql.ref(`${accounts}.name`)})`;
  return sql<boolean>`(
    ${name} = any(${names}::text[]) or ${sql.ref(`${accounts}.provider`)} || '/' || ${name} = any(${namesAtHosts}::text[]))`;
}

/**
 * Returns SQL that is true for an account of a type. An agent counts as one even if it is stored as a user, because it
 * was stored before its entry in the list.
 * @param accounts the name or alias of the table of accounts.
 */
export function isOfTypeInSql(accounts: string, type: PersonType): RawBuilder<boolean> {
  if (type === 'agent') return isAgentInSql(accounts);
  return sql<boolean>`(${sql.ref(`${accounts}.type`)} = ${type} and not ${isAgentInSql(accounts)})`;
}

/**
 * Finds the stored account that a delivery mentions: by its external id, or by its name when the external id is null.
 */
export async function findKnown(
  connection: Connection,
  mention: { provider: string; externalId: string | null; name: string },
): Promise<KnownByMention | undefined> {
  if (mention.externalId === null) {
    const holder = await findByName(connection, mention.provider, mention.name);
    return holder?.state === 'present' ? { id: holder.account.id, fetchedAt: holder.account.fetchedAt } : undefined;
  }
  const row = await connection
    .selectFrom('accounts')
    .select(['id', 'fetched_at'])
    .where('provider', '=', mention.provider)
    .where('external_id', '=', mention.externalId)
    .executeTakeFirst();
  return row && { id: row.id, fetchedAt: row.fetched_at };
}

/** Requests a new listing of an account's repositories, even when the last one is fresh. */
export async function requestListing(connection: Connection, id: string, now: Date): Promise<void> {
  await connection.updateTable('accounts').set({ listing_wanted_at: now }).where('id', '=', id).execute();
}
