import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Captured } from './capture.ts';
import { refusedIn } from './refused.ts';
import { listProblems, loadParser } from './rules.ts';
import { mixedIn } from './undivided.ts';

/** Returns the problems of the statements that processes have captured into files of a directory. */
export async function checkCaptured(directory: string): Promise<{ statements: number; problems: string[] }> {
  await loadParser();
  const statements = new Map<string, string>();
  for (const name of await readdir(directory).catch(() => [])) {
    const captured = JSON.parse(await readFile(join(directory, name), 'utf8')) as Captured[];
    for (const { text, from } of captured) statements.set(text, from);
  }
  const problems = [...statements].flatMap(([text, from]) =>
    [...listProblems(text), ...mixedIn(text), ...refusedIn(text)].map((problem) => `${from}: ${problem} in\n${text}`),
  );
  return { statements: statements.size, problems };
}
