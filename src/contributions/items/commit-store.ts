import { type RawBuilder, sql } from 'kysely';
import { findOptedOutEmails } from '../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import { takeSharedErasureLock } from '../../database/schema/erasure.ts';
import { isAgentAddress } from '../../model/agents.ts';
import { notePeopleOfCommits } from '../totals/affected-store.ts';
import { logRemovedCommits } from '../totals/change-log-store.ts';
import { restartRecount } from './commits-again-store.ts';
import { toTitle } from './read-rows-store.ts';
import { holdRepository } from './write-store.ts';

/** The most commits that one transaction removes, some tenths of a second for all of them. */
const removedAtOnce = 10_000;

/** The parts of a commit that counting needs. */
export interface CommitRecord {
  /** Hexadecimal. */
  oid: string;
  authoredAt: Date;
  committedAt: Date;
  /** Author first, then co-authors; lower-cased, distinct. */
  emails: readonly string[];
  /** The first line of the message; absent: not known. */
  subject?: string;
  /** True when a trailer says that a program helped. */
  isAssisted?: boolean;
}

/**
 * Assigns ids to addresses, except those that must not be stored. `identityIds` holds the known ids by e-mail address;
 * new ones are added to it.
 */
async function addIdentities(
  connection: Connection,
  provider: string,
  emails: Iterable<string>,
  identityIds: Map<string, number>,
): Promise<void> {
  const unknownEmails = [...new Set(emails)].filter((email) => !identityIds.has(email)).toSorted();
  if (unknownEmails.length === 0) return;
  await inTransaction(connection, async (transaction) => {
    await takeSharedErasureLock(transaction);
    const optedOut = await findOptedOutEmails(transaction, provider, unknownEmails);
    const storedEmails = unknownEmails.filter((email) => !optedOut.includes(email));
    for (const { id, email } of await insertIdentities(transaction, provider, storedEmails)) identityIds.set(email, id);
  });
}

/** Inserts the addresses that are not stored yet. Returns all of them with their ids. */
async function insertIdentities(
  connection: Connection,
  provider: string,
  emails: readonly string[],
): Promise<{ id: number; email: string }[]> {
  // An update on conflict would lock stored rows in the order of addresses. Foreign keys lock them in the order of ids.
  await sql`
    insert into identities (provider, email)
    select ${provider}, email from unnest(${emails}::text[]) as wanted (email)
    where not exists (select from identities i where i.provider = ${provider} and i.email = wanted.email)
    on conflict (provider, email) do nothing`.execute(connection);
  const { rows } = await sql<{ id: number; email: string }>`
    select id, email from identities
    where provider = ${provider} and email = any(${emails}::text[])`.execute(connection);
  return rows;
}

/**
 * Stores commits batch by batch, and reads the next batch while one is being written.
 * @param options.isCounted true when the repository's commits are in its totals, so that new ones have to be added.
 */
export async function saveAllCommits(
  connection: Connection,
  batches: AsyncIterable<readonly CommitRecord[]>,
  options: { provider: string; repositoryId: string; scanNumber: number; isCounted: boolean },
): Promise<void> {
  const { provider, repositoryId, scanNumber, isCounted } = options;
  const identityIds = new Map<string, number>();
  const used = new Map<number, boolean>();
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
    // A failure is thrown with the next batch, or at the end.
    saving.catch(() => {});
  }
  await saving;
}

/**
 * Stores commits. A later scan that reads a stored commit replaces everything but its times; a lacking subject is kept.
 */
