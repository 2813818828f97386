import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { livingNodes } from '../../database/queue/listener.ts';
import type { Tables } from '../../database/tables/tables.ts';
import type { RepositoryFacts } from '../../model/repository.ts';
import { isPresentInSql } from './present-store.ts';

/**
 * The names of the streams under which skipped items of listings are stored: of the public view, and of the views of
 * credentials.
 */
export const publicListing = 'repositories';
export const privateListing = 'private repositories';

/** A listing of an account's repositories that has begun and not ended. */
interface Listing {
  startedAt: Date;
  cursor: string;
}

/** A repository as it is stored. */
export interface Repository extends RepositoryFacts {
  stars: number;
  forks: number;
  openIssues: number;
  sizeKib: number;
  id: string;
  provider: string;
  ownerId: string;
  /** The time of the last request to the provider that concerned the repository: it was returned, or found missing. */
  listedAt: Date;
  /** The time at which all contributions were last known to be stored; null: never. */
  collectedAt: Date | null;
  /** The time since when all its details are read and kept current; null when it is not installed. */
  installedAt: Date | null;
  /** True when the provider no longer shows it. */
  isDeleted: boolean;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * Stores a page of a listing of an account's repositories and the names that they have left. A repository that a later
 * response has updated stays unchanged.
 * @returns the ids of the stored repositories by external id, and the accounts whose set of public repositories
 * changed: a repository came back, became public or private, or moved from one account to another.
 */
export async function saveListedRepositories(
  connection: Connection,
  listed: {
    provider: string;
    ownerId: string;
    repositories: readonly RepositoryFacts[];
    listedAt: Date;
    newId: () => string;
  },
): Promise<{ ids: Map<string, string>; ownersChanged: string[] }> {
  const { provider, ownerId, listedAt } = listed;
  if (listed.repositories.length === 0) return { ids: new Map(), ownersChanged: [] };
  const rows = listed.repositories.map((repository) => ({ id: listed.newId(), ...toColumns(repository) }));
  const externalIds = rows.map((row) => row.external_id);
  // Locks the rows, so that the second of two concurrent saves sees the changes of the first.
  await sql`
    select from repositories where provider = ${provider} and external_id = any(${externalIds})
    order by id for no key update`.execute(connection);
  const { rows: saved } = await sql<{ id: string; external_id: string; changed: string[] }>`
    with before as (
      select external_id, owner_id, name, is_private, deleted_at from repositories
      where provider = ${provider} and external_id = any(${externalIds})
    ), saved as (
    insert into repositories as r (
      id, provider, external_id, handle, owner_id, name, description, language, license, default_branch,
      is_private, credential_name, is_fork, stars, forks, open_issues, size_kib, named_at, listed_at, created_at, updated_at)
    select l.id, ${provider}, l.external_id, l.handle, ${ownerId}, l.name, l.description, l.language, l.license,
      l.default_branch, l.is_private, l.credential_name, l.is_fork, coalesce(l.stars, known.stars, 0),
      coalesce(l.forks, known.forks, 0), coalesce(l.open_issues, known.open_issues, 0),
      coalesce(l.size_kib, known.size_kib, 0), ${listedAt}, ${listedAt}, ${listedAt}, ${listedAt}
    from json_to_recordset(${JSON.stringify(rows)}::json) as l (
      id uuid, external_id text, handle text, name text, description text, language text, license text,
      default_branch text, is_private boolean, credential_name text, is_fork boolean, stars integer, forks integer, open_issues integer,
      size_kib bigint)
    left join lateral ${knownNumbers(provider)} known on true
    order by l.external_id
    on conflict (provider, external_id) do update set
      handle = excluded.handle, owner_id = excluded.owner_id, name = excluded.name,
      description = excluded.description, language = excluded.language, license = excluded.license,
      default_branch = excluded.default_branch, is_private = excluded.is_private, credential_name = excluded.credential_name, is_fork = excluded.is_fork,
      stars = excluded.stars, forks = excluded.forks, open_issues = excluded.open_issues,
      size_kib = excluded.size_kib, named_at = excluded.named_at, listed_at = excluded.listed_at, deleted_at = null,
      updated_at = case when (r.owner_id, r.name, r.description, r.language, r.license, r.default_branch,
          r.is_private, r.is_fork, r.stars, r.forks, r.open_issues, r.size_kib, r.deleted_at)
        is distinct from (excluded.owner_id, excluded.name, excluded.description, excluded.language,
          excluded.license, excluded.default_branch, excluded.is_private, excluded.is_fork, excluded.stars,
          excluded.forks, excluded.open_issues, excluded.size_kib, null::timestamptz)
        then excluded.updated_at else r.updated_at end
      where r.listed_at <= excluded.listed_at
    returning id, external_id, owner_id, name, is_private
    ), left_name as (
      insert into former_repository_names (owner_id, name_key, repository_id, left_at, check_after)
      select saved.owner_id, lower(before.name), saved.id, ${listedAt}, ${listedAt}
      from saved join before using (external_id, owner_id) where lower(before.name) <> lower(saved.name)
      order by saved.id
      on conflict (owner_id, name_key, repository_id)
        do update set left_at = excluded.left_at, check_after = excluded.check_after
    ), returned_to_name as (
      delete from former_repository_names f using saved
      where f.repository_id = saved.id and f.name_key = lower(saved.name)
    )
    select saved.id, saved.external_id,
      case when before.owner_id is null or (before.owner_id = saved.owner_id and before.is_private = saved.is_private
        and before.deleted_at is null) then '{}' else array[before.owner_id, saved.owner_id] end as changed
    from saved left join before using (external_id)`.execute(connection);
  return {
    ids: new Map(saved.map((row) => [row.external_id, row.id])),
    ownersChanged: [...new Set(saved.flatMap((row) => row.changed))].toSorted(),
  };
}

/** Returns SQL for the stored numbers of the listed repository `l`. */
function knownNumbers(provider: string): RawBuilder<unknown> {
  // PostgreSQL expects 100 rows of `json_to_recordset`. `offset 0` keeps it from a join that reads all repositories.
  return sql`(
    select stars, forks, open_issues, size_kib from repositories
    where provider = ${provider} and external_id = l.external_id offset 0)`;
}

/** Returns the columns that hold the provider's facts about a repository. */
function toColumns(repository: RepositoryFacts) {
  return {
    external_id: repository.externalId,
    handle: repository.handle,
    name: repository.name,
    description: repository.description,
    language: repository.language,
    license: repository.license,
    default_branch: repository.defaultBranch,
    is_private: repository.isPrivate,
    credential_name: repository.credentialName,
    is_fork: repository.isFork,
    stars: repository.stars,
    forks: repository.forks,
    open_issues: repository.openIssues,
    size_kib: repository.sizeKib,
  };
}

/** Counts the repositories that a listing since `listingStartedAt` has returned for one view; null: the public view. */
export async function countListed(
  connection: Connection,
  ownerId: string,
  credentialName: string | null,
  listingStartedAt: Date,
): Promise<number> {
  const { count } = await connection
    .selectFrom('repositories')
    .select((select) => select.fn.countAll<number>().as('count'))
    .where('owner_id', '=', ownerId)
    .where('credential_name', 'is not distinct from', credentialName)
    .where('listed_at', '>=', listingStartedAt)
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return count;
}

/** Finds a repository of an account by its name; the letter case does not matter. */
export async function findOwnedRepository(
  connection: Connection,
  ownerId: string,
  name: string,
  { withPrivate }: { withPrivate: boolean },
): Promise<Repository | undefined> {
  let query = connection
    .selectFrom('repositories')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where(sql`lower(name)`, '=', name.toLowerCase())
    .where(isPresentInSql('repositories'))
    .orderBy('named_at', 'desc')
    .limit(1);
  if (!withPrivate) query = query.where('is_private', '=', false);
  const row = await query.executeTakeFirst();
  return row && toRepository(row);
}

/** Returns all present repositories of an account, private ones included, the one with most stars first. */
export async function findOwnedRepositories(connection: Connection, ownerId: string): Promise<Repository[]> {
  const rows = await connection
    .selectFrom('repositories')
    .selectAll()
    .where('owner_id', '=', ownerId)
    .where(isPresentInSql('repositories'))
    .orderBy('stars', 'desc')
    .orderBy('id')
    .execute();
  return rows.map(toRepository);
}

/**
 * Claims the collection of a repository for a node; returns false while another living node has the claim. The node
 * that has it gets it again, so that it must avoid concurrent collections itself.
 */
export async function claimRepository(connection: Connection, id: string, node: number): Promise<boolean> {
  const claimed = await connection
    .updateTable('repositories')
    .set({ collector_node: node })
    .where('id', '=', id)
    .where((is) =>
      is.or([
        is('collector_node', 'is', null),
        is('collector_node', '=', node),
        sql<boolean>`collector_node not in (${livingNodes})`,
      ]),
    )
    .returning('id')
    .execute();
  return claimed.length > 0;
}

export async function releaseRepository(connection: Connection, id: string, node: number): Promise<void> {
  await connection
    .updateTable('repositories')
    .set({ collector_node: null })
    .where('id', '=', id)
    .where('collector_node', '=', node)
    .execute();
}

/** Records that all contributions that the provider had at `collectedAt` are stored. */
export async function markCollected(connection: Connection, id: string, collectedAt: Date): Promise<void> {
  await connection.updateTable('repositories').set({ collected_at: collectedAt }).where('id', '=', id).execute();
}

/** Finds repositories by the provider's immutable ids, also hidden ones; returns them by these ids. */
export async function findByExternalIds(
  connection: Connection,
  provider: string,
  externalIds: readonly string[],
): Promise<Map<string, Repository>> {
  const rows = await connection
    .selectFrom('repositories')
    .selectAll()
    .where('provider', '=', provider)
    .where('external_id', 'in', [...externalIds])
    .execute();
  return new Map(rows.map((row) => [row.external_id, toRepository(row)]));
}

/** Finds a repository by the provider's immutable id, also when it is hidden. */
export async function findByExternalId(
  connection: Connection,
  provider: string,
  externalId: string,
): Promise<Repository | undefined> {
  const row = await connection
    .selectFrom('repositories')
    .selectAll()
    .where('provider', '=', provider)
    .where('external_id', '=', externalId)
    .executeTakeFirst();
  return row && toRepository(row);
}

export async function findRepository(connection: Connection, id: string): Promise<Repository | undefined> {
  const row = await connection.selectFrom('repositories').selectAll().where('id', '=', id).executeTakeFirst();
  return row && toRepository(row);
}

export function toRepository(row: Selectable<Tables['repositories']>): Repository {
  return {
    id: row.id,
    provider: row.provider,
    externalId: row.external_id,
    handle: row.handle,
    ownerId: row.owner_id,
    name: row.name,
    description: row.description,
    language: row.language,
    license: row.license,
    defaultBranch: row.default_branch,
    isPrivate: row.is_private,
    credentialName: row.credential_name,
    isFork: row.is_fork,
    stars: row.stars,
    forks: row.forks,
    openIssues: row.open_issues,
    sizeKib: row.size_kib,
    listedAt: row.listed_at,
    collectedAt: row.collected_at,
    installedAt: row.installed_at,
    isDeleted: row.deleted_at !== null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export async function findListing(connection: Connection, accountId: string): Promise<Listing | undefined> {
  const row = await connection
    .selectFrom('accounts')
    .select(['listing_started_at', 'listing_cursor'])
    .where('id', '=', accountId)
    .executeTakeFirst();
  if (!row?.listing_started_at || row.listing_cursor === null) return undefined;
  return { startedAt: row.listing_started_at, cursor: row.listing_cursor };
}

export async function moveListing(connection: Connection, accountId: string, listing: Listing): Promise<void> {
  await connection
    .updateTable('accounts')
    .set({ listing_started_at: listing.startedAt, listing_cursor: listing.cursor })
    .where('id', '=', accountId)
    .execute();
}

/**
 * Ends a listing. A request for a new listing that came during this one stays, because it may concern repositories that
 * were listed before the request.
 */
export async function finishListing(
  connection: Connection,
  accountId: string,
  listing: { startedAt: Date; listedAt: Date },
): Promise<void> {
  await sql`
    update accounts set listing_started_at = null, listing_cursor = null, listed_at = ${listing.listedAt},
      listing_wanted_at = case when listing_wanted_at >= ${listing.startedAt} then listing_wanted_at end
    where id = ${accountId}`.execute(connection);
}

/**
 * Stores that the host redirects a name to a repository of the same owner that has another name, so that the name is
 * not looked up again before `checkAfter`.
 */
export async function saveFormerName(
  connection: Connection,
  former: { repositoryId: string; name: string; now: Date; checkAfter: Date },
): Promise<void> {
  const key = former.name.toLowerCase();
  await sql`
    insert into former_repository_names (owner_id, name_key, repository_id, left_at, check_after)
    select owner_id, ${key}, id, ${former.now}, ${former.checkAfter} from repositories
    where id = ${former.repositoryId} and lower(name) <> ${key}
    on conflict (owner_id, name_key, repository_id)
      do update set left_at = excluded.left_at, check_after = excluded.check_after`.execute(connection);
}

/**
 * Finds the present name of the repository of an account that last had a name, unless the repository is hidden or has
 * another owner now. Finds a private one only with `withPrivate`, because its former name must not reveal it.
 */
export async function findByFormerName(
  connection: Connection,
  ownerId: string,
  name: string,
  { withPrivate }: { withPrivate: boolean },
): Promise<{ name: string; checkAfter: Date } | undefined> {
  return connection
    .selectFrom('former_repository_names as f')
    .innerJoin('repositories as r', (join) =>
      join.onRef('r.id', '=', 'f.repository_id').onRef('r.owner_id', '=', 'f.owner_id'),
    )
    .select(['r.name', 'f.check_after as checkAfter'])
    .where('f.owner_id', '=', ownerId)
    .where('f.name_key', '=', name.toLowerCase())
    .where(isPresentInSql('r'))
    .where((is) => is.or([is('r.is_private', '=', false), is.lit(withPrivate)]))
    .orderBy('f.left_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Postpones the next check of a former name to `checkAfter`, because no other repository that the reader sees has taken
 * it so far.
 */
export async function keepFormerName(
  connection: Connection,
  ownerId: string,
  name: string,
  { withPrivate, checkAfter }: { withPrivate: boolean; checkAfter: Date },
): Promise<void> {
  await sql`
    update former_repository_names f set check_after = ${checkAfter} from repositories r
    where f.owner_id = ${ownerId} and f.name_key = ${name.toLowerCase()} and r.id = f.repository_id
      and (${withPrivate}::boolean or not r.is_private)`.execute(connection);
}
