import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { countAgain } from './commits-again-store.ts';

/** An e-mail address in a repository's commits whose account has to be looked up. */
export interface DueAddress {
  id: number;
  email: string;
  /** True when it was looked up before. */
  isRetry: boolean;
  /** The stored account, which the host may give to another by now; null: none. */
  accountId: string | null;
  /** True when the stored account has the name in the address. */
  hasName: boolean;
}

/** A commit that names an address. */
export interface NamingCommit {
  /** Hexadecimal. */
  oid: string;
  /** True when the address is that of a co-author, not of the author. */
  isCoAuthor: boolean;
}

/** The account of an address; null: the host showed a commit by the address without an account. */
interface ResolvedAddress {
  id: number;
  accountId: string | null;
  /** The time of the request, where "no account" replaces an account that was found before. */
  replacesFrom?: Date | undefined;
}

/** Addresses without an account are looked up again after this time: their owners may have added them to accounts. */
const settledForDays = 30;

/**
 * The first lookup may fail because the commits were replaced meanwhile, so the second one comes with the next read.
 * After that lookups are retries: limited in number, and after a time that doubles up to `maxDelayDays`.
 */
const promptAttempts = 2;
const maxDelayDays = 30;
/** 2 to the power of this is more than `maxDelayDays`. */
const maxDoublings = 5;

/** The name in an address that a host may have given to an account. */
const nameInAddress = sql`split_part(i.email, '@', 1)`;

/** The most pairs of an address and a repository of which one transaction marks the repository. */
const usesAtOnce = 5000;
/** The most addresses whose repositories one transaction marks. */
const addressesAtOnce = 100;
/** The id before those of all repositories. */
const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * Lists the addresses in a repository's commits that have to be looked up: first all that were not looked up before,
 * then the retries that are due, longest waiting first, up to `maxRetries` of them. After a person left the name in an address,
 * the host may give the address to another or to none, so it is a retry, and a whole scan looks all such addresses up.
 * @returns also whether there are more retries.
 */
export async function findDueAddresses(
  connection: Connection,
  repositoryId: string,
  { now, maxRetries }: { now: Date; maxRetries: number },
): Promise<{ addresses: DueAddress[]; isMore: boolean }> {
  const { rows } = await sql<DueAddress>`
    with used as not materialized (
      select identity_id, attempts, retry_at from repository_identities where repository_id = ${repositoryId}
    )
    select due.id, email, is_retry as "isRetry", account_id as "accountId",
      coalesce(lower(a.name) = split_part(email, '@', 1), false) as "hasName"
    from (
      (select i.id, i.email, false as is_retry, null::timestamptz as due_at, i.account_id
        from used join identities i on i.id = used.identity_id
        where i.account_id is null and i.resolved_at is null
          and used.attempts < ${promptAttempts}::integer)
      union all
      (select i.id, i.email, true, coalesce(used.retry_at, i.resolved_at), i.account_id
        from used join identities i on i.id = used.identity_id
        where ${mayBelongToAnother(repositoryId, now)} or i.account_id is null
          and (used.retry_at is null or used.retry_at <= ${now}::timestamptz)
          and case when i.resolved_at is null then used.attempts >= ${promptAttempts}::integer
            else i.resolved_at < ${now}::timestamptz - make_interval(days => ${settledForDays}::integer) end
        order by 4, 1 limit ${maxRetries + 1}::integer)
    ) due left join accounts a on a.id = due.account_id order by is_retry, due_at, due.id`.execute(connection);
  const retries = rows.filter(({ isRetry }) => isRetry);
  const isMore = retries.length > maxRetries;
  return { addresses: isMore ? rows.slice(0, -1) : rows, isMore };
}

/**
 * Returns SQL that is true for looked-up addresses that the host may give to another account by now, or to none: a person left
 * the name in the address since, or a whole scan is wanted and the address looks like one that the host gave to a name.
 */
