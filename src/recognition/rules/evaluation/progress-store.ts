import { type RawBuilder, sql } from 'kysely';
import { type ItemPage, isOnPage } from '../../../contributions/evidence/items-store.ts';
import type { Item } from '../../../contributions/evidence/store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { type Checked, concernsPerson } from '../conditions/terms.ts';
import type { Action } from '../conditions/vocabulary.ts';
import type { Achievement, Config, Trigger } from '../config.ts';
import { compileTotal } from './compile.ts';
import { itemSource, type Scope } from './item-sources.ts';
import { allHold } from './item-terms.ts';

/** A number that a person has to reach to earn an achievement. */
export interface Goal {
  achievement: Achievement;
  trigger: Trigger;
  wanted: number;
  /** The conditions on the contributions that are counted, or the actions whose points are summed. */
  measured: { conditions: readonly Checked[] } | { actions: readonly string[] };
}

/** A contribution that counts towards a goal. */
interface ProgressItem extends Item {
  /** 1, or its points. */
  amount: number;
}

/** Contributions that count alike. */
interface CountedPart {
  actor: Trigger['actor'];
  action: Exclude<Action, 'point'>;
  withoutOwn: boolean;
  conditions: readonly Checked[];
  amount: number;
}

/**
 * Returns how far a person is on the way to each goal, in the order of the goals, by the stored contributions to the
 * repository alone.
 */
export async function measureProgress(
  connection: Connection,
  { repositoryId, accountId }: { repositoryId: string; accountId: string },
  goals: readonly Goal[],
  pointActions: Config['pointActions'],
): Promise<number[]> {
  if (goals.length === 0) return [];
  const counts = goals.map((goal, index) => {
    const scope = { repositoryId, before: goal.achievement.evaluateAt ?? undefined, accountIds: [accountId] };
    return sql`(${numberSql(goal, scope, accountId, pointActions, sql`${sql.lit(index)}::integer as goal`)})`;
  });
  const { rows } = await sql<{ goal: number; present: number }>`
    ${sql.join(counts, sql` union all `)}`.execute(connection);
  const present = new Map(rows.map((row) => [row.goal, row.present]));
  return goals.map((_, index) => present.get(index) ?? 0);
}

/** Returns SQL for a row with a column before the number; none stands for 0. */
function numberSql(
  { trigger, measured }: Goal,
  scope: Scope,
  accountId: string,
  pointActions: Config['pointActions'],
  column: RawBuilder<unknown>,
): RawBuilder<unknown> {
  if ('actions' in measured) {
    return sql`select ${column}, total as present from (${compileTotal(measured.actions, pointActions, scope, accountId)}) as points`;
  }
  if (trigger.action === 'point') return sql`select ${column}, 0 as present`;
  const source = itemSource(trigger.actor, trigger.action, scope, trigger.withoutOwn);
  const isCounted = allHold(measured.conditions, source);
  return sql`${source.steps.toSql()} select ${column}, count(*) as present from ${source.fromWithLabels}
    and ${source.person} = ${accountId} and ${isCounted}`;
}

/**
 * Finds a page of the contributions that count towards a goal, newest first, and the sum of all of them. Points of rules
 * that count several contributions together have no items.
 */
