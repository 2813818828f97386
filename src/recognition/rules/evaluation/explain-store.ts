import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import {
  type Checked,
  type CheckedJunction,
  concernsPerson,
  type ItemTerm,
  type PersonTerm,
} from '../conditions/terms.ts';
import { ageUnits } from '../conditions/vocabulary.ts';
import type { Achievement, Config, Trigger } from '../config.ts';
import { dataOfTerm, dataOfTrigger, type RequiredData } from '../file/required-data.ts';
import { compileTotal } from './compile.ts';
import { evaluate } from './evaluate-store.ts';
import { type ItemSource, itemSource, type Scope } from './item-sources.ts';
import { ageColumn, allHold, holds, numberColumn } from './item-terms.ts';
import type { Unread } from './read-state-store.ts';

/** An explanation why a trigger holds for a person, or why it does not. */
export interface ExplainedTrigger {
  actor: Trigger['actor'];
  action: Trigger['action'];
  condition: string;
  /** The time since which it holds; null when it does not, or when it is not known whether it does. */
  holdsSince: Date | null;
  /** The data that it needs and that is not stored. */
  unread: Unread[];
  terms: ExplainedTerm[];
}

export interface ExplainedTerm {
  term: string;
  /** Null when data is not stored that could change the result. */
  holds: boolean | null;
  /**
   * For a count, a sum or a rank, the value of the person. For a number or an age that no contribution satisfies, the
   * value that comes closest. Otherwise the number of contributions that satisfy the term. Null instead of 0 while data
   * is not stored.
   */
  present: number | null;
  /** The amount that is missing, negative when there is too much; null when the term holds or is not about a number. */
  missing: number | null;
  /** The data that it needs and that is not stored. */
  unread: Unread[];
}

/** A term by the stored data alone. */
type StoredTerm = Omit<ExplainedTerm, 'holds' | 'unread'> & { holds: boolean };

interface Explaining {
  connection: Connection;
  config: Config;
  accountId: string;
  scope: Scope;
  listUnread: (required: readonly RequiredData[]) => Unread[];
}

/**
 * Explains an achievement for one person: each trigger, and each term of its condition.
 * @param request.listUnread returns the parts of required data that are not stored.
 */
export async function explain(
  connection: Connection,
  repositoryId: string,
  config: Config,
  {
    achievement,
    accountId,
    listUnread,
  }: { achievement: Achievement; accountId: string; listUnread: Explaining['listUnread'] },
): Promise<ExplainedTrigger[]> {
  const scope = { repositoryId, before: achievement.evaluateAt ?? undefined, accountIds: [accountId] };
  const explaining = { connection, config, accountId, scope, listUnread };
  const explained: ExplainedTrigger[] = [];
  for (const trigger of achievement.triggers.flat()) {
    const alone = { pointActions: config.pointActions, achievements: [{ ...achievement, triggers: [[trigger]] }] };
    const [earned] = await evaluate(connection, repositoryId, alone, { accountIds: [accountId] });
    explained.push({
      actor: trigger.actor,
      action: trigger.action,
      condition: trigger.text,
      holdsSince: earned?.earnedAt ?? null,
      unread: listUnread(dataOfTrigger(trigger, config.pointActions)),
      terms: await explainTerms(explaining, trigger, trigger.condition, []),
    });
  }
  return explained;
}

async function explainTerms(
  explaining: Explaining,
  trigger: Trigger,
  condition: Checked,
  filters: readonly Checked[],
): Promise<ExplainedTerm[]> {
  if (isJunction(condition)) {
    const beside = condition.kind === 'and' ? condition.terms.filter((term) => !concernsPerson(term)) : [];
    const terms: ExplainedTerm[] = [];
    for (const term of condition.terms) {
      const inside = concernsPerson(term) ? [...filters, ...beside] : filters;
      terms.push(...(await explainTerms(explaining, trigger, term, inside)));
    }
    return terms;
  }
  const stored = await explainByStored(explaining, trigger, condition, filters);
  // A count reads the terms beside it too.
  const unread = explaining.listUnread(
    [condition, ...filters].flatMap((part) => dataOfTerm(trigger, part, explaining.config.pointActions)),
  );
  return [unread.length === 0 ? { ...stored, unread } : withMissingData(stored, condition, unread)];
}

/**
 * Explains a term of which data is missing. A number that is reached stays reached with more data; other results are
 * not known.
 */
