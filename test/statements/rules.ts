import { loadModule, parsePlPgSQLSync, parseSync } from 'libpg-query';
import { dividedNames } from '../../src/database/tables/divided-tables.ts';
import { isNode, levels, listEntries, type Node, toAlias } from './nodes.ts';

/**
 * The rule for statements about the tables that are divided by repository: when a statement, or one branch of UNION, names
 * several of them, or one several times, each is compared by its repository, with a value or with another table, by a
 * condition that holds for every row. Statements are parsed by PostgreSQL's own parser. Two tables that are compared with
 * different values pass, as do those that only a view or a function names.
 */

/** Loads PostgreSQL's parser, which the other functions need. */
export const loadParser = loadModule;

/** A divided table in a FROM clause, or the one that UPDATE and DELETE change. */
interface Reference {
  table: string;
  alias: string;
  isCompared: boolean;
}

/** The tables of one SELECT, UPDATE or DELETE, and of those around it. */
interface Level {
  references: Reference[];
  /** Subqueries in its FROM clause and parts of WITH that it reads, by their aliases, with the tables in them. */
  derived: Map<string, Reference[]>;
  /** The parts of its WITH, by their names, with the tables in them. */
  parts: Map<string, Reference[]>;
  /** The names in its FROM clause that are of no divided table, by their aliases. */
  others: Map<string, string>;
  outer: Level | undefined;
}

/** Looks into a part of a statement. */
interface Scope {
  level: Level | undefined;
  /** Receives the tables of the branch. */
  branch: Reference[];
  /** Receives each branch. */
  branches: Reference[][];
  /** Receive the tables in subqueries. */
  subqueries: readonly Reference[][];
}

const divided = new Set<string>(dividedNames);
const comparisons = new Set(['AEXPR_OP', 'AEXPR_OP_ANY', 'AEXPR_IN', 'AEXPR_NOT_DISTINCT']);

/** Returns the tables in a statement, or in each of several that are sent together, that break the rule, by the text that names them. */
export function listProblems(text: string): string[] {
  const parsed: unknown = parseSync(text);
  return isNode(parsed) ? listEntries(parsed['stmts']).flatMap(([, statement]) => problemsOfStatement(statement)) : [];
}

function problemsOfStatement(statement: unknown): string[] {
  const firstBranch: Reference[] = [];
  const branches = [firstBranch];
  visit(statement, { level: undefined, branch: firstBranch, branches, subqueries: [] });
  return branches
    .flatMap((branch) => (branch.length < 2 ? [] : branch))
    .filter(({ isCompared }) => !isCompared)
    .map(({ table, alias }) => `${table}${alias === table ? '' : ` ${alias}`} is not compared by its repository_id`);
}

/** Returns the statements and expressions in a function of the language plpgsql, from `create function` on. */
export function statementsIn(definition: string): string[] {
  const found: string[] = [];
  findExpressions(parsePlPgSQLSync(definition), found);
  return found;
}

function findExpressions(part: unknown, found: string[]): void {
  for (const [key, value] of listEntries(part)) {
    if (
      key === 'PLpgSQL_expr' &&
      isNode(value) &&
      /^\s*(select|insert|update|delete|with)\b/i.test(String(value['query']))
    ) {
      found.push(String(value['query']));
    } else findExpressions(value, found);
  }
}

function visit(part: unknown, scope: Scope): void {
  for (const [key, value] of listEntries(part)) {
    const isBranch = (key === 'larg' || key === 'rarg') && isNode(value) && 'limitOption' in value;
    if (isBranch) {
      const branch: Reference[] = [];
      scope.branches.push(branch);
      visitLevel(value, { ...scope, branch });
    } else if (levels.has(key) && isNode(value)) visitLevel(value, scope);
    else if (key === 'RangeSubselect' && isNode(value)) {
      const inside: Reference[] = [];
      scope.level?.derived.set(toAlias(value) ?? '', inside);
      visit(value, { ...scope, subqueries: [...scope.subqueries, inside] });
    } else if (key === 'CommonTableExpr' && isNode(value)) {
      const inside: Reference[] = [];
      scope.level?.parts.set(String(value['ctename']), inside);
      visit(value, { ...scope, subqueries: [...scope.subqueries, inside] });
    } else visit(value, scope);
  }
}

