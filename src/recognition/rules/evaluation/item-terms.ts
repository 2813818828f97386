import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import type { ComparisonOperator, SetForm } from '../conditions/syntax.ts';
import type { AgeTerm, Checked, DateTerm, ListTerm, NumberTerm, ReasonTerm } from '../conditions/terms.ts';
import { ageUnits, type FieldOf } from '../conditions/vocabulary.ts';
import { effective, type ItemSource, isAnswered, isInRepositories, lowerCase } from './item-sources.ts';

/** Returns SQL that is true for contributions that satisfy all conditions, and null where the data is not known. */
export function allHold(conditions: readonly Checked[], source: ItemSource): RawBuilder<unknown> {
  const parts = conditions.map((condition) => holds(condition, source));
  return parts.length === 0 ? sql`true` : sql`(${sql.join(parts, sql` and `)})`;
}

/**
 * Returns SQL that is true for contributions that satisfy a condition, and null where the data is not known.
 * @param condition a condition of item terms only.
 */
export function holds(condition: Checked, source: ItemSource): RawBuilder<unknown> {
  switch (condition.kind) {
    case 'and':
      return allHold(condition.terms, source);
    case 'or': {
      const parts = condition.terms.map((term) => holds(term, source));
      return sql`(${sql.join(parts, sql` or `)})`;
    }
    case 'flag':
      return condition.value ? flag(condition.field, source) : sql`not ${flag(condition.field, source)}`;
    case 'number':
      return numberHolds(condition);
    case 'date':
      return dateHolds(condition, source);
    case 'reason':
      return reasonHolds(condition, source);
    case 'state':
      return sql`(i.state ${operators[condition.operator]} ${condition.value})`;
    case 'list':
      return listHolds(condition, source);
    case 'age':
      return ageHolds(condition, source);
    case 'count':
    case 'sum':
    case 'rank':
      throw new Error(`${condition.kind} is not about one contribution`);
    default:
      return condition satisfies never;
  }
}

function flag(field: FieldOf<'flag'>, source: ItemSource): RawBuilder<unknown> {
  const { scope } = source;
  if (field === 'first' || field === 'first_in_organization') return isFirst(field, source);
  if (field === 'starred') return sql`true`;
  if (field === 'answered') return isAnswered(scope);
  const column = field === 'merged' ? sql`i.merged_at` : sql`i.closed_at`;
  return sql`(${effective(column, scope)} is not null)`;
}

const operators: Readonly<Record<ComparisonOperator, RawBuilder<unknown>>> = {
  '=': sql`=`,
  '!=': sql`<>`,
  '>': sql`>`,
  '>=': sql`>=`,
  '<': sql`<`,
  '<=': sql`<=`,
};

export function numberColumn(field: NumberTerm['field']): RawBuilder<unknown> {
  return field === 'reactions' ? sql`cardinality(i.emojis)` : sql`i.${sql.ref(field)}`;
}

function numberHolds({ field, operator, value }: NumberTerm): RawBuilder<unknown> {
  return sql`(${numberColumn(field)} ${operators[operator]} ${value}::integer)`;
}

function dateColumn(field: DateTerm['field'], { createdAt, scope }: ItemSource): RawBuilder<unknown> {
  if (field === 'created_at') return createdAt;
  return effective(field === 'closed_at' ? sql`i.closed_at` : sql`i.merged_at`, scope);
}

const dayMs = 86_400_000;

function dateHolds({ field, operator, value }: DateTerm, source: ItemSource): RawBuilder<unknown> {
  const column = dateColumn(field, source);
  if (!value.isWholeDay) return sql`(${column} ${operators[operator]} ${value.from}::timestamptz)`;
  return within(
    column,
    operator,
    sql`${value.from}::timestamptz`,
    sql`${new Date(value.from.getTime() + dayMs)}::timestamptz`,
  );
}

/** The longest age, in s: older than anything, and short enough for an interval of PostgreSQL. */
const maxAgeS = 100_000_000_000;

function ageHolds({ unit, operator, value }: AgeTerm, source: ItemSource): RawBuilder<unknown> {
  const seconds = (units: number): RawBuilder<unknown> =>
    sql`${Math.min(maxAgeS, units * ageUnits[unit])}::bigint * interval '1 second'`;
  return within(ageColumn(source), operator, seconds(value), seconds(value + 1));
}

/** Returns SQL for the interval from the creation to the end; null while there is no end. */
export function ageColumn(source: ItemSource): RawBuilder<unknown> {
  const end = source.action === 'pull_request' ? sql`i.merged_at` : sql`i.closed_at`;
  return sql`(${effective(end, source.scope)} - ${source.createdAt})`;
}

/** Compares a column with the range from `from`, inclusive, to `to`, exclusive, as if the range were one value. */
function within(
  column: RawBuilder<unknown>,
  operator: ComparisonOperator,
  from: RawBuilder<unknown>,
  to: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const comparisons: Readonly<Record<ComparisonOperator, () => RawBuilder<unknown>>> = {
    '=': () => sql`(${column} >= ${from} and ${column} < ${to})`,
    '!=': () => sql`(${column} < ${from} or ${column} >= ${to})`,
    '>': () => sql`(${column} >= ${to})`,
    '>=': () => sql`(${column} >= ${from})`,
    '<': () => sql`(${column} < ${from})`,
    '<=': () => sql`(${column} < ${to})`,
  };
  return comparisons[operator]();
}

/** An issue that was closed after `scope.before` satisfies nothing, because its earlier reason is not stored. */
function reasonHolds({ operator, value }: ReasonTerm, { scope }: ItemSource): RawBuilder<unknown> {
  const isKnown = scope.before === undefined ? sql`` : sql`and (i.closed_at is null or i.closed_at < ${scope.before})`;
  return sql`(upper(i.reason) ${operators[operator]} ${value} ${isKnown})`;
}

