import type { Static, TArray } from 'typebox';
import type { Call } from '../call.ts';
import { readOrSkip } from '../http/read-or-skip.ts';
import type { RestClient } from './client.ts';
import { type List, readAll } from './lists.ts';

/** Reads the paths that pull requests change, by number. Pull requests that the host does not show are left out. */
export async function readPaths<Items extends TArray>(
  client: RestClient,
  numbers: readonly string[],
  host: { listOf: (number: string) => List<Items>; pathOf: (file: Static<Items>[number]) => string },
  call: Call,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const number of numbers) {
    const files = await readOrSkip(call, { kind: 'changed files' }, () => readAll(client, host.listOf(number), call));
    if (files) found.set(number, files.map(host.pathOf));
  }
  return found;
}
