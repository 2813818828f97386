import { sql } from 'kysely';
import { findOptedOutEmails } from '../accounts/opt-out-store.ts';
import type { Connection } from '../database/connection.ts';
import { passGate } from '../database/gate.ts';
import { inTransaction } from '../database/transaction.ts';

/** A commit as counting needs it. */
export interface CommitRecord {
  /** Hexadecimal. */
  oid: string;
  authoredAt: Date;
  committedAt: Date;
  /** Author first, then co-authors; lower-cased, distinct. */
  emails: readonly string[];
}

/** An address in commits whose owner is not known yet, and a commit that names it. */
export interface UnresolvedIdentity {
  id: number;
  email: string;
  oid: string;
}

/** After this time an address that belonged to nobody is asked for again: its owner may have added it to an account. */
const nobodyForDays = 30;

/** Gives every address an id, but those that are not to be stored; `identityIds` holds those that are known, by e-mail, and grows. */
async function addIdentities(
  connection: Connection,
  provider: string,
  emails: Iterable<string>,
  identityIds: Map<string, number>,
): Promise<void> {
  const asked = [...new Set(emails)].filter((email) => !identityIds.has(email)).toSorted();
  if (asked.length === 0) return;
  await inTransaction(connection, async (transaction) => {
    await passGate(transaction);
    const optedOut = await findOptedOutEmails(transaction, provider, asked);
    const wanted = asked.filter((email) => !optedOut.includes(email));
    for (const { id, email } of await insertIdentities(transaction, provider, wanted)) identityIds.set(email, id);
  });
}

async function insertIdentities(
  connection: Connection,
  provider: string,
  asked: readonly string[],
): Promise<{ id: number; email: string }[]> {
  const { rows } = await sql<{ id: number; email: string }>`
    with asked as (select unnest(${asked}::text[]) as email),
    known as (select id, email from identities join asked using (email) where provider = ${provider}),
    added as (
      insert into identities (provider, email)
      select ${provider}, email from asked where email not in (select email from known)
      on conflict (provider, email) do update set email = excluded.email
      returning id, email
    )
    select id, email from known union all select id, email from added`.execute(connection);
  return rows;
}

/**
 * Stores batch after batch; while one is being written the next is read.
 * @param options.isCounted whether the repository's commits are in its totals, so that new ones have to be added.
 */
export async function saveAllCommits(
  connection: Connection,
  batches: AsyncIterable<readonly CommitRecord[]>,
  options: { provider: string; repositoryId: string; scanNumber: number; isCounted: boolean },
): Promise<void> {
  const { provider, repositoryId, scanNumber, isCounted } = options;
  const identityIds = new Map<string, number>();
  const used = new Set<number>();
  const save = async (commits: readonly CommitRecord[]): Promise<void> => {
    const emails = commits.flatMap((commit) => commit.emails);
    await addIdentities(connection, provider, emails, identityIds);
    await saveIdentityUse(connection, repositoryId, commits, { identityIds, used });
    await saveCommits(connection, repositoryId, commits, { identityIds, scanNumber, isCounted });
  };
  let saving: Promise<void> = Promise.resolve();
  for await (const commits of batches) {
    await saving;
    saving = save(commits);
    // Its failure is met at the next turn, or at the end.
    saving.catch(() => {});
  }
  await saving;
}

/** Stores commits; of one that is there already a later scan changes its own number, and whose it is as far as may be told. */
async function saveCommits(
  connection: Connection,
  repositoryId: string,
  commits: readonly CommitRecord[],
  options: { identityIds: ReadonlyMap<string, number>; scanNumber: number; isCounted: boolean },
): Promise<void> {
  const { identityIds, scanNumber, isCounted } = options;
  // Joined by us: the driver's own way of writing long arrays takes longer than all the rest.
  const joined = (write: (commit: CommitRecord) => string | number): string => commits.map(write).join(' ');
  const oids = joined(({ oid }) => oid);
  const authoredAt = joined((commit) => commit.authoredAt.getTime() / 1000);
  const committedAt = joined((commit) => commit.committedAt.getTime() / 1000);
  const identities = joined(({ emails }) => `{${emails.flatMap((email) => identityIds.get(email) ?? []).join(',')}}`);
  const save = sql<{ oid: Buffer; is_new: boolean }>`
    insert into commits as c (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
    select ${repositoryId}, decode(oid, 'hex'), to_timestamp(authored_at), to_timestamp(committed_at),
      ${scanNumber}::integer, identity_ids::integer[]
    from unnest(
      string_to_array(${oids}, ' '), string_to_array(${authoredAt}, ' ')::float8[],
      string_to_array(${committedAt}, ' ')::float8[], string_to_array(${identities}, ' ')
    ) as u (oid, authored_at, committed_at, identity_ids)
    on conflict (repository_id, oid) do update set scan_number = excluded.scan_number,
      identity_ids = excluded.identity_ids
    where c.scan_number < excluded.scan_number`;
  if (!isCounted) await save.execute(connection);
  else {
    await sql`
      with saved as (${save} returning oid, xmax = 0 as is_new)
      insert into uncounted_commits (repository_id, oid)
      select ${repositoryId}, oid from saved where is_new on conflict do nothing`.execute(connection);
  }
}

