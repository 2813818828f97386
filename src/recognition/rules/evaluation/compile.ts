import { type RawBuilder, sql } from 'kysely';
import { type Checked, concernsPerson } from '../conditions/terms.ts';
import type { Achievement, PointAction, PointRule, Trigger } from '../config.ts';
import { type ItemSource, itemSource, noAuthors, type Scope, Statement, Steps } from './item-sources.ts';
import { type Measure, Measures } from './measures.ts';
import { holdsSince, type PersonNode, PointSums, planPerson } from './person-terms.ts';

/** An achievement that a person earned, and the moment of the contribution that completed it. */
export interface EarnedRow {
  /** The index of the achievement in the compiled list. */
  achievement: number;
  account_id: string;
  earned_at: Date;
}

/**
 * Compiles one query for the people who earned the achievements in a repository, each person once for each achievement.
 * Conditions on the same contributions share one scan.
 */
export function compileAchievements(
  achievements: readonly Achievement[],
  pointActions: readonly PointAction[],
  scope: Scope,
): RawBuilder<EarnedRow> {
  return new Compilation(pointActions, scope, achievements).compile();
}

interface PointTotal {
  total: number;
  /** The rank among all people with such points. */
  rank: number;
}

/**
 * Compiles one query for the total and the rank of a person's points of some actions; no row for a person without any.
 */
export function compileTotal(
  actions: readonly string[],
  pointActions: readonly PointAction[],
  scope: Scope,
  accountId: string,
): RawBuilder<PointTotal> {
  return new Compilation(pointActions, { ...scope, accountIds: undefined }, []).compileTotal(actions, accountId);
}

/** The name of the query part with all points that were earned: person, time, action and value. */
const pointsPart = 'points';

interface PlannedTrigger {
  name: string;
  node: PersonNode;
  /** The names of the query parts that the node reads. */
  parts: string[];
}

/** A rule that is earned once for each contribution. */
interface MeasuredRule {
  part: string;
  measure: Measure;
}

interface PlannedRule {
  action: string;
  value: number;
  earned: PlannedTrigger | MeasuredRule;
}

class Compilation {
  readonly #pointActions: readonly PointAction[];
  readonly #scope: Scope;
  /** The scope of the contributions: for a rank, those of all people. */
  readonly #itemScope: Scope;
  readonly #achievements: readonly Achievement[];
  readonly #measures = new Map<string, Measures>();
  readonly #sums = new PointSums();
  readonly #triggers: PlannedTrigger[] = [];

  constructor(pointActions: readonly PointAction[], scope: Scope, achievements: readonly Achievement[]) {
    this.#pointActions = pointActions;
    this.#scope = scope;
    this.#itemScope = achievements.some(usesRank) ? { ...scope, accountIds: undefined } : scope;
    this.#achievements = achievements;
  }

  compile(): RawBuilder<EarnedRow> {
    const groups = this.#achievements.map(({ triggers }) =>
      triggers.map((group) => group.map((trigger) => this.#planTrigger(trigger))),
    );
    const { statement, ofRules } = this.#withPoints();
    const ofPoints = this.#measures.get(pointsKey);
    if (ofPoints !== undefined) statement.addOnce(ofPoints.name, ofPoints.toSql());
    this.#sums.addTo(statement, pointsPart);
    for (const trigger of this.#triggers) {
      if (!ofRules.includes(trigger)) statement.add(trigger.name, triggerSql(trigger));
    }
    const earned = groups.map((group, index) => sql`(${earnedSql(index, group)})`);
    const isRequested =
      this.#scope.accountIds === undefined ? sql`` : sql`and u.id = any(${this.#scope.accountIds}::uuid[])`;
    return statement.toSql(sql<EarnedRow>`
      select achievement, person as account_id, at as earned_at
      from (${earned.length === 0 ? noRows : sql.join(earned, sql` union all `)}) as earned
      join accounts u on u.id = earned.person and u.type = 'user' ${isRequested}`);
  }

  /** Compiles the query for the points of one person. */
  compileTotal(actions: readonly string[], accountId: string): RawBuilder<PointTotal> {
    this.#sums.sum(actions);
    const { statement } = this.#withPoints();
    return statement.toSql(sql<PointTotal>`
      select total, rank from (
        select person, sum(value)::bigint as total, row_number() over (order by sum(value) desc, max(at), person) as rank
        from ${sql.id(pointsPart)} where action = any(${actions}::text[]) group by person) as ranked
      where person = ${accountId}`);
  }

  /** Starts the statement with the measured contributions, and with the points that were earned. */
  #withPoints(): { statement: Statement; ofRules: PlannedTrigger[] } {
    const rules = this.#pointRules().map(
      ({ action, rule }): PlannedRule => ({ action, value: rule.value, earned: this.#planRule(rule) }),
    );
    const statement = new Statement();
    for (const [key, measures] of this.#measures) {
      if (key !== pointsKey) statement.addOnce(measures.name, measures.toSql());
    }
    const ofRules = rules.map(({ earned }) => earned).filter((earned) => 'node' in earned);
    for (const trigger of ofRules) statement.add(trigger.name, triggerSql(trigger));
    statement.add(pointsPart, pointsSql(rules));
    return { statement, ofRules };
  }

  #planTrigger(trigger: Trigger): PlannedTrigger {
    const measures = this.#provideMeasures(trigger);
    const sums = this.#sums.begin(measures.name);
    const node = planPerson(trigger.condition, [], measures, this.#sums);
    const isMeasured = usesMeasures(node);
    if (isMeasured) this.#measures.set(keyOfItems(trigger), measures);
    const planned = {
      name: `trigger${this.#triggers.length}`,
      node,
      parts: [...(isMeasured ? [measures.name] : []), ...sums],
    };
    this.#triggers.push(planned);
    return planned;
  }

  #toSource({ actor, action, withoutOwn }: Trigger): ItemSource {
    if (action !== 'point') return itemSource(actor, action, this.#itemScope, withoutOwn);
    const at = sql`i.at`;
    const from = sql`${sql.id(pointsPart)} i where true`;
    return {
      scope: this.#itemScope,
      action,
      steps: new Steps(),
      authors: noAuthors,
      from,
      fromWithLabels: from,
      person: sql`i.person`,
      createdAt: at,
      doneAt: at,
      lowerCaseLabels: sql`null::text[]`,
    };
  }

  /** Returns the rules of the point actions that any condition uses. */
  #pointRules(): { action: string; rule: PointRule }[] {
    const usedActions = this.#sums.actions;
    const areAllUsed = this.#measures.has(pointsKey);
    return this.#pointActions
      .filter(({ name }) => areAllUsed || usedActions.has(name))
      .flatMap(({ name, rules }) => rules.map((rule) => ({ action: name, rule })));
  }