function mayBelongToAnother(repositoryId: string, now: Date): RawBuilder<boolean> {
  return sql<boolean>`(exists (
      select from former_names f
      where f.provider = i.provider and f.name_key = ${nameInAddress} and f.left_at > i.resolved_at)
    or i.resolved_at < (select full_scan_wanted_at from streams where repository_id = ${repositoryId} and name = 'commits')
      and (used.retry_at is null or used.retry_at <= ${now}::timestamptz)
      and (i.email ~ '@([^@]*[.])?noreply[.]' or exists (
        select from accounts n where n.provider = i.provider and lower(n.name) = ${nameInAddress})))`;
}

/**
 * Finds repositories whose addresses have to be looked up again because a person left the name in the address, and whose
 * history is not wanted since.
 */
export async function findWithFormerNames(
  connection: Connection,
  { since, limit }: { since: Date; limit: number },
): Promise<{ id: string; ownerId: string; name: string }[]> {
  const { rows: left } = await sql<{ id: number; leftAt: Date }>`
    select i.id, f.left_at as "leftAt" from former_names f
    join identities i on i.account_id = f.account_id and i.resolved_at < f.left_at and ${nameInAddress} = f.name_key
    where f.left_at > ${since} order by f.left_at desc limit ${addressesAtOnce}`.execute(connection);
  if (left.length === 0) return [];
  const ids = left.map(({ id }) => id);
  const { rows: uses } = await sql<{ id: number; repositoryId: string }>`
    select identity_id as id, repository_id as "repositoryId" from repository_identities
    where identity_id = any(${ids}::integer[]) limit ${usesAtOnce}`.execute(connection);
  const leftAt = new Map(left.map(({ id, leftAt: at }) => [id, at]));
  const { rows } = await sql<{ id: string; ownerId: string; name: string }>`
    select distinct r.id, r.owner_id as "ownerId", r.name
    from unnest(${uses.map(({ repositoryId }) => repositoryId)}::uuid[],
      ${uses.map(({ id }) => leftAt.get(id))}::timestamptz[]) as u (repository_id, left_at)
    join repositories r on r.id = u.repository_id
    join streams s on s.repository_id = r.id and s.name = 'commits'
    where r.deleted_at is null and not r.is_fork and s.completed_at is not null
      and (s.invalidated_at is null or s.invalidated_at < u.left_at)
    limit ${limit}`.execute(connection);
  return rows;
}

/**
 * Lists for each address up to `limit` stored commits that name it: first commits by it, then those it co-authored,
 * each newest first. Reads the repository's commits once, however many addresses there are.
 */
export async function findNamingCommits(
  connection: Connection,
  repositoryId: string,
  identityIds: readonly number[],
  limit: number,
): Promise<Map<number, NamingCommit[]>> {
  const { rows } = await sql<{ id: number; oids: string[]; areCoAuthored: boolean[] }>`
    with named as (
      select u.id, c.oid, u.place > 1 as is_co_author,
        row_number() over (partition by u.id order by u.place > 1, c.committed_at desc, c.oid) as rank
      from commits c cross join lateral unnest(c.identity_ids) with ordinality as u (id, place)
      join unnest(${identityIds}::integer[]) as wanted (id) on wanted.id = u.id
      where c.repository_id = ${repositoryId}
    )
    select id, array_agg(encode(oid, 'hex') order by rank) as oids,
      array_agg(is_co_author order by rank) as "areCoAuthored"
    from named where rank <= ${limit}::integer group by id`.execute(connection);
  return new Map(
    rows.map(({ id, oids, areCoAuthored }) => [
      id,
      oids.map((oid, index) => ({ oid, isCoAuthor: areCoAuthored[index] ?? true })),
    ]),
  );
}

/** Removes addresses from a repository; the caller found that none of its commits names them any more. */
export async function removeUnusedAddresses(
  connection: Connection,
  repositoryId: string,
  identityIds: readonly number[],
): Promise<void> {
  if (identityIds.length === 0) return;
  await sql`
    delete from repository_identities
    where repository_id = ${repositoryId} and identity_id = any(${identityIds}::integer[])`.execute(connection);
}

