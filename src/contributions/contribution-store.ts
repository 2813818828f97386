import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import type { Contribution } from './contribution.ts';
import { type StoredCounter, storedCounters } from './kinds.ts';
import { saveSeen } from './scan-store.ts';
import { toTitle } from './title.ts';
import { type ContributionChange, changeContributions, type State } from './write-store.ts';

/** Contributions that a scan of one repository has read. */
export interface ReadContributions {
  repositoryId: string;
  contributions: readonly Contribution[];
  /** Ids of the stored accounts that the contributions name, by external id. */
  accountIds: ReadonlyMap<string, string>;
  /** Pull requests whose reviews are all among the contributions. */
  wholeParents: readonly string[];
  /** The time when the scan began. */
  seenAt: Date;
  /** The scan that read them; absent: a delivery or a poll reported them. */
  scan?: { stream: string; isFull: boolean };
}

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
    counters,
  );
  if (read.scan?.isFull === true) {
    await saveSeen(transaction, { repositoryId, stream: read.scan.stream, kinds, externalIds });
  }
}

/** A contribution to store, and the one that it replaces. */
interface Newer {
  contribution: Contribution;
  /** True when it is new, or differs from the stored one in more than the times of its reading. */
  isOther: boolean;
}

/** Finds the contributions to store, and notes the states and people that they replace. */
async function findNewer(
  change: ContributionChange,
  read: ReadContributions,
  rows: readonly Contribution[],
): Promise<Newer[]> {
  const { rows: found } = await sql<
    State & { place: number; parent: string | null; isOther: boolean; hasLabels: boolean }
  >`
    select n.place::integer, n.parent, ${change.state}, c.external_id is null or ${isOther} as "isOther",
      coalesce(${haveOtherLabels}, false) as "hasLabels"
    from (select page.*, coalesce(parent_external_id, ${parentByNumber(change.repositoryId)}) as parent
      from ${pageOf(read, rows)} as page) n
    left join lateral (
      select * from contributions k
      where k.repository_id = ${change.repositoryId} and k.kind = n.kind and k.external_id = n.external_id
      limit 1) c on true
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
  change.affect(found.filter((one) => one.isOther));
  const relabelled = found.flatMap(({ place, hasLabels }) => (hasLabels ? (rows[place - 1]?.externalId ?? []) : []));
  if (change.isEvaluated && relabelled.length > 0) await affectCommenters(change, relabelled);
  return newer;
}

/** Stores contributions, and notes their states and people. */
async function storeStates(
  change: ContributionChange,
  read: ReadContributions,
  newer: readonly Newer[],
): Promise<void> {
  if (newer.length === 0) return;
  const rows = newer.map(({ contribution }) => contribution);
  const { rows: stored } = await sql<State & { key: string }>`
    insert into contributions as c (
      repository_id, kind, external_id, parent_external_id, account_id, answered_by, answered,
      created_at, updated_at, closed_at, merged_at, seen_at, ${columnsOf(headingColumns)}, ${columnsOf(detailColumns)})
    select ${change.repositoryId}, n.kind, n.external_id, n.parent_external_id, n.account_id, n.answered_by, n.answered,
      n.created_at, n.updated_at, n.closed_at, n.merged_at, ${read.seenAt}, ${columnsOf(headingColumns, 'n')},
      ${columnsOf(detailColumns, 'n')}
    from ${pageOf(read, rows)} n order by n.place
    on conflict (repository_id, kind, external_id) do update set
      parent_external_id = coalesce(excluded.parent_external_id, c.parent_external_id),
      account_id = excluded.account_id, answered_by = excluded.answered_by, answered = excluded.answered,
      created_at = excluded.created_at, updated_at = excluded.updated_at, closed_at = excluded.closed_at,
      merged_at = excluded.merged_at, seen_at = greatest(c.seen_at, excluded.seen_at), ${keepHeading}, ${keepDetails}
    returning ${change.state}, c.kind || ' ' || c.external_id as key`.execute(change.transaction);
  change.count(stored, 1);
  const others = new Set(
    newer.filter(({ isOther: differs }) => differs).map(({ contribution }) => keyOf(contribution)),
  );
  change.affect(stored.filter(({ key }) => others.has(key)));
}

/** Notes those who commented on issues and pull requests whose labels changed. */
async function affectCommenters(change: ContributionChange, parents: readonly string[]): Promise<void> {
  const { rows } = await sql<{ kind: string; people: string }>`
    select distinct c.kind, c.account_id as people from contributions c
    where c.repository_id = ${change.repositoryId} and c.parent_external_id = any(${[...parents]}::text[])
      and c.kind in ('issue_comment', 'pull_request_comment', 'review_comment') and c.account_id is not null`.execute(
    change.transaction,
  );
  change.affect(rows);
}

/** Returns SQL for contributions as rows, with their `place` from 1 on. */
function pageOf({ accountIds }: ReadContributions, rows: readonly Contribution[]): RawBuilder<unknown> {
  const idOf = (externalId: string | null): string | null =>
    externalId === null ? null : (accountIds.get(externalId) ?? null);
  const column = <Value>(readOf: (contribution: Contribution) => Value): Value[] => rows.map(readOf);
  const details = rows.flatMap((contribution, index) => toDetails(contribution, index + 1, idOf));
  return sql`(select page.kind, page.external_id, page.parent_external_id, page.account_id, page.answered_by, page.answered,
      page.created_at, page.updated_at, page.closed_at, page.merged_at, place, page.title,
      coalesce(d.number, page.number) as number, coalesce(d.answered_at, page.answered_at) as answered_at,
      ${columnsOf(detailColumns, 'd')}
    from unnest(
      ${column(({ kind }) => kind)}::text[], ${column(({ externalId }) => externalId)}::text[],
      ${column(({ parentExternalId }) => parentExternalId)}::text[], ${column(({ author }) => idOf(author))}::uuid[],
      ${column(({ answeredBy }) => idOf(answeredBy))}::uuid[], ${column(({ answered }) => answered)}::boolean[],
      ${column(({ createdAt }) => createdAt)}::timestamptz[], ${column(({ updatedAt }) => updatedAt)}::timestamptz[],
      ${column(({ closedAt }) => closedAt)}::timestamptz[], ${column(({ mergedAt }) => mergedAt)}::timestamptz[],
      ${column(({ heading }) => toTitle(heading?.title))}::text[], ${column(({ heading }) => heading?.number)}::integer[],
      ${column(({ answeredAt }) => answeredAt)}::timestamptz[]
    ) with ordinality as page (kind, external_id, parent_external_id, account_id, answered_by, answered, created_at,
      updated_at, closed_at, merged_at, title, number, answered_at, place)
    left join json_to_recordset(${JSON.stringify(details)}::json) as d (
      place bigint, number integer, resolved_by uuid, merged_by uuid, answered_at timestamptz, assignees uuid[], reviewers uuid[],
      labels text[], emojis text[], reactors uuid[], comments integer, upvotes integer, additions integer,
      deletions integer, changed_files integer, commits integer, reason text) using (place))`;
}

/** The columns that reads may know without the details. */
const headingColumns = ['title', 'number', 'answered_at'] as const;

/** Keeps the stored heading, and the time when a reply was accepted, where the read lacks them. */
const keepHeading = sql`
      title = coalesce(excluded.title, c.title), number = coalesce(excluded.number, c.number),
      answered_at = case when excluded.answered then coalesce(excluded.answered_at, c.answered_at) end`;

const detailColumns = [
  'resolved_by',
  'merged_by',
  'assignees',
  'reviewers',
  'labels',
  'emojis',
  'reactors',
  'comments',
  'upvotes',
  'additions',
  'deletions',
  'changed_files',
  'commits',
  'reason',
] as const;

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

function columnsOf(names: readonly string[], alias?: string): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(alias === undefined ? name : `${alias}.${name}`)));
}

/** Returns SQL for the id of the item that a comment belongs to, because hosts report that item by its number. */
function parentByNumber(repositoryId: string): RawBuilder<string | null> {
  return sql<string | null>`case when kind in ('issue_comment', 'pull_request_comment', 'review_comment') then (
    select p.external_id from contributions p
    where p.repository_id = ${repositoryId} and p.number = page.number and p.kind in ('issue', 'pull_request')) end`;
}

function toDetails(
  { details }: Contribution,
  place: number,
  idOf: (externalId: string | null) => string | null,
): Record<string, unknown>[] {
  if (details === null) return [];
  const { resolvedBy, mergedBy, answeredAt, assignees, reviewers, reactions, changedFiles, ...rest } = details;
  const ids = (people: readonly string[]): string[] => people.flatMap((person) => idOf(person) ?? []);
  return [
    {
      place,
      ...rest,
      resolved_by: idOf(resolvedBy),
      merged_by: idOf(mergedBy),
      answered_at: answeredAt,
      assignees: ids(assignees),
      reviewers: ids(reviewers),
      emojis: reactions.map(({ emoji }) => emoji),
      reactors: reactions.map(({ reactor }) => idOf(reactor)),
      changed_files: changedFiles,
    },
  ];
}

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
 * Returns the newest state of each contribution, because a page may list one twice. All writers use the same order, so
 * that they cannot deadlock.
 */
function newestOfEach(contributions: readonly Contribution[]): Contribution[] {
  const newest = new Map<string, Contribution>();
  for (const contribution of contributions) {
    const key = keyOf(contribution);
    const known = newest.get(key);
    if (known === undefined || known.updatedAt <= contribution.updatedAt) newest.set(key, contribution);
  }
  return [...newest].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, contribution]) => contribution);
}

function keyOf({ kind, externalId }: Contribution): string {
  return `${kind} ${externalId}`;
}

/** Removes reviews that their host no longer lists, of pull requests whose reviews were all read. */
async function removeVanishedReviews(change: ContributionChange, read: ReadContributions): Promise<void> {
  const listedIds = read.contributions.filter(({ kind }) => kind === 'review').map(({ externalId }) => externalId);
  await change.remove(sql`c.kind = 'review' and c.parent_external_id = any(${read.wholeParents})
    and c.external_id <> all(${listedIds})`);
}
