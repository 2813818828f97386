import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { cleanUpJob } from '../../contributions/items/jobs.ts';
import { type NamingColumn, namingColumns, repairOrphans } from '../../contributions/totals/orphan-store.ts';
import { addJob } from '../../database/queue/added-jobs.ts';
import type { Task } from '../../database/queue/queue.ts';
import type { SyncContext } from '../context.ts';

/** The distinct ids that one job compares. */
const atOnce = 500;

const Position = Type.Object({
  /** The name of the column, after the last one that was compared whole; absent: the first. */
  column: Type.Optional(Type.String()),
  after: Type.Optional(Type.String()),
});
type Position = Static<typeof Position>;

type CheckingContext = Pick<SyncContext, 'connection' | 'onOrphans'>;

/** Returns the job that looks every night for rows of unknown repositories and accounts, a batch in each run. */
export function createOrphanTasks(context: CheckingContext): Record<string, Task> {
  return {
    check_orphans: {
      urgency: 'background',
      schedule: '50 2 * * *',
      run: async (payload) => {
        const next = await checkSome(context, Value.Parse(Position, payload ?? {}));
        if (next === undefined) return;
        await addJob(context.connection, { task: 'check_orphans', payload: next, key: 'check_orphans', priority: 60 });
      },
    },
  };
}

/** @returns the position of the next batch; undefined at the end. */
async function checkSome(context: CheckingContext, { column, after }: Position): Promise<Position | undefined> {
  const place = column === undefined ? 0 : namingColumns.findIndex((naming) => formatName(naming) === column);
  const [named, following] = namingColumns.slice(Math.max(place, 0));
  if (named === undefined) return undefined;
  const { found, last } = await repairOrphans(context.connection, named, { after, limit: atOnce });
  if (found > 0) {
    context.onOrphans(named.table, found);
    if (named.of === 'repositories') await addJob(context.connection, cleanUpJob);
  }
  if (last !== undefined) return { column: formatName(named), after: last };
  return following && { column: formatName(following) };
}

function formatName({ table, column }: NamingColumn): string {
  return `${table}.${column}`;
}
