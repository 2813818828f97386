import { type RawBuilder, sql } from 'kysely';
import { checkNamedJob } from '../../accounts/jobs.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { Contribution } from '../../model/contribution.ts';
import { type CountedEntry, entriesAsJson } from '../totals/change-store.ts';
import { columnsOf, detailColumns, keyOf, pageOf, parentByNumber, type ReadContributions } from './read-rows-store.ts';
import type { ContributionChange, State } from './write-store.ts';

/** Compares contributions that were read with the stored ones. */

/** The most accounts that one job checks because a page names them no more. */
const checkedAtOnce = 100;

/** A contribution to store, and the one that it replaces. */
export interface Newer {
  contribution: Contribution;
  /** True when it is new, or differs from the stored one in more than the times of its reading. */
  isOther: boolean;
}

/**
 * Finds the contributions to store. New ones, which deliveries and first scans read, need no comparison: planning that
 * statement takes longer than storing one of them.
 */
export async function findNewer(
  change: ContributionChange,
  read: ReadContributions,
  rows: readonly Contribution[],
): Promise<Newer[]> {
  const stored = await findStored(change, rows);
  const isNew = (row: Contribution): boolean => !stored.has(keyOf(row)) && !lacksParent(row);
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
    ({ contribution: one }, { contribution: other }) => (keyOf(one) < keyOf(other) ? -1 : 1),
  );
}

function hasLabels({ kind, details }: Contribution): boolean {
  return (kind === 'issue' || kind === 'pull_request') && details !== null && details.labels.length > 0;
}

/** Returns whether the host reports the item of a comment by its number alone. */
function lacksParent({ kind, parentExternalId }: Contribution): boolean {
  return parentExternalId === null && commentKinds.has(kind);
}

const commentKinds = new Set<string>(['issue_comment', 'pull_request_comment', 'review_comment']);

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
  const key = columnsOf(['kind', 'external_id'], row);
  return sql`select * from contributions k
      where k.repository_id = ${repositoryId} and (k.kind, k.external_id) >= (${key})
      order by k.kind, k.external_id limit 1`;
}

/** The stored contribution that is replaced; its id is null for a new one. */
interface Replaced {
  externalId: string | null;
  itemKind: string;
  number: number | null;
  storedAt: string;
  former: CountedEntry[];
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
      from ${pageOf(read, rows)} as page) n
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

/** The columns that every read knows, without the time of the last change. */
const stateColumns = ['account_id', 'answered_by', 'answered', 'created_at', 'closed_at', 'merged_at'];

/** SQL that is true when the read contribution `n` differs from the stored one `c`. */
const isOther = sql<boolean>`(
  coalesce(n.parent, c.parent_external_id) is distinct from c.parent_external_id
  or (${columnsOf(stateColumns, 'n')}) is distinct from (${columnsOf(stateColumns, 'c')})
  or (n.title is not null and n.title is distinct from c.title) or (n.number is not null and c.number is null)
  or (n.answered_at is not null and n.answered_at is distinct from c.answered_at)
  or (n.labels is not null and (${columnsOf(detailColumns, 'n')}) is distinct from (${columnsOf(detailColumns, 'c')})))`;

/** SQL that is true when the labels of a stored issue or pull request `c` change. */
const haveOtherLabels = sql<boolean>`(
  c.kind in ('issue', 'pull_request') and n.labels is not null and n.labels is distinct from c.labels)`;
