import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import type { Board } from '../board.ts';
import type { BoardWindow } from '../board-window.ts';
import { rounded } from '../ranking/people-store.ts';
import { scoreStatement } from '../ranking/score-store.ts';

/** A contribution that gave a person points, or that gave none because of a cap. */
export interface EvidenceItem {
  at: Date;
  rule: number;
  /** Null for a rule with an aggregate, which is earned once. */
  kind: string | null;
  repository: { id: string; provider: string; owner: string; name: string; isPrivate: boolean } | null;
  /** Empty where it is not known. */
  title: string;
  /** The number of an issue, pull request or discussion; of a comment or review, that of the item it belongs to. */
  number: number | null;
  /** A commit's id, hexadecimal. */
  oid: string | null;
  /** True for a commit that a program helped to write; null: not known. */
  isAssisted: boolean | null;
  /** Distinguishes items of one rule and moment. */
  key: string;
  points: number;
  /** The sum of the points of all items of the list, rounded as totals are. */
  itemised: number;
  /** The points after decay, before the cap of a day. */
  pointsBeforeCap: number;
}

/** The contributions that are read. */
export interface EvidenceScope {
  repositoryIds: readonly string[];
  window: BoardWindow;
  accountId: string;
}

export interface EvidencePage {
  limit: number;
  after?: EvidencePlace | undefined;
  before?: EvidencePlace | undefined;
}

/** A place in the list: newest first, then by rule and key. */
export type EvidencePlace = readonly [at: string, rule: number, key: string];

/** Returns SQL for the points of one item: with ten decimals, so that items add up to the total. */
function ofItem(points: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`round(${points}::numeric, 10)::float8`;
}

/** Finds the repositories that the present ranking of a board counts. */
export async function findRankedRepositories(connection: Connection, boardId: string): Promise<string[]> {
  const rows = await connection
    .selectFrom('board_repositories')
    .select('repository_id')
    .where('board_id', '=', boardId)
    .execute();
  return rows.map((row) => row.repository_id);
}

/**
 * Finds a page of the items that gave a person points, newest first. It reads the contributions of that person alone.
 */
export async function findEvidence(
  connection: Connection,
  board: Board,
  { repositoryIds, window, accountId }: EvidenceScope,
  { limit, after, before }: EvidencePage,
): Promise<EvidenceItem[]> {
  const statement = scoreStatement(board, { repositoryIds, window, accountIds: [accountId], namesItems: true });
  const place = after ?? before;
  const isBeyond =
    place === undefined
      ? sql`true`
      : sql`(at, rule, key) ${after === undefined ? sql`>` : sql`<`} (${place[0]}::timestamptz, ${place[1]}::integer, ${place[2]}::text)`;
  const direction = before === undefined ? sql`desc` : sql`asc`;
  const inOrder = sql`order by e.at ${direction}, e.rule ${direction}, e.key ${direction}`;
  statement.add(
    'page',
    sql`select * from (
        select c.*, ${rounded(sql`sum(value) over ()`)} as itemised, concat(repository_id, ' ', kind, ' ', external_id, encode(oid, 'hex')) as key
        from counted c where person = ${accountId}::uuid) e
      where ${isBeyond} ${inOrder} limit ${limit}`,
  );
  statement.add(
    'items',
    sql`select distinct i.repository_id, i.kind, i.external_id, i.title from page e
      join contributions i on i.repository_id = e.repository_id and i.kind = e.kind and i.external_id = e.external_id`,
  );
  statement.add(
    'parents',
    sql`select distinct i.repository_id, i.external_id, i.number, i.title from page e
      join contributions i on i.repository_id = e.repository_id and i.kind = 'pull_request' and i.external_id = e.parent
      where e.kind = 'review'`,
  );
  statement.add(
    'done',
    sql`select distinct c.repository_id, c.oid, c.subject, c.assisted from page e
      join commits c on c.repository_id = e.repository_id and c.oid = e.oid`,
  );
  const { rows } = await statement
    .toSql(sql<EvidenceItem & { at: Date }>`
      select e.at, e.rule, e.kind, coalesce(e.number, parent.number) as number, encode(e.oid, 'hex') as oid, e.key,
        coalesce(item.title, parent.title, done.subject, '') as title, done.assisted as "isAssisted",
        ${ofItem(sql`e.value`)} as points, ${ofItem(sql`e.full_value`)} as "pointsBeforeCap", e.itemised,
        case when r.id is not null then
          json_build_object('id', r.id, 'provider', r.provider, 'owner', o.name, 'name', r.name,
            'isPrivate', r.is_private) end as repository
      from page e left join repositories r on r.id = e.repository_id left join accounts o on o.id = r.owner_id
      left join items item on item.repository_id = e.repository_id and item.kind = e.kind
        and item.external_id = e.external_id
      left join done on done.repository_id = e.repository_id and done.oid = e.oid
      left join parents parent on parent.repository_id = e.repository_id and parent.external_id = e.parent
        and e.kind = 'review'
      ${inOrder}`)
    .execute(connection);
  return before === undefined ? rows : rows.toReversed();
}
