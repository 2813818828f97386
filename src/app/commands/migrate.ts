import { parseArgs } from 'node:util';
import { openDatabase } from '../../database/connections/open.ts';
import { distribute } from '../../database/schema/citus.ts';
import { maxPartitions, partition } from '../../database/schema/partitions.ts';
import { readConfig } from '../config/config.ts';
import { type Io, parseOrRefuse, UsageError } from './io.ts';

const usage = `migrate takes --partitions N, with a number from 1 to ${maxPartitions}, or --citus`;
const logEveryMs = 10_000;

/** `plaudit migrate [--partitions N | --citus]`: brings the tables up to date, and divides the large ones by repository. */
export async function migrateTables(io: Io, args: readonly string[]): Promise<void> {
  const { partitions, citus } = readOptions(args);
  const config = readConfig(io.environment);
  await using database = await openDatabase({ ...config, log: io.warn });
  const report = { log: io.warn, logEveryMs };
  if (partitions !== undefined) print(io, 'partitioned', await partition(database, partitions, report));
  else if (citus) print(io, 'distributed', await distribute(database, report));
  else io.print('the tables are up to date');
}

/** Reads the options before the database is opened, which a new one would need some seconds for. */
function readOptions(args: readonly string[]): { partitions: number | undefined; citus: boolean } {
  const options = { partitions: { type: 'string' }, citus: { type: 'boolean' } } as const;
  const { partitions, citus = false } = parseOrRefuse(usage, () => parseArgs({ args: [...args], options }).values);
  const count = partitions === undefined ? undefined : Number(partitions);
  if (count !== undefined && !(Number.isSafeInteger(count) && count >= 1 && count <= maxPartitions)) {
    throw new UsageError(usage);
  }
  if (count !== undefined && citus) {
    throw new UsageError('Citus divides tables itself: choose --partitions or --citus.');
  }
  return { partitions: count, citus };
}

function print(io: Io, done: string, tables: readonly string[]): void {
  io.print(tables.length === 0 ? `all tables are ${done} already` : `${done}: ${tables.join(', ')}`);
}
