import { parseSync } from 'libpg-query';
import { dividedNames } from '../../src/database/tables/divided-tables.ts';
import { isNode, levels, listEntries, type Node, toAlias } from './nodes.ts';

/**
 * Patterns that Citus 13.2.2 refuses or misreads in statements about the tables that are divided by repository:
 * - an UPDATE or DELETE of another table that looks for its rows by a locking subquery. Citus writes the result of
 *   the subquery in one format and reads it in another (`invalid input syntax …: "PGCOPY"`);
 * - a subquery over the rows of a function that names a column of a divided table around it, of which the repository is not
 *   given (`correlated subqueries are not supported when the FROM clause contains a set returning function`).
 * - `exists (select from …)` beside tables of the other kind: Citus stores the rows of such a subquery, which need a column
 *   (`a column definition list is required for functions returning "record"`);
 * - an INSERT of a worker's transaction: workers evaluate `pg_current_xact_id()` beside their rows.
 */

const divided = new Set<string>(dividedNames);

/** Returns what a statement contains of these patterns, in words. The parser must be loaded: see rules.ts. */
export function refusedIn(statement: string): string[] {
  const parsed: unknown = parseSync(statement);
  if (!namesDivided(parsed)) return [];
  const problems = new Set<string>();
  findLocking(parsed, undefined, problems);
  findFunctions(parsed, [], problems);
  const names = partNames(parsed);
  for (const root of listRoots(parsed)) if (kindsIn(root, names).size > 1) findEmpty(root, names, problems);
  if (insertsTransaction(parsed)) problems.add('a worker evaluates pg_current_xact_id');
  return [...problems];
}

function namesDivided(part: unknown): boolean {
  return listEntries(part).some(
    ([key, value]) => (key === 'relname' && divided.has(String(value))) || namesDivided(value),
  );
}

/** Returns a statement and the parts of its WITH, without those inside of each. */
function listRoots(part: unknown): unknown[] {
  const roots: unknown[] = [part];
  const find = (inside: unknown): void => {
    for (const [key, value] of listEntries(inside)) {
      if (key === 'CommonTableExpr' && isNode(value)) roots.push(value['ctequery']);
      find(value);
    }
  };
  find(part);
  return roots;
}

/** Returns the kinds of tables that a part reads outside of its WITH. */
function kindsIn(part: unknown, names: ReadonlySet<string>): Set<boolean> {
  const tables = valuesIn(part, new Set(['relname']), 'withClause').filter((name) => !names.has(name));
  return new Set(tables.map((name) => divided.has(name)));
}

function partNames(part: unknown): Set<string> {
  return new Set(valuesIn(part, new Set(['ctename'])));
}

/** Returns the values of some fields in a part, except below another field. */
function valuesIn(part: unknown, fields: ReadonlySet<string>, except?: string): string[] {
  return listEntries(part).flatMap(([key, value]) => {
    if (key === except) return [];
    return fields.has(key) ? [String(value)] : valuesIn(value, fields, except);
  });
}

/**
 * Finds subqueries without columns that Citus runs by themselves: those of a part that reads both kinds of tables, which name
 * nothing around them.
 * @param names the parts of WITH, which are no tables.
 */
function findEmpty(part: unknown, names: ReadonlySet<string>, problems: Set<string>): void {
  for (const [key, value] of listEntries(part)) {
    if (key === 'withClause' || !isNode(value)) continue;
    const subquery = key === 'SubLink' && isNode(value['subselect']) ? value['subselect']['SelectStmt'] : undefined;
    const isEmpty = isNode(subquery) && !('targetList' in subquery) && kindsIn(subquery, names).size > 0;
    if (isEmpty && !isCorrelated(subquery)) {
      problems.add('a subquery beside tables of the other kind selects no column');
    }
    // A part that reads tables of one kind runs as it is.
    if (!levels.has(key) || kindsIn(value, names).size > 1) findEmpty(value, names, problems);
  }
}

/** Returns whether a subquery names a column of a table that it does not read itself. */
function isCorrelated(subquery: Node): boolean {
  const own = new Set(valuesIn(subquery, new Set(['relname', 'aliasname'])));
  return aliasesIn(subquery).some((alias) => !own.has(alias));
}

