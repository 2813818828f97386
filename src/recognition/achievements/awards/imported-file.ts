import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
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
export type SavedAward = Static<typeof SavedAward>;

const maxAwards = 10_000;
const compiled = Compile(SavedAward);

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