async function saveCommits(
  connection: Connection,
  repositoryId: string,
  commits: readonly CommitRecord[],
  options: { identityIds: ReadonlyMap<string, number>; scanNumber: number; isCounted: boolean },
): Promise<void> {
  const { identityIds, scanNumber, isCounted } = options;
  // Joined here, because the driver's own serialization of long arrays takes longer than all the rest.
  const joined = (write: (commit: CommitRecord) => string | number): string => commits.map(write).join(' ');
  const oids = joined(({ oid }) => oid);
  const authoredAt = joined((commit) => commit.authoredAt.getTime() / 1000);
  const committedAt = joined((commit) => commit.committedAt.getTime() / 1000);
  const identities = joined(({ emails }) => `{${emails.flatMap((email) => identityIds.get(email) ?? []).join(',')}}`);
  const assisted = joined(({ isAssisted, emails }) => Number(isAssisted === true || emails.some(isAgentAddress)));
  // A cleaned subject is one line.
  const subjects = commits.map(({ subject }) => toTitle(subject) ?? '').join('\n');
  const insert = sql`
    insert into commits as c (repository_id, oid, authored_at, committed_at, scan_number, identity_ids, assisted, subject)
    select ${repositoryId}::uuid, decode(oid, 'hex'), to_timestamp(authored_at), to_timestamp(committed_at),
      ${scanNumber}::integer, identity_ids::integer[], assisted::boolean, nullif(subject, '')
    from unnest(
      string_to_array(${oids}, ' '), string_to_array(${authoredAt}, ' ')::float8[],
      string_to_array(${committedAt}, ' ')::float8[], string_to_array(${identities}, ' '),
      string_to_array(${assisted}, ' '), string_to_array(${subjects}, chr(10))
    ) as u (oid, authored_at, committed_at, identity_ids, assisted, subject)`;
  const save = sql`${insert}
    on conflict (repository_id, oid) do update set scan_number = excluded.scan_number,
      identity_ids = excluded.identity_ids, assisted = excluded.assisted, subject = coalesce(excluded.subject, c.subject)
    where c.scan_number < excluded.scan_number`;
  await inTransaction(connection, async (transaction) => {
    if (await holdRepository(transaction, repositoryId)) {
      await notePeopleOfSaved(transaction, repositoryId, commits, identityIds);
    }
    if (isCounted) {
      // A statement that also replaces stored ones cannot return which are new: partitions have no system columns.
      const { rows: added } = await sql<{ oid: string }>`
        ${insert} on conflict do nothing returning encode(oid, 'hex') as oid`.execute(transaction);
      if (added.length > 0) await addUncounted(transaction, repositoryId, added);
      if (added.length === commits.length) return;
    }
    await save.execute(transaction);
    if (!isCounted) await restartRecount(transaction, repositoryId);
  });
}

async function addUncounted(
  transaction: Connection,
  repositoryId: string,
  added: readonly { oid: string }[],
): Promise<void> {
  await sql`
    insert into uncounted_commits (repository_id, oid)
    select ${repositoryId}::uuid, decode(oid, 'hex') from unnest(string_to_array(${added.map(({ oid }) => oid).join(' ')}, ' ')) as u (oid)
    on conflict do nothing`.execute(transaction);
}

/** Notes the people of commits that are not stored yet, or stored with other people. */
async function notePeopleOfSaved(
  transaction: Connection,
  repositoryId: string,
  commits: readonly CommitRecord[],
  identityIds: ReadonlyMap<string, number>,
): Promise<void> {
  const oids = commits.map(({ oid }) => oid).join(' ');
  const { rows } = await sql<{ oid: string; ids: number[] }>`
    select encode(c.oid, 'hex') as oid, identity_ids as ids
    from unnest(string_to_array(${oids}, ' ')) as u (oid)
    join commits c on c.repository_id = ${repositoryId} and c.oid = decode(u.oid, 'hex')`.execute(transaction);
  const before = new Map(rows.map(({ oid, ids }) => [oid, ids]));
  const people = commits.flatMap(({ oid, emails }) => {
    const [earlier, ids] = [before.get(oid), emails.flatMap((email) => identityIds.get(email) ?? [])];
    return earlier?.join() === ids.join() ? [] : [...(earlier ?? []), ...ids];
  });
  await notePeopleOfCommits(transaction, repositoryId, people);
}

/**
 * Stores which addresses a repository's commits name. An address that was only a co-author is looked up again at once
 * when it authors a commit for the first time: hosts show more about authors than about co-authors.
 * @param options.used the ids of the addresses that this scan has stored, with true for an author; the function adds
 *   new ones.
 */
