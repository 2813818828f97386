import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../database/connection.ts';
import type { Contribution } from './contribution.ts';
import { saveSeen } from './scan-store.ts';
import { toTitle } from './title.ts';

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
 * beside them (`scan-store.ts`).
 */
export async function saveContributions(connection: Connection, read: ReadContributions): Promise<void> {
  const { repositoryId, accountIds, seenAt } = read;
  if (read.contributions.length === 0) return;
  const idOf = (externalId: string | null): string | null =>
    externalId === null ? null : (accountIds.get(externalId) ?? null);
  const rows = newestOfEach(read.contributions);
  const column = <Value>(read: (contribution: Contribution) => Value): Value[] => rows.map(read);
  const kinds = column(({ kind }) => kind);
  const externalIds = column(({ externalId }) => externalId);
  const details = rows.flatMap((contribution, index) => toDetails(contribution, index + 1, idOf));
  if (read.wholeParents.length > 0) await removeVanishedReviews(connection, read);
  const { numAffectedRows } = await sql`
    insert into contributions as c (
      repository_id, kind, external_id, parent_external_id, account_id, answered_by, answered,
      created_at, updated_at, closed_at, merged_at, seen_at, title, number, resolved_by, answered_at, assignees, reviewers,
      labels, emojis, reactors, comments, upvotes, additions, deletions, changed_files, commits, reason)
    select ${repositoryId}, n.kind, n.external_id, n.parent_external_id, n.account_id, n.answered_by, n.answered,
      n.created_at, n.updated_at, n.closed_at, n.merged_at, ${seenAt}, n.title, n.number, n.resolved_by, n.answered_at, n.assignees,
      n.reviewers, n.labels, n.emojis, n.reactors, n.comments, n.upvotes, n.additions, n.deletions, n.changed_files,
      n.commits, n.reason
    from (select kind, external_id,
      coalesce(parent_external_id, ${parentByNumber(repositoryId)}) as parent_external_id, account_id, answered_by, answered,
      created_at, updated_at, closed_at, merged_at, place, title, coalesce(d.number, page.number) as number, d.resolved_by,
      coalesce(d.answered_at, page.answered_at) as answered_at, d.assignees,
      d.reviewers, d.labels, d.emojis, d.reactors, d.comments, d.upvotes, d.additions, d.deletions, d.changed_files,
      d.commits, d.reason
    from unnest(
      ${kinds}::text[], ${externalIds}::text[],
      ${column(({ parentExternalId }) => parentExternalId)}::text[], ${column(({ author }) => idOf(author))}::uuid[],
      ${column(({ answeredBy }) => idOf(answeredBy))}::uuid[], ${column(({ answered }) => answered)}::boolean[],
      ${column(({ createdAt }) => createdAt)}::timestamptz[], ${column(({ updatedAt }) => updatedAt)}::timestamptz[],
      ${column(({ closedAt }) => closedAt)}::timestamptz[], ${column(({ mergedAt }) => mergedAt)}::timestamptz[],
      ${column(({ heading }) => toTitle(heading?.title))}::text[], ${column(({ heading }) => heading?.number)}::integer[],
      ${column(({ answeredAt }) => answeredAt)}::timestamptz[]
    ) with ordinality as page (kind, external_id, parent_external_id, account_id, answered_by, answered, created_at,
      updated_at, closed_at, merged_at, title, number, answered_at, place)
    left join json_to_recordset(${JSON.stringify(details)}::json) as d (
      place bigint, number integer, resolved_by uuid, answered_at timestamptz, assignees uuid[], reviewers uuid[], labels text[], emojis text[],
      reactors uuid[], comments integer, upvotes integer, additions integer, deletions integer, changed_files integer,
      commits integer, reason text) using (place)) n
    left join contributions k
      on k.repository_id = ${repositoryId} and k.kind = n.kind and k.external_id = n.external_id
    where ${read.scan === undefined} or k.external_id is null or ${isOther}
    order by n.place
    on conflict (repository_id, kind, external_id) do update set
      parent_external_id = coalesce(excluded.parent_external_id, c.parent_external_id),
      account_id = excluded.account_id, answered_by = excluded.answered_by, answered = excluded.answered,
      created_at = excluded.created_at, updated_at = excluded.updated_at, closed_at = excluded.closed_at,
      merged_at = excluded.merged_at, seen_at = greatest(c.seen_at, excluded.seen_at), ${keepHeading}, ${keepDetails}
    where (c.updated_at, c.seen_at) <= (excluded.updated_at, excluded.seen_at)
      or c.updated_at < excluded.updated_at`.execute(connection);
  if (read.scan?.isFull === true) {
    await saveSeen(connection, { repositoryId, stream: read.scan.stream, kinds, externalIds });
  }
  if (read.scan !== undefined || Number(numAffectedRows) === rows.length) return;
  // A scan that runs meanwhile must not remove contributions whose stored state is newer.
  await sql`
    update contributions c set seen_at = ${seenAt}
    from unnest(${kinds}::text[], ${externalIds}::text[]) as page (kind, external_id)
    where c.repository_id = ${repositoryId} and c.kind = page.kind and c.external_id = page.external_id
      and c.seen_at < ${seenAt}`.execute(connection);
}