  #planRule(rule: PointRule): PlannedTrigger | MeasuredRule {
    if (concernsPerson(rule.condition)) return this.#planTrigger(rule);
    const measures = this.#provideMeasures(rule);
    this.#measures.set(keyOfItems(rule), measures);
    return { part: measures.name, measure: measures.of([rule.condition], { needsAll: true }) };
  }

  #provideMeasures(trigger: Trigger): Measures {
    const known = this.#measures.get(keyOfItems(trigger));
    return known ?? new Measures(`items${this.#measures.size}`, this.#toSource(trigger));
  }
}

const pointsKey = 'point';

function keyOfItems({ actor, action, withoutOwn = false }: Trigger): string {
  return action === 'point' ? pointsKey : `${actor} ${action} ${withoutOwn}`;
}

/** Returns SQL for the points of people only, because bots would take places in a ranking. */
function pointsSql(rules: readonly PlannedRule[]): RawBuilder<unknown> {
  const parts = rules.map(({ action, value, earned }) => {
    const [part, at] =
      'node' in earned ? [earned.name, sql`at`] : [earned.part, sql`unnest(${sql.id(earned.measure.column)})`];
    return sql`select ${action}::text as action, person, ${at} as at, ${value}::bigint as value from ${sql.id(part)}`;
  });
  if (parts.length === 0) {
    return sql`select '' as action, null::uuid as person, null::timestamptz as at, 0::bigint as value where false`;
  }
  return sql`select p.* from (${sql.join(parts, sql` union all `)}) as p
    join accounts u on u.id = p.person and u.type = 'user'`;
}

const noRows = sql`select 0 as achievement, null::uuid as person, null::timestamptz as at where false`;

/** Returns whether the evaluation of one person needs the contributions of all people. */
export function usesRank({ triggers }: Achievement): boolean {
  const usesRank = (condition: Checked): boolean =>
    condition.kind === 'rank' ||
    ((condition.kind === 'and' || condition.kind === 'or') && condition.terms.some(usesRank));
  return triggers.flat().some(({ condition }) => usesRank(condition));
}

function usesMeasures(node: PersonNode): boolean {
  if (node.kind === 'all' || node.kind === 'any') return node.terms.some(usesMeasures);
  if (node.kind === 'first' || node.kind === 'count') return true;
  return node.kind !== 'sum' && node.kind !== 'rank' ? false : node.filter !== undefined;
}

/** Returns SQL with a row for each person for whom a trigger holds, and the time since which it does. */
export function triggerSql({ node, parts }: PlannedTrigger): RawBuilder<unknown> {
  const [first = pointsPart, ...others] = parts;
  const from = sql.join(
    [sql.id(first), ...others.map((part) => sql`full join ${sql.id(part)} using (person)`)],
    sql` `,
  );
  return sql`select person, at from (select person, ${holdsSince(node)} as at from ${from}) as held where at is not null`;
}

/**
 * Returns SQL for the people who earned an achievement. A group holds since its earliest trigger, and the achievement
 * is earned when the last group holds.
 */
function earnedSql(achievement: number, groups: readonly (readonly PlannedTrigger[])[]): RawBuilder<unknown> {
  const held = groups.map((group) => {
    const triggers = group.map(({ name }) => sql`select person, at from ${sql.id(name)}`);
    return group.length === 1
      ? sql.join(triggers)
      : sql`select person, min(at) as at from (${sql.join(triggers, sql` union all `)}) as any_of group by person`;
  });
  const all =
    held.length === 1
      ? sql.join(held)
      : sql`select person, max(at) as at from (${sql.join(held, sql` union all `)}) as all_of
          group by person having count(*) = ${held.length}::bigint`;
  return sql`select ${achievement}::integer as achievement, person, at from (${all}) as whole`;
}
