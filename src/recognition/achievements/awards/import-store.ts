import { sql } from 'kysely';
import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { isOfErased, keptAwards, takeSharedErasureLock } from '../../../database/schema/erasure.ts';
import { AppError } from '../../../model/errors.ts';
import { toFields } from '../../../model/fields.ts';

/** An award in a saved response of `GET .../achievements`, in the form that Vaunt documents. */
const SavedAward = Type.Object({
  id: Type.String({ pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' }),
  repository_name: Type.String({ minLength: 1, maxLength: 255 }),
  name: Type.String({ minLength: 1, maxLength: 256 }),
  icon_url: Type.String({ maxLength: 2048 }),
  description: Type.String({ maxLength: 4096 }),
  awarded_dttm: Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d+)?(Z|[+-]\\d\\d:\\d\\d)$' }),
});
type SavedAward = Static<typeof SavedAward>;

const maxAwards = 10_000;
const compiled = Compile(SavedAward);

/** A stored repository that an award may be from. */
export interface Candidate {
  id: string;
  owner: string;
  name: string;
}

/** Finds the stored repositories of a provider that have one of these names now, in any letter case. */
export async function findCandidates(
  connection: Connection,
  provider: string,
  names: readonly string[],
): Promise<Candidate[]> {
  const lower = [...new Set(names.map((name) => name.toLowerCase()))];
  const { rows } = await sql<Candidate>`
    select r.id, o.name as owner, r.name from repositories r join accounts o on o.id = r.owner_id
    where r.provider = ${provider} and ${isPresentInSql('r')} and o.deleted_at is null
      and lower(r.name) = any(${lower}::text[])
    order by o.name, r.name`.execute(connection);
  return rows;
}

/** An award to import; `id` is its id at the other service. */
export interface ImportedAward {
  id: string;
  repositoryId: string;
  name: string;
  icon: string;
  description: string;
  awardedAt: Date;
}

/** Returns those of the ids that belong to an award of another account, or to another achievement. */
export async function findForeignIds(
  connection: Connection,
  accountId: string,
  awards: readonly ImportedAward[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select n.id from json_to_recordset(${toRows(awards)}::json) as n (id uuid, repository_id uuid, name text)
    join ${keptAwards('w')} on w.id = n.id or w.imported_id = n.id
    join achievements h on h.id = w.achievement_id
    where w.account_id <> ${accountId} or h.repository_id <> n.repository_id or h.name <> n.name
    order by n.id`.execute(connection);
  return rows.map(({ id }) => id);
}

/**
 * Stores imported awards, and achievements for them that no file defines. An award of the same achievement that exists
 * here keeps its id and date, and can also be found by the imported id. Must run in a transaction.
 * @returns the numbers of new awards, and of those that existed.
 */
export async function importAwards(
  transaction: Connection,
  accountId: string,
  awards: readonly ImportedAward[],
  { now, newId }: { now: Date; newId: () => string },
): Promise<{ added: number; existing: number }> {
  await takeSharedErasureLock(transaction);
  // The person may have erased an account with these awards and returned before its last rows were deleted.
  const ids = awards.map(({ id }) => id);
  await sql`
    delete from awards
    where (id = any(${ids}::uuid[]) or imported_id = any(${ids}::uuid[])) and ${isOfErased}`.execute(transaction);
  const rows = toRows(awards.map((award) => ({ ...award, achievementId: newId() })));
  await sql`
    insert into achievements (id, repository_id, name, icon, description, is_current)
    select distinct on (repository_id, name) achievement_id, repository_id, name, icon, description, false
    from json_to_recordset(${rows}::json)
      as n (achievement_id uuid, repository_id uuid, name text, icon text, description text)
    order by repository_id, name
    on conflict (repository_id, name) do nothing`.execute(transaction);
  const { rows: stored } = await sql<{ is_new: boolean }>`
    insert into awards as w (id, achievement_id, account_id, repository_name, awarded_at, created_at, imported_at)
    select n.id, h.id, ${accountId}, r.name, n.awarded_at, ${now}, ${now}
    from json_to_recordset(${rows}::json) as n (id uuid, repository_id uuid, name text, awarded_at timestamptz)
    join achievements h on h.repository_id = n.repository_id and h.name = n.name
    join repositories r on r.id = n.repository_id
    order by h.id
    on conflict (achievement_id, account_id) do update
      set imported_id = case when w.id = excluded.id then w.imported_id else excluded.id end
    returning w.created_at = ${now} and w.imported_at = ${now} as is_new`.execute(transaction);
  const added = stored.filter(({ is_new }) => is_new).length;
  return { added, existing: stored.length - added };
}

function toRows(awards: readonly (ImportedAward & { achievementId?: string })[]): string {
  return JSON.stringify(
    awards.map(({ repositoryId, achievementId, awardedAt, ...award }) => ({
      ...award,
      repository_id: repositoryId,
      achievement_id: achievementId,
      awarded_at: awardedAt,
    })),
  );
}

/**
 * Reads a saved response of `GET .../achievements`, or the list in it.
 * @throws AppError `invalid_input` that names the first part that is wrong.
 */
export function readSavedAwards(text: string): SavedAward[] {
  const list = listIn(text);
  if (list.length > maxAwards) throw wrong(`has ${list.length} awards; the limit is ${maxAwards}`);
  const awards: SavedAward[] = [];
  for (const [index, item] of list.entries()) {
    if (!compiled.Check(item)) throw wrong(`is wrong at ${formatFault(item, index)}`);
    if (!isTime(item.awarded_dttm)) throw wrong(`has an impossible date or time at data[${index}].awarded_dttm`);
    awards.push({ ...item, id: item.id.toLowerCase() });
  }
  const repeated = awards.find(({ id }, index) => awards.findIndex((other) => other.id === id) !== index);
  if (repeated !== undefined) throw wrong(`has the id ${repeated.id} twice`);
  return awards;
}

/** Returns whether a time exists. `Date.parse` takes 30 February for 1 March. */
function isTime(text: string): boolean {
  const day = text.slice(0, 'YYYY-MM-DD'.length);
  const midnight = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(Date.parse(text)) && midnight.toISOString().startsWith(day);
}

function listIn(text: string): unknown[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw wrong('is not JSON');
  }
  const { data = parsed } = toFields(parsed);
  if (!Array.isArray(data)) throw wrong('has no list "data"');
  return data;
}

function formatFault(item: unknown, index: number): string {
  const [fault] = compiled.Errors(item);
  const place = `data[${index}]${fault?.instancePath.replaceAll('/', '.') ?? ''}`;
  return `${place}: ${fault?.message ?? 'not an award'}`;
}

function wrong(fault: string): AppError {
  return new AppError('invalid_input', `the file ${fault}; a saved response of .../achievements?limit=100 is expected`);
}
