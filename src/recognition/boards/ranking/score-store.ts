import { type RawBuilder, sql } from 'kysely';
import { concernsPerson } from '../../rules/conditions/terms.ts';
import { triggerSql } from '../../rules/evaluation/compile.ts';
import {
  effective,
  type ItemSource,
  isInRepositories,
  itemSource,
  lowerCase,
  parentKinds,
  type Scope,
  Statement,
} from '../../rules/evaluation/item-sources.ts';
import { allHold } from '../../rules/evaluation/item-terms.ts';
import { Measures, needsLabels, satisfiedAt } from '../../rules/evaluation/measures.ts';
import { PointSums, planPerson } from '../../rules/evaluation/person-terms.ts';
import { always } from '../../rules/file/read-trigger.ts';
import type { Board, BoardRule } from '../board.ts';
import { type BoardWindow, decidedAt } from '../board-window.ts';

/** The data that the points of a board are computed from. */
interface ScoreScope {
  repositoryIds: readonly string[];
  window: BoardWindow;
  /** The only people whose points are computed; undefined for all. */
  accountIds?: readonly string[] | undefined;
  /** True when the rows need the columns that identify a contribution. */
  namesItems: boolean;
}

/** A rule with its number in the file, from 1. */
interface NumberedRule {
  rule: BoardRule;
  number: number;
}

/**
 * Returns a statement with these parts. `matched`: each contribution that satisfies a rule, also before the window,
 * with `person`, `rule`, `at`, and with `namesItems` the columns that identify it. `counted`: those in the window, with
 * their points before the caps (`full_value`) and after them (`value`). A rule with an aggregate, such as `count()`, is
 * in `counted` once for each person; its contributions are in `matched` with the negative number of the rule, which
 * gives no points: they only decide who is a newcomer to the rules.
 */
export function scoreStatement(board: Board, scope: ScoreScope): Statement {
  const rules = board.rules.map((rule, index) => ({ rule, number: index + 1 }));
  const statement = new Statement();
  const sources = Map.groupBy(rules, ({ rule }) =>
    [rule.actor, rule.action, rule.withoutOwn, rule.countsEach, rule.decidedUntil].join(' '),
  );
  const parts = [...sources.values()].map((group, index) => {
    statement.add(`items${index}`, itemsSql(board, scope, group));
    return sql`select * from ${sql.id(`items${index}`)}`;
  });
  const { until } = scope.window;
  const isBefore = until === null ? sql`` : sql`where at < ${until}::timestamptz`;
  statement.addOnce('matched', sql`select * from (${sql.join(parts, sql` union all `)}) as items ${isBefore}`);
  const aggregateRules = rules.filter(({ rule }) => concernsPerson(rule.condition));
  const earned = aggregateRules.map(({ rule, number }) => {
    const name = `once${number}`;
    addAggregateRule(statement, name, board, scope, rule);
    return sql`select person, ${number}::integer as rule, at, ${scope.namesItems ? sql`${noItem},` : sql``}
      ${rule.points}::float8 as full_value, ${rule.points}::float8 as value from ${sql.id(name)}`;
  });
  statement.add('counted', sql.join([countedSql(rules, scope), ...earned], sql` union all `));
  return statement;
}

const noItem = sql`null::uuid as repository_id, null::text as kind, null::text as external_id, null::bytea as oid,
  null::text as parent, null::integer as number`;

