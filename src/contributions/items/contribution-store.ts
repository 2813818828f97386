import { type RawBuilder, sql } from 'kysely';
import { checkNamedJob } from '../../accounts/jobs.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { Contribution } from '../../model/contribution.ts';
import { type StoredCounter, storedCounters } from '../../model/kinds.ts';
import { type CountedEntry, entriesAsJson } from '../totals/change-log-store.ts';
import {
  columnsInSql,
  detailColumns,
  headingColumns,
  parentByNumber,
  type ReadContributions,
  rowsInSql,
  toItemKey,
} from './read-rows-store.ts';
import { saveSeen } from './scan-store.ts';
import { type ContributionChange, changeContributions, type State } from './write-store.ts';

/** Compares contributions that were read with the stored ones. */

/** The most accounts that one job checks because a page names them no more. */
const checkedAtOnce = 100;

/** A contribution to store, and the one that it replaces. */
interface Newer {
  contribution: Contribution;
  /** True when it is new, or differs from the stored one in more than the times of its reading. */
  isOther: boolean;
}

const commentKinds = new Set<string>(['issue_comment', 'pull_request_comment', 'review_comment']);

/** The stored contribution that is replaced; its id is null for a new one. */
interface Replaced {
  externalId: string | null;
  itemKind: string;
  number: number | null;
  storedAt: string;
  former: CountedEntry[];
}

/** The columns that every read knows, without the time of the last change. */
const stateColumns = ['account_id', 'answered_by', 'answered', 'created_at', 'closed_at', 'merged_at'];

/** SQL that is true when the read contribution `n` differs from the stored one `c`. */
const isOther = sql<boolean>`(
  coalesce(n.parent, c.parent_external_id) is distinct from c.parent_external_id
  or (${columnsInSql(stateColumns, 'n')}) is distinct from (${columnsInSql(stateColumns, 'c')})
  or (n.title is not null and n.title is distinct from c.title) or (n.number is not null and c.number is null)
  or (n.answered_at is not null and n.answered_at is distinct from c.answered_at)
  or (n.labels is not null and (${columnsInSql(detailColumns, 'n')}) is distinct from (${columnsInSql(detailColumns, 'c')})))`;

/** SQL that is true when the labels of a stored issue or pull request `c` change. */
const haveOtherLabels = sql<boolean>`(
  c.kind in ('issue', 'pull_request') and n.labels is not null and n.labels is distinct from c.labels)`;

/**
 * Stores new contributions and newer states of known ones; an older state never replaces a newer one. A scan leaves
 * unchanged rows alone, because each rewritten row costs an entry in every index; what a full scan has seen is stored
 * beside them (`scan-store.ts`). Must run in a transaction.
 */
export async function saveContributions(
  transaction: Connection,
  read: ReadContributions,
  counters: readonly StoredCounter[] = storedCounters,
): Promise<void> {
  const { repositoryId, seenAt } = read;
  if (read.contributions.length === 0) return;
  const rows = newestOfEach(read.contributions);
  const kinds = rows.map(({ kind }) => kind);
  const externalIds = rows.map(({ externalId }) => externalId);
  await changeContributions(
    transaction,
    repositoryId,
    async (change) => {
      if (read.wholeParents.length > 0) await removeVanishedReviews(change, read);
      const newer = await findNewer(change, read, rows);
      await storeStates(change, read, newer);
      if (read.scan !== undefined || newer.length === rows.length) return;
      // A scan that runs meanwhile must not remove contributions whose stored state is newer.
      await sql`
      update contributions c set seen_at = ${seenAt}
      from unnest(${kinds}::text[], ${externalIds}::text[]) as page (kind, external_id)
      where c.repository_id = ${repositoryId} and c.kind = page.kind and c.external_id = page.external_id
        and c.seen_at < ${seenAt}`.execute(transaction);
    },
    { counters, accountIds: [...read.accountIds.values()] },
  );
  if (read.scan?.isFull === true) {
    await saveSeen(transaction, { repositoryId, stream: read.scan.stream, kinds, externalIds });
  }
}

