import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { inTransaction } from '../../database/connections/transaction.ts';
import type { PendingKind } from '../../model/contribution.ts';
import { holdRepository } from './write-store.ts';

/**
 * Details of all commits or pull requests of a repository are noted as pending in parts, because events of the repository
 * wait for each transaction that does so. A row with an empty key stands for the items after `noted_until` that are still
 * to be noted, so that the detail counts as pending from the beginning. Pending details that achievements do not need any
 * more are deleted in the same way.
 */

/**
 * The meaning of a row with an empty key: to note all items, or those without the detail, or to delete the noted ones.
 * Stored files of pull requests may be outdated when achievements need them again, so all of these are noted.
 */
type PendingRest = 'all' | 'absent' | 'forget';

/** The most rows that one transaction adds or deletes. */
const rowsAtOnce = 10_000;

/** The items that have a detail. */
interface Items {
  table: 'commits' | 'contributions';
  isItem: RawBuilder<boolean>;
  /** The column in whose order the items are noted; null where an item has no key. */
  position: string;
  toPosition: (key: string) => RawBuilder<unknown>;
  key: RawBuilder<string>;
  /** The column that is null while the detail is absent. */
  column: string;
}

const commits: Omit<Items, 'column'> = {
  table: 'commits',
  isItem: sql<boolean>`true`,
  position: 'oid',
  toPosition: (key) => sql`decode(${key}, 'hex')`,
  key: sql<string>`encode(oid, 'hex')`,
};

const itemsByKind: Readonly<Record<PendingKind, Items>> = {
  commit_lines: { ...commits, column: 'additions' },
  commit_files: { ...commits, column: 'files' },
  commit_languages: { ...commits, column: 'languages' },
  pull_request_files: {
    table: 'contributions',
    isItem: sql<boolean>`kind = 'pull_request'`,
    position: 'number',
    toPosition: (key) => sql`${key === '' ? -1 : Number(key)}::integer`,
    key: sql<string>`number::text`,
    column: 'files',
  },
};

export type CommitDetail = Exclude<PendingKind, 'pull_request_files'>;
export const commitDetails = ['commit_lines', 'commit_files', 'commit_languages'] as const satisfies CommitDetail[];
export const pendingKinds = [...commitDetails, 'pull_request_files'] as const satisfies PendingKind[];

/** Returns SQL for the items of a repository after a key, from FROM on. */
function itemsAfter(
  repositoryId: string,
  { table, isItem, position, toPosition }: Items,
  key: string,
): RawBuilder<unknown> {
  return sql`from ${sql.table(table)}
    where repository_id = ${repositoryId} and ${isItem} and ${sql.ref(position)} > ${toPosition(key)}`;
}