function insertsTransaction(part: unknown, isInside = false): boolean {
  return listEntries(part).some(([key, value]) => {
    if (key === 'InsertStmt') return namesDivided(value) && insertsTransaction(value, true);
    if (isInside && key === 'funcname' && JSON.stringify(value).includes('"pg_current_xact_id"')) return true;
    return insertsTransaction(value, isInside);
  });
}

/** @param changed the table that the statement around the part changes. */
function findLocking(part: unknown, changed: string | undefined, problems: Set<string>): void {
  for (const [key, value] of listEntries(part)) {
    if (!isNode(value)) continue;
    if (key === 'SubLink' && changed !== undefined) {
      const subquery = isNode(value['subselect']) ? value['subselect']['SelectStmt'] : undefined;
      if (isNode(subquery) && 'lockingClause' in subquery && !divided.has(changed)) {
        problems.add(`a locking subquery says which rows of ${changed} change`);
      }
    }
    const isChange = key === 'UpdateStmt' || key === 'DeleteStmt';
    const relation = isChange && isNode(value['relation']) ? String(value['relation']['relname']) : changed;
    findLocking(value, relation, problems);
  }
}

/** The aliases of a FROM clause that stand for divided tables whose repository is not given. */
type Around = ReadonlySet<string>;

function findFunctions(part: unknown, around: readonly Around[], problems: Set<string>): void {
  for (const [key, value] of listEntries(part)) {
    if (!isNode(value)) continue;
    if (!levels.has(key)) {
      findFunctions(value, around, problems);
      continue;
    }
    const readsFunction = listEntries(value['fromClause']).some(
      ([, source]) => isNode(source) && 'RangeFunction' in source,
    );
    if (readsFunction) {
      for (const alias of aliasesIn(value)) {
        if (around.some((aliases) => aliases.has(alias))) {
          problems.add(`a subquery over the rows of a function names a column of ${alias} around it`);
        }
      }
    }
    findFunctions(value, [...around, dividedAround(value)], problems);
  }
}

function dividedAround(statement: Node): Around {
  if (givesRepository(statement)) return new Set();
  return new Set([statement['relation'], statement['fromClause'], statement['usingClause']].flatMap(dividedSources));
}

function dividedSources(source: unknown): string[] {
  if (!isNode(source)) return [];
  if (Array.isArray(source)) return source.flatMap(dividedSources);
  const join = source['JoinExpr'];
  if (isNode(join)) return [join['larg'], join['rarg']].flatMap(dividedSources);
  const subquery = source['RangeSubselect'];
  if (isNode(subquery)) {
    return namesDivided(subquery) && !givesRepository(subquery) ? [toAlias(subquery) ?? ''] : [];
  }
  const table = 'relname' in source ? source : source['RangeVar'];
  if (!isNode(table) || !divided.has(String(table['relname']))) return [];
  return [toAlias(table) ?? String(table['relname'])];
}

/** Returns whether a part compares `repository_id` with a value, so that it runs on one worker. */
function givesRepository(part: unknown): boolean {
  return listEntries(part).some(([key, value]) => {
    if (!isNode(value)) return false;
    const sides = key === 'A_Expr' ? [value['lexpr'], value['rexpr']] : [];
    if (sides.some(isRepository) && sides.some(isValue)) return true;
    return givesRepository(value);
  });
}

function isRepository(side: unknown): boolean {
  return isNode(side) && 'ColumnRef' in side && JSON.stringify(side).includes('"repository_id"');
}

function isValue(side: unknown): boolean {
  if (!isNode(side)) return false;
  const cast = side['TypeCast'];
  return 'ParamRef' in side || 'A_Const' in side || (isNode(cast) && isValue(cast['arg']));
}

/** Returns the aliases whose columns a statement names. */
function aliasesIn(part: unknown): string[] {
  return listEntries(part).flatMap(([key, value]) => {
    if (key !== 'ColumnRef' || !isNode(value)) return aliasesIn(value);
    const [alias, ...others] = listEntries(value['fields']).map(([, field]) =>
      isNode(field) && isNode(field['String']) ? String(field['String']['sval']) : '',
    );
    return alias === undefined || others.length === 0 ? [] : [alias];
  });
}
