import { createHash } from 'node:crypto';
import { sql } from 'kysely';

const mark = '/* point read */';

/**
 * Marks a statement that reads a few rows by a key or the first ones of an index, behind its `select`. Each connection of requests parses and plans it
 * once (docs/decisions/0091-prepared-statements.md). Its text must be one of a few, and one plan must fit all values.
 */
export const pointRead = sql.raw(mark);

/** The codes of PostgreSQL for a prepared statement whose columns have changed since, among others, and for one that is not there. */
const outdated = new Set<unknown>(['0A000', '26000']);
/** The mark stands within the first letters. */
const beginning = 80;
/** More texts than the service has. Others run without a name. */
const maxNames = 200;
const nameLength = 32;
const names = new Map<string, string>();

/** Returns the name under which connections prepare a statement; undefined: they do not. */
export function preparedName(text: string): string | undefined {
  if (!text.slice(0, beginning).includes(mark)) return undefined;
  const known = names.get(text);
  if (known !== undefined || names.size >= maxNames) return known;
  const name = createHash('sha256').update(text).digest('hex').slice(0, nameLength);
  names.set(text, name);
  return name;
}

/**
 * Returns whether a statement failed because its tables changed since it was prepared, as they do by a migration, or
 * because the one that was sent before it under the same name was cancelled while the server prepared it.
 */
export function isOutdated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && outdated.has(error.code);
}