/** Keeps the stored heading, and the time when a reply was accepted, where the read lacks them. */
const keepHeading = sql`
      title = coalesce(excluded.title, c.title), number = coalesce(excluded.number, c.number),
      answered_at = case when excluded.answered then coalesce(excluded.answered_at, c.answered_at) end`;

const detailColumns = [
  'resolved_by',
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

/** The columns that every read knows. */
const stateColumns = ['account_id', 'answered_by', 'answered', 'created_at', 'updated_at', 'closed_at', 'merged_at'];

/** SQL that is true when the read contribution `n` differs from the stored one `k`. */
const isOther = sql<boolean>`(
  coalesce(n.parent_external_id, k.parent_external_id) is distinct from k.parent_external_id
  or (${columnsOf('n', stateColumns)}) is distinct from (${columnsOf('k', stateColumns)})
  or (n.title is not null and n.title is distinct from k.title) or (n.number is not null and k.number is null)
  or (n.answered_at is not null and n.answered_at is distinct from k.answered_at)
  or (n.labels is not null and (${columnsOf('n', detailColumns)}) is distinct from (${columnsOf('k', detailColumns)})))`;

function columnsOf(alias: string, names: readonly string[]): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(`${alias}.${name}`)));
}

/** Returns SQL for the id of the item that a comment belongs to, because hosts report that item by its number. */
function parentByNumber(repositoryId: string): RawBuilder<string | null> {
  return sql<string | null>`case when kind in ('issue_comment', 'pull_request_comment', 'review_comment') then (
    select p.external_id from contributions p
    where p.repository_id = ${repositoryId} and p.number = d.number and p.kind in ('issue', 'pull_request')) end`;
}

function toDetails(
  { details }: Contribution,
  place: number,
  idOf: (externalId: string | null) => string | null,
): Record<string, unknown>[] {
  if (details === null) return [];
  const { resolvedBy, answeredAt, assignees, reviewers, reactions, changedFiles, ...rest } = details;
  const ids = (people: readonly string[]): string[] => people.flatMap((person) => idOf(person) ?? []);
  return [
    {
      place,
      ...rest,
      resolved_by: idOf(resolvedBy),
      answered_at: answeredAt,
      assignees: ids(assignees),
      reviewers: ids(reviewers),
      emojis: reactions.map(({ emoji }) => emoji),
      reactors: reactions.map(({ reactor }) => idOf(reactor)),
      changed_files: changedFiles,
    },
  ];
}

/** Links comments that were read before the issue or pull request that they belong to. */
export async function adoptOrphans(connection: Connection, repositoryId: string): Promise<void> {
  await sql`
    update contributions c set parent_external_id = p.external_id
    from contributions p
    where c.repository_id = ${repositoryId} and c.parent_external_id is null
      and c.kind in ('issue_comment', 'pull_request_comment', 'review_comment')
      and p.repository_id = c.repository_id and p.number = c.number and p.kind in ('issue', 'pull_request')`.execute(
    connection,
  );
}

/**
 * Returns the newest state of each contribution, because a page may list one twice. All writers use the same order, so
 * that they cannot deadlock.
 */
function newestOfEach(contributions: readonly Contribution[]): Contribution[] {
  const newest = new Map<string, Contribution>();
  for (const contribution of contributions) {
    const key = `${contribution.kind} ${contribution.externalId}`;
    const known = newest.get(key);
    if (known === undefined || known.updatedAt <= contribution.updatedAt) newest.set(key, contribution);
  }
  return [...newest].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, contribution]) => contribution);
}

/** Removes reviews that their host no longer lists, of pull requests whose reviews were all read. */
async function removeVanishedReviews(connection: Connection, read: ReadContributions): Promise<void> {
  const listedIds = read.contributions.filter(({ kind }) => kind === 'review').map(({ externalId }) => externalId);
  await sql`
    delete from contributions
    where repository_id = ${read.repositoryId} and kind = 'review' and parent_external_id = any(${read.wholeParents})
      and external_id <> all(${listedIds})`.execute(connection);
}
