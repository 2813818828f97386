import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const patienceMs = 20_000;

/** Returns the ids of processes with `text` in their environment; processes of git have their repository there. */
export async function findProcesses(text: string): Promise<number[]> {
  const own = process.pid;
  const listed = existsSync('/proc/self/environ') ? await readProc(text) : await readPs(text);
  return listed.filter((id) => id !== own);
}

/**
 * Waits until no process has `text` in its environment.
 * @throws {Error} when some remain.
 */
export async function waitUntilExited(text: string): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while ((await findProcesses(text)).length > 0) {
    if (performance.now() > deadline) throw new Error(`processes with ${text} stay`);
    await wait(20);
  }
}

/** Waits until a process sleeps in three checks in a row. */
export async function waitUntilAsleep(id: number): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let restful = 0; restful < 3; ) {
    if (performance.now() > deadline) throw new Error(`process ${id} does not rest`);
    const { stdout } = await promisify(execFile)('ps', ['-o', 'state=', '-p', String(id)]);
    restful = stdout.startsWith('S') ? restful + 1 : 0;
    await wait(20);
  }
}

async function readProc(text: string): Promise<number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const environments = await Promise.all(ids.map((id) => readFile(`/proc/${id}/environ`, 'latin1').catch(() => '')));
  return ids.filter((_, index) => environments[index]?.includes(text)).map(Number);
}

async function readPs(text: string): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['axeww', '-o', 'pid=,command=']);
  const lines = stdout.split('\n').filter((line) => line.includes(text));
  return lines.map((line) => Number.parseInt(line, 10));
}