/** Stores contributions, and notes their states and people. */
async function storeStates(
  change: ContributionChange,
  read: ReadContributions,
  newer: readonly Newer[],
): Promise<void> {
  if (newer.length === 0) return;
  const rows = newer.map(({ contribution }) => contribution);
  const { rows: stored } = await sql<State & { key: string; entries: CountedEntry[] | null }>`
    with stored as (
    insert into contributions as c (
      repository_id, kind, external_id, parent_external_id, account_id, answered_by, answered,
      created_at, updated_at, closed_at, merged_at, seen_at, ${columnsInSql(headingColumns)}, ${columnsInSql(detailColumns)})
    select ${change.repositoryId}::uuid, n.kind, n.external_id, n.parent_external_id, n.account_id, n.answered_by, n.answered,
      n.created_at, n.updated_at, n.closed_at, n.merged_at, ${read.seenAt}, ${columnsInSql(headingColumns, 'n')},
      ${columnsInSql(detailColumns, 'n')}
    from ${rowsInSql(read, rows)} n order by n.place
    on conflict (repository_id, kind, external_id) do update set
      parent_external_id = coalesce(excluded.parent_external_id, c.parent_external_id),
      account_id = excluded.account_id, answered_by = excluded.answered_by, answered = excluded.answered,
      created_at = excluded.created_at, updated_at = excluded.updated_at, closed_at = excluded.closed_at,
      merged_at = excluded.merged_at, seen_at = greatest(c.seen_at, excluded.seen_at), ${keepHeading}, ${keepDetails}
    returning c.*)
    select ${change.state}, c.kind || ' ' || c.external_id as key,
      ${change.replacesAny ? entriesAsJson : sql`null`} as entries from stored c`.execute(change.transaction);
  change.count(stored, 1);
  for (const { key, entries } of stored) change.noteReplaced(key, entries ?? []);
  const changedKeys = new Set(
    newer.filter(({ isOther: differs }) => differs).map(({ contribution }) => toItemKey(contribution)),
  );
  change.affect(stored.filter(({ key }) => changedKeys.has(key)));
}

/** Keeps the stored heading, and the time when a reply was accepted, where the read lacks them. */
const keepHeading = sql`
      title = coalesce(excluded.title, c.title), number = coalesce(excluded.number, c.number),
      answered_at = case when excluded.answered then coalesce(excluded.answered_at, c.answered_at) end`;

/**
 * Keeps the stored details when a contribution was read only for counting: `labels` is null then, and otherwise at
 * least an empty list.
 */
const keepDetails = sql.join(
  detailColumns.map(
    (name) => sql`
      ${sql.ref(name)} = case when excluded.labels is null then c.${sql.ref(name)} else excluded.${sql.ref(name)} end`,
  ),
);

/** Links comments that were read before the issue or pull request that they belong to. Must run in a transaction. */
export async function adoptOrphans(transaction: Connection, repositoryId: string): Promise<void> {
  const { rows } = await sql<{ number: number; parent: string }>`
    select c.number, p.parent
    from (select distinct number from contributions
      where repository_id = ${repositoryId} and parent_external_id is null and number is not null
        and kind in ('issue_comment', 'pull_request_comment', 'review_comment')) c
    cross join lateral (
      select k.external_id as parent from contributions k
      where k.repository_id = ${repositoryId} and k.number = c.number and k.kind in ('issue', 'pull_request')
      limit 1) p`.execute(transaction);
  if (rows.length === 0) return;
  await changeContributions(transaction, repositoryId, (change) =>
    change.setDetails(
      sql`parent_external_id = p.parent
        from json_to_recordset(${JSON.stringify(rows)}::json) as p (number integer, parent text)`,
      sql`c.parent_external_id is null and c.kind in ('issue_comment', 'pull_request_comment', 'review_comment')
        and c.number = p.number`,
    ),
  );
}

/**
 * Returns the newest state of each contribution, because a page may list one twice. They are in the order of their
 * keys, which all writers use, so that they cannot deadlock.
 */
function newestOfEach(contributions: readonly Contribution[]): Contribution[] {
  const newest = new Map<string, Contribution>();
  for (const contribution of contributions) {
    const key = toItemKey(contribution);
    const known = newest.get(key);
    if (known === undefined || known.updatedAt <= contribution.updatedAt) newest.set(key, contribution);
  }
  return [...newest].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, contribution]) => contribution);
}

/** Removes reviews that their host no longer lists, of pull requests whose reviews were all read. */
async function removeVanishedReviews(change: ContributionChange, read: ReadContributions): Promise<void> {
  const listedIds = read.contributions.filter(({ kind }) => kind === 'review').map(({ externalId }) => externalId);
  await change.remove(sql`c.kind = 'review' and c.parent_external_id = any(${read.wholeParents})
    and c.external_id <> all(${listedIds})`);
}

/**
 * Finds the contributions to store. New ones, which deliveries and first scans read, need no comparison: planning that
 * statement takes longer than storing one of them.
 */