/** Returns SQL for the condition of the items that have to be noted. */
function isToNote({ column }: Items, rest: PendingRest): RawBuilder<boolean> {
  return rest === 'all' ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} is null`;
}

/**
 * Requests that a detail is noted as pending for all stored items, or for those without it, by `notePendingDetails`. Must
 * run in a transaction that holds the repository.
 */
export async function addPendingForAll(
  transaction: Connection,
  repositoryId: string,
  detail: PendingKind,
  rest: 'all' | 'absent' = 'absent',
): Promise<void> {
  const items = itemsByKind[detail];
  await sql`
    insert into pending_details as p (repository_id, detail, key, rest)
    select ${repositoryId}, ${detail}, '', ${rest}
    where exists (select ${itemsAfter(repositoryId, items, '')} and ${isToNote(items, rest)})
    on conflict (repository_id, detail, key) do update set noted_until = '',
      rest = case when p.rest = 'all' then p.rest else excluded.rest end`.execute(transaction);
}

/** Requests that a pending detail is deleted by `notePendingDetails`. Must run in a transaction that holds the repository. */
export async function deleteAllPending(
  transaction: Connection,
  repositoryId: string,
  detail: PendingKind,
): Promise<void> {
  await sql`
    insert into pending_details (repository_id, detail, key, rest)
    select ${repositoryId}, ${detail}, '', 'forget' where exists (
      select from pending_details where repository_id = ${repositoryId} and detail = ${detail})
    on conflict (repository_id, detail, key) do update set rest = 'forget'`.execute(transaction);
}

/** Notes and deletes the details of a repository as was requested, some in each transaction. */
export async function notePendingDetails(
  connection: Connection,
  repositoryId: string,
  { signal, limit = rowsAtOnce }: { signal: AbortSignal; limit?: number },
): Promise<void> {
  for (const detail of pendingKinds) {
    let end: 'more' | 'done' = 'more';
    while (end === 'more') {
      signal.throwIfAborted();
      end = await inTransaction(connection, (to) => noteNext(to, repositoryId, detail, limit));
    }
  }
}

async function noteNext(
  transaction: Connection,
  repositoryId: string,
  detail: PendingKind,
  limit: number,
): Promise<'more' | 'done'> {
  await holdRepository(transaction, repositoryId);
  const ofDetail = sql<boolean>`repository_id = ${repositoryId} and detail = ${detail}`;
  const { rows } = await sql<{ from: string; rest: PendingRest }>`
    select noted_until as from, rest from pending_details
    where ${ofDetail} and key = '' for update`.execute(transaction);
  const [requested] = rows;
  if (requested === undefined) return 'done';
  const until =
    requested.rest === 'forget'
      ? await deleteSomePending(transaction, ofDetail, limit)
      : await noteSome(transaction, repositoryId, detail, { ...requested, limit });
  await (until === undefined
    ? sql`delete from pending_details where ${ofDetail} and key = ''`
    : sql`update pending_details set noted_until = ${until} where ${ofDetail} and key = ''`
  ).execute(transaction);
  return until === undefined ? 'done' : 'more';
}

/** @returns the key of the last item that was read; undefined when no items are left. */
async function noteSome(
  transaction: Connection,
  repositoryId: string,
  detail: PendingKind,
  { from, rest, limit }: { from: string; rest: PendingRest; limit: number },
): Promise<string | undefined> {
  const items = itemsByKind[detail];
  const { key, toPosition } = items;
  const position = sql.ref(items.position);
  const after = itemsAfter(repositoryId, items, from);
  const { rows } = await sql<{ until: string }>`
    select ${key} as until ${after} order by ${position} offset ${limit - 1} limit 1`.execute(transaction);
  const until = rows[0]?.until;
  await sql`
    insert into pending_details (repository_id, detail, key)
    select repository_id, ${detail}, ${key} ${after} and ${isToNote(items, rest)}
      and ${until === undefined ? sql`true` : sql`${position} <= ${toPosition(until)}`}
    order by ${position} on conflict do nothing`.execute(transaction);
  return until;
}

/** @returns undefined when no details are left. */
async function deleteSomePending(
  transaction: Connection,
  ofDetail: RawBuilder<boolean>,
  limit: number,
): Promise<string | undefined> {
  const { numAffectedRows = 0n } = await sql`
    delete from pending_details where ${ofDetail} and key = any(array(
      select key from pending_details where ${ofDetail} and key <> ''
      order by key limit ${limit}))`.execute(transaction);
  return Number(numAffectedRows) < limit ? undefined : '';
}

/** Deletes the pending files or languages of commits that no longer belong to the repository, some in each statement. */
export async function deleteLostCommits(
  connection: Connection,
  repositoryId: string,
  detail: CommitDetail,
  limit = rowsAtOnce,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const isLater: RawBuilder<boolean> = sql`p.repository_id = ${repositoryId} and p.detail = ${detail} and p.key > ${after}`;
    const { rows } = await sql<{ until: string }>`
      select key as until from pending_details p where ${isLater}
      order by key offset ${limit - 1} limit 1`.execute(connection);
    const until: string | undefined = rows[0]?.until;
    await sql`
      delete from pending_details p
      where ${isLater} and ${until === undefined ? sql`true` : sql`p.key <= ${until}`} and not exists (
        select from commits c
        where c.repository_id = p.repository_id and c.oid = decode(p.key, 'hex'))`.execute(connection);
    after = until;
  }
}
