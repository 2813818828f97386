import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { Check } from 'typebox/value';
import type { Connection } from '../../database/connections/connection.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import { pointRead } from '../../database/reads/point-reads.ts';
import type { Fault } from '../rules/conditions/fault.ts';
import { nodeFrom } from '../rules/file/yaml-tree.ts';
import type { Board } from './board.ts';
import { readBoard } from './file/read-file.ts';
import { BoardFields } from './file/schema.ts';
import { lookUpNamedPeopleJob, rankBoardJob, readTeamsJob } from './jobs.ts';
import { listPersonKeys } from './people/named-people-store.ts';
import { listTeamKeys } from './people/team-store.ts';

/** Boards that this process has read, by their definitions: one is read for every ranking. */
const boards = new LRUCache<string, Board>({ max: 500 });

/** The rule of an imported season of which no rule is known. */
const unknownRule: Board = {
  name: '',
  slug: '',
  description: '',
  repositories: [],
  isPrivate: false,
  window: { kind: 'range', since: undefined, until: undefined, timeZone: 'UTC' },
  rules: [],
  people: { withBots: false, exclude: [], newcomersAlone: false, onlyMembersOf: null },
  teams: [],
  grants: [],
  countsSelfMerged: false,
  spamLabels: [],
  threshold: null,
  ties: 'shared',
  definition: {},
};

/** A stored board. */
export interface StoredBoard {
  id: string;
  ownerId: string;
  board: Board;
}

interface BoardRow {
  id: string;
  owner_id: string;
  definition: object;
}

const columns = ['id', 'owner_id', 'definition'] as const;

function toBoard({ id, owner_id: ownerId, definition }: BoardRow): StoredBoard {
  return { id, ownerId, board: readDefinition(definition) };
}

/** Finds a board that the file of its owner defines, and locks it, so that no other process ranks it meanwhile. */
export async function findBoardById(transaction: Connection, id: string): Promise<StoredBoard | undefined> {
  const row = await transaction
    .selectFrom('boards')
    .select(columns)
    .where('id', '=', id)
    .where('is_current', '=', true)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && toBoard(row);
}

/** Finds a board, also one that its file no longer defines, and locks it. */
export async function findAnyBoard(transaction: Connection, id: string): Promise<StoredBoard | undefined> {
  const row = await transaction
    .selectFrom('boards')
    .select(columns)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && toBoard(row);
}

/** Finds a board by its slug, in any letter case, also one that its file no longer defines. */
export async function findFormerBoard(
  connection: Connection,
  ownerId: string,
  slug: string,
): Promise<StoredBoard | undefined> {
  const row = await bySlug(connection, ownerId, slug).executeTakeFirst();
  return row && toBoard(row);
}

/** Finds a board by its slug, in any letter case. */
export async function findBoard(
  connection: Connection,
  ownerId: string,
  slug: string,
): Promise<StoredBoard | undefined> {
  const row = await bySlug(connection, ownerId, slug).where('is_current', '=', true).executeTakeFirst();
  return row && toBoard(row);
}

function bySlug(connection: Connection, ownerId: string, slug: string) {
  return connection
    .selectFrom('boards')
    .select(columns)
    .where('owner_id', '=', ownerId)
    .where(sql`lower(slug)`, '=', slug.toLowerCase());
}

/** Finds the boards of an account in the order of its file. */
export async function findBoards(connection: Connection, ownerId: string): Promise<StoredBoard[]> {
  const rows = await connection
    .selectFrom('boards')
    .modifyFront(pointRead)
    .select(columns)
    .where('owner_id', '=', ownerId)
    .where('is_current', '=', true)
    .orderBy('place')
    .execute();
  return rows.map(toBoard);
}

/**
 * Stores the boards of an account, and requests a ranking of each that is new or changed. Boards that the file no longer
 * defines stay, with their frozen seasons, but are not ranked any more.
 */
export async function saveBoards(
  transaction: Connection,
  ownerId: string,
  boards: readonly Board[],
  { now, newId }: { now: Date; newId: () => string },
): Promise<void> {
  const rows = boards.map((board, place) => ({
    id: newId(),
    slug: board.slug,
    place,
    definition: board.definition,
    is_private: board.isPrivate,
    owners: listOwners(board),
    teams: listTeamKeys(board),
    people: listPersonKeys(board),
    // The job that freezes windows finds out whether any has ended.
    freeze_at: board.window.kind === 'period' ? null : now,
  }));
  const { rows: changed } = await sql<{ id: string }>`
    with file as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        as f (id uuid, slug text, place integer, definition json, is_private boolean, owners json, teams json,
          people json, freeze_at timestamptz)
    )
    insert into boards as b (id, owner_id, slug, place, definition, is_current, is_private, owners, teams, people,
      freeze_at, created_at)
    select id, ${ownerId}, slug, place, definition, true, is_private,
      array(select json_array_elements_text(owners)), array(select json_array_elements_text(teams)),
      array(select json_array_elements_text(people)), freeze_at, ${now} from file order by lower(slug)
    on conflict (owner_id, lower(slug)) do update set slug = excluded.slug, place = excluded.place,
      definition = excluded.definition, is_current = true, is_private = excluded.is_private, owners = excluded.owners,
      teams = excluded.teams, people = excluded.people,
      freeze_at = excluded.freeze_at
    where (b.slug, b.place, b.definition::text, b.is_current)
      is distinct from (excluded.slug, excluded.place, excluded.definition::text, true)
    returning id`.execute(transaction);
  await sql`
    update boards set is_current = false
    where owner_id = ${ownerId} and is_current
      and lower(slug) <> all(${boards.map(({ slug }) => slug.toLowerCase())}::text[])`.execute(transaction);
  for (const { id } of changed.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
    await addJob(transaction, rankBoardJob({ id, costMs: 0, rankedMsAgo: null }));
  if (rows.some(({ teams }) => teams.length > 0)) await addJob(transaction, readTeamsJob);
  if (rows.some(({ people }) => people.length > 0)) await addJob(transaction, lookUpNamedPeopleJob);
}

function listOwners({ repositories }: Board): string[] {
  const places = repositories.filter(({ isIncluded }) => isIncluded).flatMap((pattern) => pattern.places);
  return [...new Set(places.map(({ provider, owner }) => `${provider}/${owner}`.toLowerCase()))];
}

/** Returns whether a stored definition is a rule; an imported season may have none. */
export function hasRule(definition: object): boolean {
  return Object.keys(definition).length > 0;
}

/**
 * Reads a board from its stored definition, by the same rules as from its file.
 * @throws Error when a former release stored a board that is faulty by the rules of this one.
 */
export function readDefinition(definition: object): Board {
  if (!hasRule(definition)) return unknownRule;
  const text = JSON.stringify(definition);
  const known = boards.get(text);
  if (known !== undefined) return known;
  const { provider, ...board }: { provider?: string } = definition;
  const faults: Fault[] = [];
  const read = readBoard(nodeFrom({ board }), { file: '', faults, provider: provider ?? 'github', isStored: true });
  if (read === undefined) throw new Error(`a stored board is faulty: ${faults[0]?.message}`);
  boards.set(text, read);
  return read;
}

/**
 * Returns the parts of a stored definition as its file has them, and the provider of its owner.
 * @throws Error when the definition has not the shape of a board.
 */
export function readFields(definition: object): { provider: string; fields: BoardFields } {
  const { provider = 'github', ...fields }: { provider?: string } = definition;
  if (!Check(BoardFields, fields)) throw new Error('a stored board has another shape than its schema');
  return { provider, fields };
}