/** Returns SQL for the contributions of one source, once for each person and rule. */
function itemsSql(board: Board, scope: ScoreScope, group: readonly NumberedRule[]): RawBuilder<unknown> {
  const [first] = group.map(({ rule }) => rule);
  if (first === undefined) throw new Error('a group of rules has no rule');
  const source = toSource(board, scope, first, needsLabels(group.map(({ rule }) => rule.condition)));
  const moments = group.map(({ rule }) => {
    // All contributions of the source decide who is a newcomer, also those that do not meet the condition.
    const condition = concernsPerson(rule.condition) ? always : rule.condition;
    return sql`case when ${allHold([condition], source)} then ${momentInSql(rule, source) ?? satisfiedAt([condition], source)} end`;
  });
  const numbers = group.map(({ rule, number }) => sql`${concernsPerson(rule.condition) ? -number : number}::integer`);
  // The source is read once for all of its rules: `unnest` returns a row of each contribution for each rule.
  const isSingleRule = group.length === 1;
  const [rule, at] = [numbers, moments].map((all) =>
    isSingleRule ? sql.join(all) : sql`unnest(array[${sql.join(all)}])`,
  );
  const item = scope.namesItems ? sql`, ${namesInSql(first)}` : sql``;
  return sql`
    ${source.steps.toSql()} select * from (
      select ${source.person} as person, ${rule} as rule, ${at} as at ${item}
      from ${source.from}) as found
    where at is not null`;
}

/** Returns SQL for the columns that identify the contribution `i` of a rule. */
function namesInSql({ action }: BoardRule): RawBuilder<unknown> {
  return action === 'commit'
    ? sql`i.repository_id, 'commit'::text as kind, null::text as external_id, i.oid, null::text as parent, null::integer as number`
    : sql`i.repository_id, i.kind::text as kind, i.external_id, null::bytea as oid, i.parent_external_id as parent, i.number`;
}

/**
 * Returns the contributions that a rule can count, without those with spam labels and those that their authors merged.
 * @param usesLabels true where the rule, or another one of the same source, has a condition on labels.
 */
function toSource(
  board: Board,
  { repositoryIds, window, accountIds }: ScoreScope,
  rule: BoardRule,
  usesLabels: boolean,
): ItemSource {
  const { actor, action } = rule;
  if (action === 'point') throw new Error('a rule of a board cannot have the action point');
  const scope: Scope = {
    repositoryId: repositoryIds,
    before: decidedAt(rule, window) ?? undefined,
    accountIds,
  };
  const source = itemSource(actor, action, scope, rule.withoutOwn);
  const conditions: RawBuilder<unknown>[] = [];
  if (action === 'review' && !rule.countsEach) {
    const first = source.steps.add('first_reviews', firstReviewsSql(scope, window));
    conditions.push(sql`(i.repository_id, i.external_id) in (select repository_id, external_id from ${first})`);
  }
  if (board.spamLabels.length > 0 && action !== 'commit') {
    conditions.push(
      hasNoSpamLabel(board.spamLabels, parentKinds[action], usesLabels ? source.lowerCaseLabels : undefined),
    );
  }
  if (!board.countsSelfMerged && action === 'pull_request') {
    const owned = source.steps.add(
      'owned',
      sql`select id, owner_id from repositories where id = any(${repositoryIds}::uuid[])`,
    );
    conditions.push(sql`not coalesce(i.merged_by = i.account_id
      and (i.repository_id, i.account_id) in (select id, owner_id from ${owned}), false)`);
  }
  const also = conditions.length === 0 ? sql`` : sql`and ${sql.join(conditions, sql` and `)}`;
  const from = sql`${usesLabels ? source.fromWithLabels : source.from} ${also}`;
  return { ...source, from, fromWithLabels: from };
}

/** Returns SQL for the first review of each person on an item on each day of the window. */
function firstReviewsSql(scope: Scope, { since, until, timeZone }: BoardWindow): RawBuilder<unknown> {
  const isOfPeople = scope.accountIds === undefined ? sql`true` : sql`i.account_id = any(${scope.accountIds}::uuid[])`;
  const day = sql`i.repository_id, i.account_id, coalesce(i.parent_external_id, i.external_id),
    (i.created_at at time zone ${timeZone})::date, i.created_at >= ${since ?? '-infinity'}::timestamptz`;
  return sql`
    select repository_id, external_id from (
      select i.repository_id, i.external_id, row_number() over (partition by ${day} order by i.created_at, i.external_id) as place
      from contributions i
      where ${isInRepositories(scope)} and i.kind = 'review' and ${isOfPeople}
        and i.created_at < ${until ?? 'infinity'}::timestamptz) reviews
    where place = 1`;
}