async function findNewer(
  change: ContributionChange,
  read: ReadContributions,
  rows: readonly Contribution[],
): Promise<Newer[]> {
  const stored = await findStored(change, rows);
  const isNew = (row: Contribution): boolean => !stored.has(toItemKey(row)) && !lacksParent(row);
  const added = rows.filter(isNew);
  // Their comments may have been read before them.
  await change.affectCommenters(added.filter(hasLabels).map(({ externalId }) => externalId));
  if (added.length === rows.length) return added.map((contribution) => ({ contribution, isOther: true }));
  const compared = await compare(
    change,
    read,
    rows.filter((row) => !isNew(row)),
  );
  return [...added.map((contribution) => ({ contribution, isOther: true })), ...compared].toSorted(
    ({ contribution: one }, { contribution: other }) => (toItemKey(one) < toItemKey(other) ? -1 : 1),
  );
}

function hasLabels({ kind, details }: Contribution): boolean {
  return (kind === 'issue' || kind === 'pull_request') && details !== null && details.labels.length > 0;
}

/** Returns whether the host reports the item of a comment by its number alone. */
function lacksParent({ kind, parentExternalId }: Contribution): boolean {
  return parentExternalId === null && commentKinds.has(kind);
}

/** Returns the keys of those contributions that are stored. */
async function findStored(change: ContributionChange, rows: readonly Contribution[]): Promise<Set<string>> {
  const { rows: found } = await sql<{ kind: string; externalId: string }>`
    select page.kind, page.external_id as "externalId"
    from unnest(${rows.map(({ kind }) => kind)}::text[], ${rows.map(({ externalId }) => externalId)}::text[])
      as page (kind, external_id)
    cross join lateral (${atKey(change.repositoryId, 'page')}) c
    where c.kind = page.kind and c.external_id = page.external_id`.execute(change.transaction);
  return new Set(found.map(({ kind, externalId }) => `${kind} ${externalId}`));
}

/**
 * Returns SQL for the first contribution at the key of a row or after it. The planner can only use the primary key for
 * it, even without statistics of the table; for the key itself it may choose an index of times.
 */
function atKey(repositoryId: string, row: string): RawBuilder<unknown> {
  const key = columnsInSql(['kind', 'external_id'], row);
  return sql`select * from contributions k
      where k.repository_id = ${repositoryId} and (k.kind, k.external_id) >= (${key})
      order by k.kind, k.external_id limit 1`;
}

/** Compares contributions with the stored ones, and notes the states and people that newer ones replace. */
async function compare(
  change: ContributionChange,
  read: ReadContributions,
  rows: readonly Contribution[],
): Promise<Newer[]> {
  const { rows: found } = await sql<
    State &
      Replaced & { place: number; parent: string | null; isOther: boolean; hasLabels: boolean; lost: string | null }
  >`
    select n.place::integer, n.parent, c.external_id as "externalId", c.kind as "itemKind", c.number, c.stored_at::text as "storedAt",
      ${entriesAsJson} as former, ${change.state}, c.external_id is null or ${isOther} as "isOther",
      coalesce(${haveOtherLabels}, false) as "hasLabels", case when n.account_id is null then c.account_id end as lost
    from (select page.*, coalesce(parent_external_id, ${parentByNumber(change.repositoryId)}) as parent
      from ${rowsInSql(read, rows)} as page) n
    left join lateral (${atKey(change.repositoryId, 'n')}) c on c.kind = n.kind and c.external_id = n.external_id
    where c.external_id is null or (c.updated_at, c.seen_at) <= (n.updated_at, ${read.seenAt}::timestamptz)
      and (${read.scan === undefined} or n.updated_at <> c.updated_at or ${isOther})
    order by n.place`.execute(change.transaction);
  const newer = found.flatMap(({ place, parent, isOther: differs }) => {
    const contribution = rows[place - 1];
    return contribution === undefined
      ? []
      : [{ contribution: { ...contribution, parentExternalId: parent }, isOther: differs }];
  });
  change.count(found, -1);
  for (const { externalId, itemKind: kind, number, storedAt, former } of found)
    if (externalId !== null) change.replace({ kind, externalId, number, storedAt, former });
  change.affect(found.filter((row) => row.isOther));
  const relabelled = found.flatMap(({ place, hasLabels }) => (hasLabels ? (rows[place - 1]?.externalId ?? []) : []));
  await change.affectCommenters(relabelled);
  // The host names no author any more, as for accounts that it deleted.
  const lost = [...new Set(found.flatMap((row) => row.lost ?? []))].slice(0, checkedAtOnce);
  if (lost.length > 0) await addJob(change.transaction, checkNamedJob(lost));
  return newer;
}
