import { type RawBuilder, sql } from 'kysely';
import type { Contribution } from '../../model/contribution.ts';

const maxLength = 256;
/** Control characters, and marks that change the direction of text after them (Unicode, categories Cc and Cf). */
const unwanted = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]+/gu;

const clean = /^[!-~]+(?: [!-~]+)*$/;

/** Turns contributions that were read into rows of a statement. */

/** Contributions that a scan of one repository has read. */
export interface ReadContributions {
  repositoryId: string;
  contributions: readonly Contribution[];
  /** Ids of the stored accounts that the contributions name, by external id. */
  accountIds: ReadonlyMap<string, string>;
  /** External ids of the pull requests whose reviews are all among the contributions. */
  wholeParents: readonly string[];
  /** The time when the scan began. */
  seenAt: Date;
  /** The scan that read them; absent: a delivery or a poll reported them. */
  scan?: { stream: string; isFull: boolean };
}

export function toItemKey({ kind, externalId }: Contribution): string {
  return `${kind} ${externalId}`;
}

/** Returns SQL for contributions as rows, with their `place` from 1 on. */
export function rowsInSql({ accountIds }: ReadContributions, rows: readonly Contribution[]): RawBuilder<unknown> {
  const findAccountId = (externalId: string | null): string | null =>
    externalId === null ? null : (accountIds.get(externalId) ?? null);
  const column = <Value>(read: (contribution: Contribution) => Value): Value[] => rows.map(read);
  const details = rows.flatMap((contribution, index) => toDetails(contribution, index + 1, findAccountId));
  return sql`(select page.kind, page.external_id, page.parent_external_id, page.account_id, page.answered_by, page.answered,
      page.created_at, page.updated_at, page.closed_at, page.merged_at, place, page.title,
      coalesce(d.number, page.number) as number, coalesce(d.answered_at, page.answered_at) as answered_at,
      ${columnsInSql(detailColumns, 'd')}
    from unnest(
      ${column(({ kind }) => kind)}::text[], ${column(({ externalId }) => externalId)}::text[],
      ${column(({ parentExternalId }) => parentExternalId)}::text[], ${column(({ author }) => findAccountId(author))}::uuid[],
      ${column(({ answeredBy }) => findAccountId(answeredBy))}::uuid[], ${column(({ answered }) => answered)}::boolean[],
      ${column(({ createdAt }) => createdAt)}::timestamptz[], ${column(({ updatedAt }) => updatedAt)}::timestamptz[],
      ${column(({ closedAt }) => closedAt)}::timestamptz[], ${column(({ mergedAt }) => mergedAt)}::timestamptz[],
      ${column(({ heading }) => toTitle(heading?.title))}::text[], ${column(({ heading }) => heading?.number)}::integer[],
      ${column(({ answeredAt }) => answeredAt)}::timestamptz[]
    ) with ordinality as page (kind, external_id, parent_external_id, account_id, answered_by, answered, created_at,
      updated_at, closed_at, merged_at, title, number, answered_at, place)
    left join json_to_recordset(${JSON.stringify(details)}::json) as d (
      place bigint, number integer, resolved_by uuid, merged_by uuid, answered_at timestamptz, assignees uuid[], reviewers uuid[],
      labels text[], emojis text[], reactors uuid[], comments integer, upvotes integer, additions integer,
      deletions integer, changed_files integer, commits integer, reason text, state text) using (place))`;
}

/** Columns that may be known of a contribution that was read without its details. */
export const headingColumns = ['title', 'number', 'answered_at'] as const;

export const detailColumns = [
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
  'state',
] as const;

export function columnsInSql(names: readonly string[], alias?: string): RawBuilder<unknown> {
  return sql.join(names.map((name) => sql.ref(alias === undefined ? name : `${alias}.${name}`)));
}

/** Returns SQL for the id of the item that a comment belongs to, because hosts report that item by its number. */
export function parentByNumber(repositoryId: string): RawBuilder<string | null> {
  return sql<string | null>`case when kind in ('issue_comment', 'pull_request_comment', 'review_comment') then (
    select p.external_id from contributions p
    where p.repository_id = ${repositoryId} and p.number = page.number and p.kind in ('issue', 'pull_request')) end`;
}

function toDetails(
  { details }: Contribution,
  place: number,
  findAccountId: (externalId: string | null) => string | null,
): Record<string, unknown>[] {
  if (details === null) return [];
  const { resolvedBy, mergedBy, answeredAt, assignees, reviewers, reactions, changedFiles, ...rest } = details;
  const ids = (people: readonly string[]): string[] => people.flatMap((person) => findAccountId(person) ?? []);
  return [
    {
      place,
      ...rest,
      resolved_by: findAccountId(resolvedBy),
      merged_by: findAccountId(mergedBy),
      answered_at: answeredAt,
      assignees: ids(assignees),
      reviewers: ids(reviewers),
      emojis: reactions.map(({ emoji }) => emoji),
      reactors: reactions.map(({ reactor }) => findAccountId(reactor)),
      changed_files: changedFiles,
    },
  ];
}

/** Cleans the title of an item, which strangers write: one line without invisible characters, at most 256 letters. */
export function toTitle(text: string | null | undefined): string | null {
  if (text === null || text === undefined) return null;
  // Most are clean, and a history has millions.
  if (text.length <= maxLength && clean.test(text)) return text;
  const line = text.replaceAll(unwanted, ' ').replaceAll(/\s+/g, ' ').trim();
  // By whole characters, so that no half of a surrogate pair is left.
  return line.length <= maxLength ? line : Array.from(line).slice(0, maxLength).join('');
}