function visitLevel(statement: Node, scope: Scope): void {
  const level: Level = {
    references: [],
    derived: new Map(),
    parts: new Map(),
    others: new Map(),
    outer: scope.level,
  };
  const conditions: unknown[] = [statement['whereClause']];
  for (const source of [statement['relation'], statement['fromClause'], statement['usingClause']]) {
    readSource(source, level, conditions);
  }
  for (const references of [scope.branch, ...scope.subqueries]) references.push(...level.references);
  visit(statement, { ...scope, level });
  // Subqueries and parts are known by now.
  for (const [alias, name] of level.others) {
    const inside = toPart(name, level);
    if (inside !== undefined) level.derived.set(alias, inside);
  }
  for (const condition of conditions) readCondition(condition, level);
}

/** Returns the tables in the nearest part of WITH that has the name. */
function toPart(name: string, level: Level | undefined): Reference[] | undefined {
  return level && (level.parts.get(name) ?? toPart(name, level.outer));
}

/** Adds the tables of a FROM clause to a level, and the conditions of its joins. */
function readSource(source: unknown, level: Level, conditions: unknown[]): void {
  if (!isNode(source)) return;
  if (Array.isArray(source)) for (const part of source) readSource(part, level, conditions);
  // The table that a statement changes comes without the name of its kind.
  const table = 'relname' in source ? source : source['RangeVar'];
  if (isNode(table)) {
    const name = String(table['relname']);
    const alias = toAlias(table) ?? name;
    if (divided.has(name)) level.references.push({ table: name, alias, isCompared: false });
    else level.others.set(alias, name);
  }
  const join = source['JoinExpr'];
  if (!isNode(join)) return;
  readSource([join['larg'], join['rarg']], level, conditions);
  conditions.push(join['quals']);
  if (JSON.stringify(join['usingClause'] ?? []).includes('"repository_id"')) compare(['repository_id'], level);
}
/** Notes the tables that a condition compares; parts of OR and NOT do not hold for every row. */
function readCondition(condition: unknown, level: Level): void {
  if (!isNode(condition)) return;
  const [both, comparison, list] = [condition['BoolExpr'], condition['A_Expr'], condition['SubLink']];
  const tested = condition['BooleanTest'];
  if (isNode(both) && both['boolop'] === 'AND_EXPR') {
    for (const [, term] of listEntries(both['args'])) readCondition(term, level);
  } else if (isNode(comparison) && comparisons.has(String(comparison['kind'])) && isEqual(comparison['name'])) {
    for (const side of [comparison['lexpr'], comparison['rexpr']]) compare(toColumn(side), level);
  } else if (isNode(list) && list['subLinkType'] === 'ANY_SUBLINK') compare(toColumn(list['testexpr']), level);
  else if (isNode(tested) && tested['booltesttype'] === 'IS_TRUE') readCondition(tested['arg'], level);
}

function isEqual(operator: unknown): boolean {
  return JSON.stringify(operator) === '[{"String":{"sval":"="}}]';
}

/** Returns the parts of the name of a column. */
function toColumn(expression: unknown): string[] {
  const column = isNode(expression) ? expression['ColumnRef'] : undefined;
  if (!isNode(column)) return [];
  return listEntries(column['fields']).map(([, field]) =>
    isNode(field) && isNode(field['String']) ? String(field['String']['sval']) : '',
  );
}

/** Notes that the table of a column is compared by its repository. */
function compare(names: readonly string[], level: Level): void {
  if (names.at(-1) !== 'repository_id') return;
  const alias = names.at(-2);
  for (let at: Level | undefined = level; at !== undefined; at = at.outer) {
    const named = at.references.filter((reference) => alias === undefined || reference.alias === alias);
    for (const reference of named) reference.isCompared = true;
    const [only, ...others] = alias === undefined ? [] : (at.derived.get(alias) ?? []);
    if (only !== undefined && others.length === 0) only.isCompared = true;
    if (named.length > 0 || (alias !== undefined && at.derived.has(alias))) return;
  }
}
