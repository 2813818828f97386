import { createHash } from 'node:crypto';
import { type CompiledQuery, type RawBuilder, sql } from 'kysely';
import type { Connection } from '../connections/connection.ts';

const mark = '/* point read */';

/**
 * Marks a statement that reads a few rows by a key or the first ones of an index, behind its `select`. Each connection of requests parses and plans it
 * once (docs/decisions/0091-prepared-statements.md). Its text must be one of a few, and one plan must fit all values.
 */
export const pointRead = sql.raw(mark);

/** The code of PostgreSQL for a prepared statement whose columns have changed since, among others. */
const featureNotSupported = '0A000';
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

/** Returns whether a statement failed because its tables changed since it was prepared, as they do by a migration. */
export function isOutdated(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === featureNotSupported;
}

/**
 * Runs a point read on the connections of a pool without the query builder, whose work for a statement takes longer than
 * sending it.
 * @returns undefined where the builder has to run it.
 */
export type PointReader = <Row>(query: CompiledQuery<Row>) => Promise<{ rows: Row[] }> | undefined;

const readers = new WeakMap<Connection, PointReader>();

/** Lets the fixed statements on a connection be run by a reader. */
export function setPointReader(connection: Connection, reader: PointReader): void {
  readers.set(connection, reader);
}

/**
 * Returns a function that runs a statement whose text is built once, because building it takes longer than sending it.
 * @param build makes the statement; `value` stands for a parameter, whose value changes from run to run.
 */
export function fixedStatement<Values extends object, Row>(
  build: (value: <Name extends keyof Values>(name: Name) => RawBuilder<Values[Name]>) => RawBuilder<Row>,
): (connection: Connection, values: Values) => Promise<Row[]> {
  const names = new Map<unknown, keyof Values>();
  const placeholderOf = <Name extends keyof Values>(name: Name): RawBuilder<Values[Name]> => {
    const placeholder = Symbol(String(name));
    names.set(placeholder, name);
    return sql<Values[Name]>`${placeholder}`;
  };
  let built: CompiledQuery<Row> | undefined;
  return async (connection, values) => {
    built ??= compact(build(placeholderOf).compile(connection));
    const parameters = built.parameters.map((parameter) => {
      const name = names.get(parameter);
      return name === undefined ? parameter : values[name];
    });
    const query = { ...built, parameters };
    const { rows } = await (readers.get(connection)?.<Row>(query) ?? connection.executeQuery<Row>(query));
    return rows;
  };
}

/**
 * Leaves out indentation and lines of comments: PostgreSQL copies the text of a prepared statement with each run, which took a
 * tenth of the time of a statement of 2 kB. No text in quotes may have several lines.
 */
function compact<Row>(query: CompiledQuery<Row>): CompiledQuery<Row> {
  return { ...query, sql: query.sql.trim().replace(/(?:\n\s*(?:--.*)?)+/g, '\n') };
}