/**
 * Stores the accounts of addresses. An address with an account keeps it when another response shows none, because two
 * repositories that are read at the same time may get different responses, unless the account was stored before the request that
 * looked it up again. Repositories that count commits of an
 * address whose account is another now have to be counted again: the first of them are marked and queued at once, the
 * others by `markNextUncounted`. Must run in a transaction.
 */
export async function saveResolved(
  transaction: Connection,
  resolved: readonly ResolvedAddress[],
  now: Date,
  limit = usesAtOnce,
): Promise<void> {
  if (resolved.length === 0) return;
  const resolvedJson = JSON.stringify(
    resolved.map(({ id, accountId, replacesFrom }) => ({ id, account_id: accountId, replaces_from: replacesFrom })),
  );
  const answers = sql`json_to_recordset(${resolvedJson}::json) as r (id integer, account_id uuid, replaces_from timestamptz)`;
  const isReplaced = sql`(r.account_id is not null or i.account_id is null or coalesce(i.resolved_at < r.replaces_from, false))`;
  const { rows: stored } = await sql<{ id: number; isOther: boolean }>`
    select i.id, ${isReplaced} and i.account_id is distinct from r.account_id as "isOther"
    from identities i join ${answers} using (id)
    where i.email not like 'erased %' order by i.id for no key update of i`.execute(transaction);
  await sql`
    update identities i set account_id = case when ${isReplaced} then r.account_id else i.account_id end,
      resolved_at = ${now}
    from ${answers}
    where i.id = r.id and i.id = any(${stored.map(({ id }) => id)}::integer[])
      and (${isReplaced} or r.replaces_from is not null)`.execute(transaction);
  const changed = stored.filter(({ isOther }) => isOther).map(({ id }) => id);
  if (changed.length === 0) return;
  const until = await markUncountedAfter(transaction, changed, { after: beforeAll, limit });
  if (until !== null) await saveUncountedUntil(transaction, changed, until);
}

/**
 * Removes an account from some of its addresses, which may be looked up again. Must run in a transaction that holds the
 * erasure lock, so that nothing is stored about the account by such an address later.
 * @returns how many.
 */
export async function releaseAddresses(transaction: Connection, accountId: string, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update identities set account_id = null where id = any(array(
      select id from identities where account_id = ${accountId}
      order by id limit ${limit} for no key update))`.execute(transaction);
  return Number(numAffectedRows);
}

/**
 * Removes some addresses of an account, which are not looked up again. Commits by them stay counted without an account. Must
 * run in a transaction that holds the erasure lock.
 * @returns these addresses.
 */
export async function eraseAddresses(transaction: Connection, accountId: string, limit: number): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    with former as (
      select id, email from identities where account_id = ${accountId} order by id limit ${limit} for no key update
    )
    update identities i set email = 'erased ' || i.id, account_id = null, resolved_at = '9999-01-01T00:00:00Z'
    from former where i.id = former.id returning former.email`.execute(transaction);
  return rows.map(({ email }) => email);
}

export async function hasAddresses(connection: Connection, accountId: string): Promise<boolean> {
  const { rows } = await sql`select from identities where account_id = ${accountId} limit 1`.execute(connection);
  return rows.length > 0;
}

/**
 * Marks the next repositories that count commits of addresses whose account changed, so that these are counted again.
 * @returns the number of addresses; 0 when no repositories are left.
 */
export async function markNextUncounted(connection: Connection, limit = usesAtOnce): Promise<number> {
  return inTransaction(connection, async (transaction) => {
    // Those that are at the same repository go on together.
    const { rows } = await sql<{ id: number; after: string }>`
      select id, forgotten_until as after from identities where forgotten_until = (
        select forgotten_until from identities where forgotten_until is not null order by forgotten_until limit 1)
      order by id limit ${addressesAtOnce} for no key update`.execute(transaction);
    const [first] = rows;
    if (first === undefined) return 0;
    const ids = rows.map(({ id }) => id);
    await saveUncountedUntil(
      transaction,
      ids,
      await markUncountedAfter(transaction, ids, { after: first.after, limit }),
    );
    return ids.length;
  });
}

/**
 * Marks repositories after `after` whose totals may count commits of some addresses, so that all their commits are counted
 * again.
 * @returns the last of them; null when none are left.
 */