/**
 * Returns the condition that a contribution `i` has no spam label. A comment has the labels of the item to which it
 * belongs.
 * @param lowerCaseLabels SQL for its labels, where a condition needs them anyway.
 */
function hasNoSpamLabel(
  spamLabels: readonly string[],
  parentKind: string | undefined,
  lowerCaseLabels: RawBuilder<unknown> | undefined,
): RawBuilder<unknown> {
  const spam = sql`(select ${lowerCase(sql`${spamLabels}::text[]`)})`;
  if (lowerCaseLabels !== undefined || parentKind === undefined)
    return sql`not coalesce(${lowerCaseLabels ?? lowerCase(sql`i.labels`)} && ${spam}, false)`;
  return sql`not exists (
    select from contributions p
    where p.repository_id = i.repository_id and p.kind = ${parentKind} and p.external_id = i.parent_external_id
      and ${lowerCase(sql`p.labels`)} && ${spam})`;
}

/** Returns SQL for the moment that a rule names; undefined where its condition decides. */
function momentInSql({ at }: BoardRule, source: ItemSource): RawBuilder<unknown> | undefined {
  if (at === null) return undefined;
  if (at === 'created') return source.createdAt;
  return effective(at === 'merged' ? sql`i.merged_at` : sql`i.closed_at`, source.scope);
}

/** Adds a part with the people who earned a rule with an aggregate, and the moments at which they did. */
function addAggregateRule(statement: Statement, name: string, board: Board, scope: ScoreScope, rule: BoardRule): void {
  const { since, until } = scope.window;
  const source = toSource(board, scope, rule, needsLabels([rule.condition]));
  const measures = new Measures(`${name}_items`, {
    ...source,
    window: {
      at: momentInSql(rule, source),
      holds: (at) => sql`${at} >= ${since ?? '-infinity'}::timestamptz and ${at} < ${until ?? 'infinity'}::timestamptz`,
    },
  });
  const node = planPerson(rule.condition, [], measures, new PointSums());
  statement.addOnce(measures.name, measures.toSql());
  statement.add(name, triggerSql({ name, node, parts: [measures.name] }));
}

/** Returns SQL for the contributions in the window with their points, after decay and caps. */
function countedSql(rules: readonly NumberedRule[], { window, namesItems }: ScoreScope): RawBuilder<unknown> {
  const values = rules.map(
    ({ rule, number }) =>
      sql`(${number}::integer, ${rule.points}::float8, ${rule.perDay ?? Infinity}::float8, ${rule.decay}::float8)`,
  );
  const from = window.since === null ? sql`` : sql`and m.at >= ${window.since}::timestamptz`;
  const columns = sql`person, rule, at ${namesItems ? sql`, repository_id, kind, external_id, oid, parent, number` : sql``}`;
  // Contributions of one moment need an order only where each is listed with its own points.
  const ofMoment = namesItems ? sql`, repository_id, kind, external_id, oid` : sql``;
  const ofDay = sql`(partition by person, rule, day order by at ${ofMoment} rows unbounded preceding)`;
  // `running` includes the contribution itself, so `per_day - running + full_value` is what the cap leaves for it.
  return sql`
    select ${columns}, full_value, greatest(0, least(full_value, per_day - running + full_value)) as value from (
      select *, sum(full_value) over ${ofDay} as running from (
        select *, points / (1 + decay * (row_number() over ${ofDay} - 1)) as full_value from (
          select m.*, r.points, r.per_day, r.decay, (m.at at time zone ${window.timeZone})::date as day
          from matched m join (values ${sql.join(values)}) as r (rule, points, per_day, decay) using (rule)
          where (r.per_day < 'infinity' or r.decay > 0) ${from}) as of_days) as decayed) as growing
    union all
    select ${columns}, r.points, r.points
    from matched m join (values ${sql.join(values)}) as r (rule, points, per_day, decay) using (rule)
    where r.per_day = 'infinity' and r.decay = 0 ${from}`;
}