/** Remembers which addresses a repository's commits hold. @param options.used those that were remembered before; grows. */
async function saveIdentityUse(
  connection: Connection,
  repositoryId: string,
  commits: readonly CommitRecord[],
  { identityIds, used }: { identityIds: ReadonlyMap<string, number>; used: Set<number> },
): Promise<void> {
  const fresh = new Map<number, string>();
  for (const { oid, emails } of commits) {
    for (const email of emails) {
      const id = identityIds.get(email);
      if (id !== undefined && !used.has(id)) fresh.set(id, oid);
    }
  }
  if (fresh.size === 0) return;
  await sql`
    insert into repository_identities (repository_id, identity_id, oid)
    select ${repositoryId}, id, decode(oid, 'hex') from unnest(${[...fresh.keys()]}::integer[], ${[...fresh.values()]}::text[]) as u (id, oid)
    order by id on conflict do nothing`.execute(connection);
  for (const id of fresh.keys()) used.add(id);
}

/** Removes commits that the branch no longer holds. */
export async function removeCommits(
  connection: Connection,
  repositoryId: string,
  oids: readonly string[],
): Promise<void> {
  const lost = oids.map((oid) => `\\x${oid}`);
  await sql`
    with uncounted as (
      delete from uncounted_commits where repository_id = ${repositoryId} and oid = any(${lost}::bytea[])
    )
    delete from commits where repository_id = ${repositoryId} and oid = any(${lost}::bytea[])`.execute(connection);
}

/** Removes commits that scans before `scanNumber` saw and that one did not. */
export async function removeUnseenCommits(
  connection: Connection,
  repositoryId: string,
  scanNumber: number,
): Promise<void> {
  await connection
    .deleteFrom('commits')
    .where('repository_id', '=', repositoryId)
    .where('scan_number', '<', scanNumber)
    .execute();
}

/** All addresses in a repository's commits that have to be looked up. */
export async function findUnresolvedIdentities(
  connection: Connection,
  repositoryId: string,
  now: Date,
): Promise<UnresolvedIdentity[]> {
  const { rows } = await sql<UnresolvedIdentity>`
    select i.id, i.email, encode(used.oid, 'hex') as oid
    from repository_identities used join identities i on i.id = used.identity_id
    where used.repository_id = ${repositoryId} and (i.resolved_at is null
      or (i.account_id is null and i.resolved_at < ${now}::timestamptz - make_interval(days => ${nobodyForDays}::integer)))
    order by i.id`.execute(connection);
  return rows;
}

/**
 * Stores whose addresses are: an account's id, or null for nobody's. Repositories whose commits of an address are counted
 * already, as somebody else's or nobody's, have to be counted anew.
 */
export async function saveResolved(
  connection: Connection,
  resolved: readonly { id: number; accountId: string | null }[],
  now: Date,
): Promise<void> {
  await sql`
    with before as (
      select i.id, i.account_id, r.account_id as found_id
      from identities i
      join json_to_recordset(${JSON.stringify(resolved.map(({ id, accountId }) => ({ id, account_id: accountId })))}::json)
        as r (id integer, account_id uuid) using (id)
    ), saved as (
      update identities i set account_id = b.found_id, resolved_at = ${now} from before b where i.id = b.id
    )
    update repository_totals t set commits_counted = false
    where repository_id in (
      select used.repository_id from before b join repository_identities used on used.identity_id = b.id
      where b.account_id is distinct from b.found_id and not exists (
        select from uncounted_commits u where u.repository_id = used.repository_id and u.oid = used.oid))`.execute(
    connection,
  );
}

/** Repositories of which all commits have to be counted anew, though nobody is reading them for the first time. */
export async function findUncounted(
  connection: Connection,
  limit: number,
): Promise<{ id: string; ownerId: string; name: string }[]> {
  const { rows } = await sql<{ id: string; ownerId: string; name: string }>`
    select r.id, r.owner_id as "ownerId", r.name
    from repository_totals t
    join streams s on s.repository_id = t.repository_id and s.name = 'commits'
    join repositories r on r.id = t.repository_id
    where not t.commits_counted and s.completed_at is not null and r.gone_at is null and not r.is_fork
      and r.default_branch <> ''
    order by random() limit ${limit}`.execute(connection);
  return rows;
}