async function markUncountedAfter(
  transaction: Connection,
  identityIds: readonly number[],
  { after, limit }: { after: string; limit: number },
): Promise<string | null> {
  // Materialized, because the planner might read the repositories in their order, with all their addresses.
  const { rows: uses } = await sql<{ repositoryId: string }>`
    with used as materialized (
      select repository_id from repository_identities where identity_id = any(${identityIds}::integer[])
    )
    select repository_id as "repositoryId" from used where repository_id > ${after}
    order by repository_id limit ${limit}`.execute(transaction);
  const repositoryIds = [...new Set(uses.map(({ repositoryId }) => repositoryId))];
  // Counts that run at the same time hold these rows (see `markAddressesCounted`): either they see the new accounts, or
  // this statement waits for their end.
  const { rows } = await sql<{ repositoryId: string; isCounted: boolean }>`
    select repository as "repositoryId", is_counted as "isCounted"
    from hold_identity_uses(${repositoryIds}::uuid[], ${identityIds}::integer[])`.execute(transaction);
  const counted = new Set(rows.filter(({ isCounted }) => isCounted).map(({ repositoryId }) => repositoryId));
  if (counted.size > 0) await countAgain(transaction, [...counted]);
  return uses.length < limit ? null : (repositoryIds.at(-1) ?? null);
}

async function saveUncountedUntil(
  transaction: Connection,
  identityIds: readonly number[],
  until: string | null,
): Promise<void> {
  await sql`
    update identities set forgotten_until = ${until}::uuid
    where id = any(${identityIds}::integer[])`.execute(transaction);
}

/**
 * Marks addresses of a repository as counted. Must be called without a limit in the transaction that counts commits, before it
 * reads the addresses' accounts and before it locks the totals: if an account is found later, the repository is counted
 * again. Calls with a limit before it leave few to that transaction.
 * @returns how many were marked.
 */
export async function markAddressesCounted(
  connection: Connection,
  repositoryId: string,
  limit: number | null = null,
): Promise<number> {
  const isUncounted = sql`repository_id = ${repositoryId} and not is_counted`;
  const isAmongFirst =
    limit === null
      ? sql`true`
      : // An array, because IN becomes a loop over all of them for each row.
        sql`identity_id = any(array(
          select identity_id from repository_identities where ${isUncounted} order by identity_id limit ${limit}))`;
  const { numAffectedRows = 0n } = await sql`
    update repository_identities set is_counted = true where ${isUncounted} and ${isAmongFirst}`.execute(connection);
  return Number(numAffectedRows);
}

/** Marks the addresses of a repository as counted, some in each statement. */
export async function markAddressesInParts(
  connection: Connection,
  repositoryId: string,
  { rows, signal }: { rows: number; signal: AbortSignal },
): Promise<void> {
  let marked = rows;
  while (marked === rows) {
    signal.throwIfAborted();
    marked = await markAddressesCounted(connection, repositoryId, rows);
  }
}

/** Stores that another lookup of addresses found nothing: they keep their accounts until they have to be looked up again. */
export async function keepAccounts(connection: Connection, identityIds: readonly number[], now: Date): Promise<void> {
  if (identityIds.length === 0) return;
  await sql`
    update identities set resolved_at = ${now}
    where id = any(${identityIds}::integer[]) and account_id is not null and resolved_at < ${now}`.execute(connection);
}

/** Notes that a lookup of these addresses in a repository found nothing, and when the next one is due. */
export async function postponeAddresses(
  connection: Connection,
  repositoryId: string,
  identityIds: readonly number[],
  now: Date,
): Promise<void> {
  if (identityIds.length === 0) return;
  await sql`
    update repository_identities set attempts = attempts + 1, retry_at = ${now}::timestamptz + make_interval(days =>
      case when attempts + 1 < ${promptAttempts}::integer then 0
        else least(${maxDelayDays}, 2 ^ least(attempts + 1 - ${promptAttempts}, ${maxDoublings}))::integer end)
    where repository_id = ${repositoryId} and identity_id = any(${identityIds}::integer[])`.execute(connection);
}