function withMissingData(stored: StoredTerm, condition: Checked, unread: Unread[]): ExplainedTerm {
  const isAboutPerson = concernsPerson(condition);
  const isReached = !isAboutPerson || ('operator' in condition && condition.operator.startsWith('>'));
  const present = stored.present === 0 ? null : stored.present;
  return { ...stored, present, missing: null, holds: stored.holds && isReached ? true : null, unread };
}

async function explainByStored(
  explaining: Explaining,
  trigger: Trigger,
  condition: ItemTerm | PersonTerm,
  filters: readonly Checked[],
): Promise<StoredTerm> {
  const term = trigger.text.slice(condition.start, condition.end);
  if (condition.kind === 'count') {
    const counted = [...filters, ...(condition.condition === null ? [] : [condition.condition])];
    return compared(term, await countItems(explaining, trigger, counted), condition);
  }
  if (condition.kind === 'sum' || condition.kind === 'rank') {
    const { connection, config, scope, accountId } = explaining;
    const query = compileTotal(condition.actions, config.pointActions, scope, accountId);
    const [found] = (await query.execute(connection)).rows;
    if (condition.kind === 'sum') return compared(term, found?.total ?? 0, condition);
    const wanted = { operator: '=', value: condition.rank } as const;
    return found === undefined
      ? { term, holds: false, present: null, missing: null }
      : compared(term, found.rank, wanted);
  }
  return explainItemTerm(explaining, trigger, condition, term);
}

function isJunction(condition: Checked): condition is CheckedJunction {
  return condition.kind === 'and' || condition.kind === 'or';
}

async function explainItemTerm(
  { connection, scope, accountId }: Explaining,
  trigger: Trigger,
  condition: ItemTerm,
  term: string,
): Promise<StoredTerm> {
  if (trigger.action === 'point') return { term, holds: true, present: null, missing: null };
  const source = itemSource(trigger.actor, trigger.action, scope, trigger.withoutOwn);
  const number = numberInSql(condition, source);
  const isUpwards = 'operator' in condition && condition.operator.startsWith('>');
  const best = number === undefined ? sql`null::bigint` : isUpwards ? sql`max(${number})` : sql`min(${number})`;
  const isSatisfied = holds(condition, source);
  const { rows } = await sql<{ satisfied: number; best: number | null }>`
    ${source.steps.toSql()} select count(*) filter (where ${isSatisfied}) as satisfied, (${best})::bigint as best
    from ${source.fromWithLabels} and ${source.person} = ${accountId}`.execute(connection);
  const { satisfied = 0, best: bestValue = null } = rows[0] ?? {};
  if (satisfied > 0 || number === undefined || bestValue === null) {
    return { term, holds: satisfied > 0, present: satisfied, missing: null };
  }
  const wanted = condition.kind === 'number' || condition.kind === 'age' ? condition : undefined;
  return wanted === undefined
    ? { term, holds: false, present: bestValue, missing: null }
    : compared(term, bestValue, wanted);
}

function numberInSql(condition: ItemTerm, source: ItemSource): RawBuilder<unknown> | undefined {
  if (condition.kind === 'number') return numberColumn(condition.field);
  if (condition.kind !== 'age') return undefined;
  return sql`floor(extract(epoch from ${ageColumn(source)}) / ${ageUnits[condition.unit]}::integer)`;
}

async function countItems(
  { connection, scope, accountId }: Explaining,
  { actor, action, withoutOwn }: Trigger,
  conditions: readonly Checked[],
): Promise<number> {
  if (action === 'point') return 0;
  const source = itemSource(actor, action, scope, withoutOwn);
  const isCounted = allHold(conditions, source);
  const { rows } = await sql<{ count: number }>`
    ${source.steps.toSql()} select count(*) as count from ${source.fromWithLabels} and ${source.person} = ${accountId}
      and ${isCounted}`.execute(connection);
  return rows[0]?.count ?? 0;
}

type Wanted = Pick<Extract<Checked, { kind: 'count' }>, 'operator' | 'value'>;

function compared(term: string, present: number, { operator, value }: Wanted): StoredTerm {
  const difference = value - present;
  const results: Readonly<Record<Wanted['operator'], [holds: boolean, missing: number]>> = {
    '=': [difference === 0, difference],
    '!=': [difference !== 0, 1],
    '>': [difference < 0, difference + 1],
    '>=': [difference <= 0, difference],
    '<': [difference > 0, difference - 1],
    '<=': [difference >= 0, difference],
  };
  const [isHeld, missing] = results[operator];
  return { term, holds: isHeld, present, missing: isHeld ? null : missing };
}
