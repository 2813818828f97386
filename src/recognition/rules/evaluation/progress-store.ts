import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import type { Config } from '../config.ts';
import type { Goal } from '../goal.ts';
import { compileTotal } from './compile.ts';
import { itemSource, type Scope } from './item-sources.ts';
import { allHold } from './item-terms.ts';

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
