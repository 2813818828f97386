import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { withEvaluationMemory } from '../../rules/evaluation/evaluate-store.ts';
import type { Board, PersonName } from '../board.ts';
import { type BoardWindow, toBoardWindow } from '../board-window.ts';
import { peopleNamedIn } from '../people/named-people-store.ts';
import { findMembers, type Members } from '../ranking/member-store.ts';
import { rankedSql } from '../ranking/rank-store.ts';

/** The ranking that a board of a file would have by the stored data. */
export interface BoardPreview {
  board: Board;
  window: BoardWindow;
  /** False while the window lies in the future. */
  hasBegun: boolean;
  members: Members;
  /** The first people of the ranking. */
  people: PreviewedPerson[];
  /** The number of all people. */
  count: number;
  /** The sum of the points that each rule gives, by its number. */
  pointsByRule: Readonly<Record<string, number>>;
  /** Names in the file of which no account is stored. */
  unknownPeople: string[];
  /**
   * The number of merged pull requests of owners to their own repositories of which it is not known who merged them.
   */
  unknownMergers: number;
}

interface PreviewedPerson {
  rank: number;
  name: string;
  provider: string;
  points: number;
  isNewcomer: boolean;
  isReturning: boolean;
}

const maxShown = 30;

/** Ranks people as a board would, and stores nothing. */
export async function previewBoard(
  connection: Connection,
  board: Board,
  { ownerId, now }: { ownerId: string; now: Date },
): Promise<BoardPreview> {
  const members = await findMembers(connection, board, ownerId);
  const window = toBoardWindow(board.window, now);
  const rows = await withEvaluationMemory(connection, async (transaction) => {
    const found = await sql<{ people: PreviewedPerson[] | null; count: number; rules: Record<string, number> | null }>`
      with ranked as materialized (${rankedSql({ board, window, members, now })})
      select (select count(*) from ranked) as count,
        (select json_agg(p) from (
          select r.rank, u.name, u.provider, r.points, r.is_newcomer as "isNewcomer", r.is_returning as "isReturning"
          from ranked r join accounts u on u.id = r.account_id order by r.place limit ${maxShown}) p) as people,
        (select json_object_agg(rule, points) from (
          select key as rule, round(sum(value::numeric), 2)::float8 as points from ranked, json_each_text(by_rule)
          group by key) s) as rules`.execute(transaction);
    return found.rows;
  });
  const [row] = rows;
  return {
    board,
    window,
    hasBegun: window.since === null || window.since <= now,
    members,
    people: row?.people ?? [],
    count: row?.count ?? 0,
    pointsByRule: row?.rules ?? {},
    unknownPeople: await findUnknown(connection, peopleNamedIn(board)),
    unknownMergers: board.countsSelfMerged ? 0 : await countUnknownMergers(connection, members.ids, window),
  };
}

async function findUnknown(connection: Connection, people: readonly PersonName[]): Promise<string[]> {
  const named = people.map(({ provider, login }) => ({ provider, login }));
  const { rows } = await sql<{ name: string }>`
    select distinct p.provider || '/' || p.login as name
    from json_to_recordset(${JSON.stringify(named)}::json) as p (provider text, login text)
    where not exists (select from accounts a where a.provider = p.provider and lower(a.name) = lower(p.login))
    order by 1`.execute(connection);
  return rows.map(({ name }) => name);
}

async function countUnknownMergers(
  connection: Connection,
  repositoryIds: readonly string[],
  { since }: BoardWindow,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with owned as (select id, owner_id from repositories where id = any(${repositoryIds}::uuid[]))
    select count(*) as count from contributions c join owned r on r.id = c.repository_id
    where c.repository_id = any(${repositoryIds}::uuid[]) and c.kind = 'pull_request' and c.merged_at is not null
      and c.account_id = r.owner_id and c.merged_by is null
      and (${since}::timestamptz is null or c.merged_at >= ${since}::timestamptz)`.execute(connection);
  return rows[0]?.count ?? 0;
}
