import { type RawBuilder, sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
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
    return sql`select ${sql.lit(index)}::integer as goal, (${numberSql(goal, scope, accountId, pointActions)}) as present`;
  });
  const { rows } = await sql<{ goal: number; present: number | null }>`
    ${sql.join(counts, sql` union all `)}`.execute(connection);
  const present = new Map(rows.map((row) => [row.goal, row.present ?? 0]));
  return goals.map((_, index) => present.get(index) ?? 0);
}

function numberSql(
  { trigger, measured }: Goal,
  scope: Scope,
  accountId: string,
  pointActions: Config['pointActions'],
): RawBuilder<unknown> {
  if ('actions' in measured) {
    return sql`select total from (${compileTotal(measured.actions, pointActions, scope, accountId)}) as points`;
  }
  if (trigger.action === 'point') return sql`select 0`;
  const source = itemSource(trigger.actor, trigger.action, scope);
  return sql`select count(*) from ${source.fromWithLabels} and ${source.person} = ${accountId}
    and ${allHold(measured.conditions, source)}`;
}