async function saveIdentityUse(
  connection: Connection,
  repositoryId: string,
  commits: readonly CommitRecord[],
  { identityIds, used }: { identityIds: ReadonlyMap<string, number>; used: Map<number, boolean> },
): Promise<void> {
  const fresh = new Map<number, boolean>();
  for (const { emails } of commits) {
    for (const [index, email] of emails.entries()) {
      const id = identityIds.get(email);
      const isAuthor = index === 0;
      if (id === undefined || used.get(id) === true || used.get(id) === isAuthor) continue;
      used.set(id, isAuthor);
      fresh.set(id, isAuthor);
    }
  }
  if (fresh.size === 0) return;
  await inTransaction(connection, async (transaction) => {
    await holdRepository(transaction, repositoryId);
    // Until the end, no account is found for these addresses: `saveResolved` would not see this repository.
    await sql`
      select from identities where id = any(${[...fresh.keys()]}::integer[])
      order by id for share`.execute(transaction);
    await sql`
      insert into repository_identities as stored (repository_id, identity_id, is_author)
      select ${repositoryId}::uuid, id, is_author
      from unnest(${[...fresh.keys()]}::integer[], ${[...fresh.values()]}::boolean[]) as u (id, is_author) order by id
      on conflict (repository_id, identity_id) do update set is_author = true, attempts = 0, retry_at = null
      where excluded.is_author and not stored.is_author`.execute(transaction);
  });
}

/** Removes commits that the branch no longer contains. Must run in a transaction. */
export async function removeCommits(
  transaction: Connection,
  repositoryId: string,
  oids: readonly string[],
): Promise<void> {
  const isLost = isAmongOids(oids);
  await sql`delete from uncounted_commits c where c.repository_id = ${repositoryId} and ${isLost}`.execute(transaction);
  await changeCommits(transaction, repositoryId, 'remove', isLost);
}

/**
 * Removes commits that earlier scans saw and the scan `scanNumber` did not, some in each transaction, so that events do not
 * wait while a history is replaced.
 * @param atOnce the most commits that one transaction removes.
 */
export async function removeUnseenCommits(
  connection: Connection,
  repositoryId: string,
  scanNumber: number,
  atOnce = removedAtOnce,
): Promise<void> {
  const isUnseen = sql<boolean>`c.scan_number < ${scanNumber}`;
  for (let last: string | undefined = ''; last !== undefined; ) {
    const { rows } = await sql<{ oid: string }>`
      select encode(c.oid, 'hex') as oid from commits c
      where c.repository_id = ${repositoryId} and c.oid > decode(${last}, 'hex') and ${isUnseen}
      order by c.oid limit ${atOnce}`.execute(connection);
    const oids = rows.map(({ oid }) => oid);
    const isFound = isAmongOids(oids);
    await inTransaction(connection, (transaction) =>
      changeCommits(transaction, repositoryId, 'remove', sql`${isFound} and ${isUnseen}`),
    );
    last = oids.at(-1);
  }
}

function isAmongOids(oids: readonly string[]): RawBuilder<boolean> {
  return sql`c.oid = any(${oids.map((oid) => `\\x${oid}`)}::bytea[])`;
}

/**
 * Changes columns of commits `c` on which no counter depends. Must run in a transaction.
 * @param assignments the part of UPDATE from SET to its condition.
 */
export async function setCommitDetails(
  transaction: Connection,
  repositoryId: string,
  assignments: RawBuilder<unknown>,
  condition: RawBuilder<boolean>,
): Promise<void> {
  await changeCommits(transaction, repositoryId, assignments, condition);
}

/** Changes or removes stored commits, and notes their people. Removed ones are logged. */
async function changeCommits(
  transaction: Connection,
  repositoryId: string,
  change: RawBuilder<unknown> | 'remove',
  condition: RawBuilder<boolean>,
): Promise<void> {
  const isFollowed = await holdRepository(transaction, repositoryId);
  const matching = sql`where c.repository_id = ${repositoryId} and ${condition}`;
  const changed =
    change === 'remove'
      ? sql`removed as (delete from commits c ${matching} returning c.*), ${logRemovedCommits}, changed as (select * from removed)`
      : sql`changed as (update commits c set ${change} ${matching} returning c.identity_ids)`;
  const { rows } = await sql<{ id: number }>`
    with ${changed} select distinct unnest(identity_ids) as id from changed
    where ${isFollowed}::boolean`.execute(transaction);
  await notePeopleOfCommits(
    transaction,
    repositoryId,
    rows.map(({ id }) => id),
  );
  if (change === 'remove') await restartRecount(transaction, repositoryId);
}
