import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A control group whose processes together may take no more memory than its limit. */
export interface MemoryLimit extends Disposable {
  /** A program that starts another one inside of the group: its arguments are that program and its arguments. */
  command: readonly [program: string, ...args: string[]];
  /** The number of processes that the system ended for lack of memory. */
  countEnded(): number;
  /** The most that was used, in bytes. */
  findPeak(): number;
}

const groups = '/sys/fs/cgroup';

/** Makes a control group; undefined where this user may make none, which containers and users without root often may not. */
export function limitMemory(bytes: number): MemoryLimit | undefined {
  const isFirst = existsSync(join(groups, 'memory/memory.limit_in_bytes'));
  const folder = join(groups, isFirst ? 'memory' : '', `plaudit-test-${process.pid}`);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, isFirst ? 'memory.limit_in_bytes' : 'memory.max'), String(bytes));
    const swap = join(folder, isFirst ? 'memory.memsw.limit_in_bytes' : 'memory.swap.max');
    if (existsSync(swap)) writeFileSync(swap, isFirst ? String(bytes) : '0');
  } catch {
    if (existsSync(folder)) rmdirSync(folder);
    return undefined;
  }
  const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
  const endedIn = isFirst ? 'memory.oom_control' : 'memory.events';
  return {
    command: ['sh', '-c', `echo $$ >${folder}/cgroup.procs && exec "$0" "$@"`],
    countEnded: () => Number(/^oom_kill (\d+)$/m.exec(read(endedIn))?.[1] ?? Number.NaN),
    findPeak: () => Number(read(isFirst ? 'memory.max_usage_in_bytes' : 'memory.peak')),
    [Symbol.dispose]: () => rmdirSync(folder),
  };
}