export async function findProgressItems(
  connection: Connection,
  { repositoryId, accountId }: { repositoryId: string; accountId: string },
  { goal, pointActions }: { goal: Goal; pointActions: Config['pointActions'] },
  page: ItemPage,
): Promise<{ items: ProgressItem[]; itemised: number }> {
  const parts = toParts(goal, pointActions);
  if (parts.length === 0) return { items: [], itemised: 0 };
  const scope = { repositoryId, before: goal.achievement.evaluateAt ?? undefined, accountIds: [accountId] };
  const order = page.before === undefined ? sql`desc` : sql`asc`;
  const place = sql`i.moment ${order}, i.kind ${order}, i.repository_id ${order}, i.id ${order}`;
  const { rows } = await sql<ProgressItem & { itemised: number }>`
    with i as materialized (
      select u.moment, u.kind, u.repository_id, u.id, sum(u.amount) as amount
      from (${sql.join(
        parts.map((part) => sql`(${itemsInSql(part, scope, accountId)})`),
        sql` union all `,
      )}) u group by u.moment, u.kind, u.repository_id, u.id
    ), p as (
      select i.* from i where ${isOnPage(page)} order by ${place} limit ${page.limit}
    ), own as (
      select c.* from p join contributions c
        on c.repository_id = p.repository_id and c.kind = p.kind and c.external_id = p.id
      where p.kind not in ('commit', 'star')
    ), parents as (
      select distinct c.repository_id, c.kind, c.external_id, c.number, c.title from own join contributions c
        on c.repository_id = own.repository_id and c.external_id = own.parent_external_id
        and c.kind = case own.kind when 'issue_comment' then 'issue' else 'pull_request' end
    ), done as (
      select d.repository_id, encode(d.oid, 'hex') as oid, d.subject, d.assisted from p join commits d
        on d.repository_id = p.repository_id and d.oid = decode(p.id, 'hex') where p.kind = 'commit'
    )
    select (extract(epoch from i.moment) * 1000000)::bigint as at, i.kind, i.repository_id as "repositoryId", i.id,
      'progress'::text as counter, o.name as owner, r.name as repository, coalesce(own.number, t.number) as number,
      done.oid, coalesce(own.title, t.title, done.subject, '') as title, false as "isCoAuthored",
      done.assisted as "isAssisted", i.amount::integer as amount, (select sum(amount) from i)::integer as itemised
    from p i join repositories r on r.id = i.repository_id join accounts o on o.id = r.owner_id
      left join own on own.repository_id = i.repository_id and own.kind = i.kind and own.external_id = i.id
      left join parents t on t.repository_id = own.repository_id and t.external_id = own.parent_external_id
      left join done on done.repository_id = i.repository_id and done.oid = i.id and i.kind = 'commit'
    order by ${place}`.execute(connection);
  return { items: page.before === undefined ? rows : rows.toReversed(), itemised: rows[0]?.itemised ?? 0 };
}

/** Returns the contributions that a goal counts: those of its condition, or those of each rule of its points. */
function toParts({ trigger, measured }: Goal, pointActions: Config['pointActions']): CountedPart[] {
  if ('conditions' in measured) {
    const { actor, action, withoutOwn = false } = trigger;
    return action === 'point' ? [] : [{ actor, action, withoutOwn, conditions: measured.conditions, amount: 1 }];
  }
  return pointActions
    .filter(({ name }) => measured.actions.includes(name))
    .flatMap(({ rules }) =>
      rules.flatMap(({ actor, action, withoutOwn = false, condition, value }) =>
        action === 'point' || concernsPerson(condition)
          ? []
          : [{ actor, action, withoutOwn, conditions: [condition], amount: value }],
      ),
    );
}

function itemsInSql(
  { actor, action, withoutOwn, conditions, amount }: CountedPart,
  scope: Scope,
  accountId: string,
): RawBuilder<unknown> {
  const source = itemSource(actor, action, scope, withoutOwn);
  const isCounted = allHold(conditions, source);
  // A star shows its day alone; a person gives a repository one.
  const columns =
    action === 'commit'
      ? sql`${source.doneAt} as moment, 'commit'::text as kind, i.repository_id, encode(i.oid, 'hex') as id`
      : action === 'star'
        ? sql`date_trunc('day', ${source.doneAt}, 'UTC') as moment, i.kind, i.repository_id, 'star'::text as id`
        : sql`${source.doneAt} as moment, i.kind, i.repository_id, i.external_id as id`;
  return sql`${source.steps.toSql()} select ${columns}, ${amount}::bigint as amount from ${source.fromWithLabels}
    and ${source.person} = ${accountId} and ${isCounted}`;
}

/**
 * Returns the goal of an achievement; undefined where progress has no single number: with several triggers, with several
 * counts, or with a count that must not be exceeded.
 */
export function toGoal(achievement: Achievement): Goal | undefined {
  const [trigger, ...others] = achievement.triggers.flat();
  if (trigger === undefined || others.length > 0) return undefined;
  const terms = listTerms(trigger.condition);
  const items = terms.filter((term) => !concernsPerson(term));
  const [term, ...further] = terms.filter(concernsPerson);
  if (term === undefined || further.length > 0 || (term.kind !== 'count' && term.kind !== 'sum')) return undefined;
  if (term.operator !== '>=' && term.operator !== '>') return undefined;
  const wanted = term.operator === '>' ? term.value + 1 : term.value;
  if (term.kind === 'sum') {
    return items.length > 0 ? undefined : { achievement, trigger, wanted, measured: { actions: term.actions } };
  }
  // The contributions of "point" are points, which only a sum counts.
  if (trigger.action === 'point') return undefined;
  const conditions = [...items, ...(term.condition === null ? [] : [term.condition])];
  return { achievement, trigger, wanted, measured: { conditions } };
}

function listTerms(condition: Checked): readonly Checked[] {
  return condition.kind === 'and' ? condition.terms.flatMap(listTerms) : [condition];
}
