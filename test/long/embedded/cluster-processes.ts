import { readdir, readlink } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

const patienceMs = 30_000;

/** Returns the ids of the processes that run in a data directory: the server's and its keeper's. */
export async function processesIn(dataDir: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(ids.map((id) => readlink(`/proc/${id}/cwd`).catch(() => '')));
  return ids.filter((_, index) => places[index]?.startsWith(dataDir)).map(Number);
}

/** Waits until no process runs in a data directory. @throws Error when one stays. */
export async function waitUntilEmpty(dataDir: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while ((await processesIn(dataDir)).length > 0) {
    if (performance.now() > deadline) throw new Error('the server stays');
    await wait(20);
  }
}