/**
 * Returns SQL that is true for the first issue, merged pull request or review of its author in its repository, or in
 * all stored repositories of the same owner; null while one of these repositories is being collected. Contributions of
 * the same moment are all first.
 */
function isFirst(field: 'first' | 'first_in_organization', source: ItemSource): RawBuilder<unknown> {
  const { action, scope, steps } = source;
  const column = sql.ref(action === 'pull_request' ? 'merged_at' : 'created_at');
  const moment = action === 'pull_request' ? effective(sql`i.${column}`, scope) : sql`i.${column}`;
  const first = steps.add(field, field === 'first' ? firstsSql(source, column) : firstsOfOwnerSql(source, column));
  const holds = sql`(i.account_id is not null and ${moment} is not null
    and (i.repository_id, i.account_id, i.${column}) in (select repository_id, account_id, at from ${first}))`;
  const incomplete =
    field === 'first'
      ? steps.add(
          'incomplete',
          sql`select distinct i.repository_id, kinds.kind from streams i cross join unnest(i.covers) as kinds (kind)
            where ${isInRepositories(scope)} and i.completed_at is null`,
        )
      : steps.add(
          'incomplete of the owner',
          sql`select distinct o.repository_id, kinds.kind from ${ownedStep(source)} o join streams s on s.repository_id = o.id
            cross join unnest(s.covers) as kinds (kind) where (o.installed_at is not null or o.id = o.repository_id) and s.completed_at is null`,
        );
  return sql`(case when (i.repository_id, i.kind) not in (select repository_id, kind from ${incomplete}) then ${holds} end)`;
}

/** Returns SQL for the moments of the first contributions of the people of a source, by repository. */
function firstsSql(source: ItemSource, column: RawBuilder<unknown>): RawBuilder<unknown> {
  const { action, scope } = source;
  const hasAuthor =
    scope.accountIds === undefined
      ? sql`i.account_id is not null`
      : sql`i.account_id in (select account_id from ${authorsStep(source)})`;
  return sql`select i.repository_id, i.account_id, min(i.${column}) as at from contributions i
    where ${isInRepositories(scope)} and i.kind = ${action} and i.${column} is not null and ${hasAuthor} group by 1, 2`;
}

/** Returns SQL for the moments of people's first contributions to any repository of the owner of each repository. */
function firstsOfOwnerSql(source: ItemSource, column: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select o.repository_id, i.account_id, min(i.${column}) as at
    from contributions i join ${ownedStep(source)} o on o.id = i.repository_id
    where i.kind = ${source.action} and i.${column} is not null
      and i.account_id in (select account_id from ${authorsStep(source)}) group by 1, 2`;
}

function authorsStep({ steps, authors }: ItemSource): RawBuilder<unknown> {
  return steps.add('authors', authors);
}

/**
 * Adds a part with the repositories of the owner of each repository. Private ones count only for private repositories,
 * so that no award reveals them.
 */
function ownedStep({ steps, scope }: ItemSource): RawBuilder<unknown> {
  return steps.add(
    'owned by the same',
    sql`select judged.id as repository_id, other.id, other.installed_at
      from repositories judged join repositories other on other.owner_id = judged.owner_id
      where judged.id = any(${[scope.repositoryId].flat()}::uuid[]) and (other.id = judged.id or (
        ${isPresentInSql('other')} and (judged.is_private or not other.is_private)))`,
  );
}

/**
 * Returns SQL for a comparison of a list with a set. A list that is not known satisfies nothing, not even that a value
 * is not in it.
 */
function listHolds({ field, form, values }: ListTerm, source: ItemSource): RawBuilder<unknown> {
  if (field === 'labels')
    return compareArrays(form, source.lowerCaseLabels, sql`(select ${lowerCase(sql`${values}::text[]`)})`);
  if (field === 'emojis') return compareArrays(form, sql`i.emojis`, sql`${values}::text[]`);
  if (field === 'files') return compareArrays(form, sql`i.files`, sql`${values}::text[]`);
  const has = (logins: readonly string[]): RawBuilder<unknown> => {
    const ids = idsInSql(logins, source);
    return field === 'actor' ? sql`${source.person} = any(${ids})` : sql`i.reactors && ${ids}`;
  };
  const holds =
    form === 'any' || form === 'none'
      ? has(values)
      : sql.join(
          values.map((login) => sql`(${has([login])})`),
          sql` and `,
        );
  return form === 'none' || form === 'not_all' ? sql`(not (${holds}))` : sql`(${holds})`;
}

function compareArrays(form: SetForm, list: RawBuilder<unknown>, values: RawBuilder<unknown>): RawBuilder<unknown> {
  if (form === 'any') return sql`(${list} && ${values})`;
  if (form === 'none') return sql`(not (${list} && ${values}))`;
  return form === 'all' ? sql`(${list} @> ${values})` : sql`(not (${list} @> ${values}))`;
}

/** Returns SQL for the ids of the accounts with these names at the providers of the repositories. */
function idsInSql(logins: readonly string[], { scope, steps }: ItemSource): RawBuilder<unknown> {
  const found = steps.add(
    JSON.stringify(logins),
    sql`select array(
      select a.id from accounts a
      where a.provider in (select provider from repositories where id = any(${[scope.repositoryId].flat()}::uuid[]))
        and lower(a.name) in (select lower(login) from unnest(${logins}::text[]) as login)) as ids`,
  );
  return sql`(select ids from ${found})::uuid[]`;
}
