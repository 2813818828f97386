import { parseSync } from 'libpg-query';
import { dividedNames } from '../../src/database/tables/divided-tables.ts';
import { isNode, levels, listEntries, type Node, toAlias } from './nodes.ts';

/**
 * The rules that a Citus cluster needs. One SELECT, UPDATE or DELETE reads tables that are divided by repository or other
 * tables, and a part that reads the ones names no column of the others around it. Results of parts may be related, also
 * by a part of WITH that PostgreSQL plans in its place. Columns without the alias of their table are not checked. A subquery
 * beside a divided table that is changed reads no other table: Citus 13.2.2 crashes. A part of WITH has no column of type
 * void, which Citus cannot store.
 */

/** The tables of one SELECT, UPDATE or DELETE by their aliases, and whether they are divided. */
interface Level {
  tables: Map<string, { name: string; isDivided: boolean }>;
  outer: Level | undefined;
}

interface Scope {
  level: Level | undefined;
  /** The names of parts of WITH. */
  parts: ReadonlySet<string>;
  problems: Set<string>;
}

const divided = new Set<string>(dividedNames);
/** Functions without a result. */
const voidFunctions = new Set([
  'announce_accounts',
  'announce_holders',
  'count_changes',
  'mark_commits_uncounted',
  'mark_unsummed',
  'pg_advisory_xact_lock',
  'pg_notify',
  'record_changed_contributors',
]);

/** Returns the tables that a statement relates against the rule, in words. The parser must be loaded: see rules.ts. */
export function mixedIn(statement: string): string[] {
  const problems = new Set<string>();
  const parsed: unknown = parseSync(statement);
  visit(parsed, { level: undefined, parts: new Set(), problems });
  if (namesDivided(parsed)) for (const name of voidParts(parsed)) problems.add(`the part ${name} has the type void`);
  return [...problems];
}

function namesDivided(part: unknown): boolean {
  return listEntries(part).some(
    ([key, value]) => (key === 'relname' && divided.has(String(value))) || namesDivided(value),
  );
}

/** Returns the names of the parts of WITH that select the result of a function without one. */
function voidParts(part: unknown, name?: string): string[] {
  return listEntries(part).flatMap(([key, value]) => {
    if (!isNode(value)) return [];
    if (key === 'CommonTableExpr') return voidParts(value['ctequery'], String(value['ctename']));
    if (key !== 'ResTarget' || name === undefined) return voidParts(value, key === 'RangeSubselect' ? undefined : name);
    return isVoidCall(value['val']) ? [name] : [];
  });
}

function isVoidCall(expression: unknown): boolean {
  const call = isNode(expression) ? expression['FuncCall'] : undefined;
  const [, last] = isNode(call) ? (listEntries(call['funcname']).at(-1) ?? []) : [];
  return isNode(last) && isNode(last['String']) && voidFunctions.has(String(last['String']['sval']));
}

function visit(part: unknown, scope: Scope): void {
  for (const [key, value] of listEntries(part)) {
    const isBranch = (key === 'larg' || key === 'rarg') && isNode(value) && 'limitOption' in value;
    if ((isBranch || levels.has(key)) && isNode(value)) visitLevel(value, scope);
    else if (key === 'ColumnRef' && isNode(value)) noteColumn(value, scope);
    else visit(value, key === 'InsertStmt' && isNode(value) ? { ...scope, parts: listParts(value, scope) } : scope);
  }
}

function visitLevel(statement: Node, scope: Scope): void {
  const level: Level = { tables: new Map(), outer: scope.level };
  const parts = listParts(statement, scope);
  for (const source of [statement['relation'], statement['fromClause'], statement['usingClause']]) {
    readSource(source, level, parts);
  }
  const tables = [...level.tables.values()];
  const [dividedTable, undividedTable] = [
    tables.find(({ isDivided }) => isDivided),
    tables.find(({ isDivided }) => !isDivided),
  ];
  if (dividedTable !== undefined && undividedTable !== undefined) {
    scope.problems.add(
      `${dividedTable.name}, which is divided by repository, is joined with ${undividedTable.name}, which is not`,
    );
  }
  const changed = isNode(statement['relation']) ? String(statement['relation']['relname']) : '';
  for (const beside of divided.has(changed) ? [statement['fromClause'], statement['usingClause']] : []) {
    const [table] = undividedIn(beside, parts);
    if (table !== undefined) scope.problems.add(`a subquery beside ${changed}, which is changed, reads ${table}`);
  }
  visit(statement, { ...scope, level, parts });
}

/** Returns the tables in the subqueries of a FROM clause that are not divided. */
function undividedIn(part: unknown, parts: ReadonlySet<string>, isInside = false): string[] {
  return listEntries(part).flatMap(([key, value]) => {
    if (key === 'RangeVar' && isInside && isNode(value)) {
      const name = String(value['relname']);
      return divided.has(name) || parts.has(name) ? [] : [name];
    }
    return undividedIn(value, parts, isInside || key === 'RangeSubselect');
  });
}

/** Returns the names of the parts of WITH that a statement may read. */
function listParts(statement: Node, { parts }: Scope): ReadonlySet<string> {
  const withClause = isNode(statement['withClause']) ? statement['withClause']['ctes'] : [];
  const own = listEntries(withClause).flatMap(([, entry]) => {
    const part = isNode(entry) ? entry['CommonTableExpr'] : undefined;
    return isNode(part) ? [String(part['ctename'])] : [];
  });
  return new Set([...parts, ...own]);
}

/** Adds the tables of a FROM clause to a level. */
function readSource(source: unknown, level: Level, parts: ReadonlySet<string>): void {
  if (!isNode(source)) return;
  if (Array.isArray(source)) for (const part of source) readSource(part, level, parts);
  // The table that a statement changes comes without the name of its kind.
  const table = 'relname' in source ? source : source['RangeVar'];
  if (isNode(table)) {
    const name = String(table['relname']);
    if (!parts.has(name)) level.tables.set(toAlias(table) ?? name, { name, isDivided: divided.has(name) });
  }
  const join = source['JoinExpr'];
  if (isNode(join)) readSource([join['larg'], join['rarg']], level, parts);
}

/** Notes a column of a table around a part that reads tables of the other class. */
function noteColumn(column: Node, { level, problems }: Scope): void {
  const [alias, ...others] = listEntries(column['fields']).map(([, field]) =>
    isNode(field) && isNode(field['String']) ? String(field['String']['sval']) : '',
  );
  if (alias === undefined || others.length === 0) return;
  const inside: Level[] = [];
  for (let at = level; at !== undefined; at = at.outer) {
    const table = at.tables.get(alias);
    if (table === undefined) {
      inside.push(at);
      continue;
    }
    const tables = inside.flatMap((level) => Array.from(level.tables.values()));
    const mixedTable = tables.find(({ isDivided }) => isDivided !== table.isDivided);
    if (mixedTable !== undefined)
      problems.add(`a part that reads ${mixedTable.name} names a column of ${table.name} around it`);
    return;
  }
}
