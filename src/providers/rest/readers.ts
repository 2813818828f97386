import type { Static, TArray } from 'typebox';
import type { Call } from '../call.ts';
import { readOrSkip } from '../http/read-or-skip.ts';
import type { KnownRepository, Provider } from '../provider.ts';
import type { RestClient } from './client.ts';
import { type List, readAll } from './lists.ts';
import { seenBy } from './views.ts';

type Reader<Method> = Method extends (repository: KnownRepository, ...rest: infer Rest) => infer Told
  ? (client: RestClient, repository: KnownRepository, ...rest: Rest) => Told
  : never;

/** The methods of a provider that read a stored repository. */
export interface Readers {
  readTip: Reader<Provider['readTip']>;
  readTotals: Reader<Provider['readTotals']>;
  readFiles: Reader<Provider['readFiles']>;
  readLineCounts: Reader<Provider['readLineCounts']>;
  readChangedFiles: Reader<Provider['readChangedFiles']>;
  resolveIdentities: Reader<Provider['resolveIdentities']>;
}

/** Returns the readers as methods of a provider, which fetch a private repository with the token that showed it. */
export function readersOf(client: RestClient, readers: Readers): Pick<Provider, keyof Readers> {
  return {
    readTip: (repository, call) => readers.readTip(client, repository, seenBy(repository, call)),
    readTotals: (repository, call) => readers.readTotals(client, repository, seenBy(repository, call)),
    readFiles: (repository, paths, call) => readers.readFiles(client, repository, paths, seenBy(repository, call)),
    readLineCounts: (repository, oids, call) =>
      readers.readLineCounts(client, repository, oids, seenBy(repository, call)),
    readChangedFiles: (repository, numbers, call) =>
      readers.readChangedFiles(client, repository, numbers, seenBy(repository, call)),
    resolveIdentities: (repository, identities, call) =>
      readers.resolveIdentities(client, repository, identities, seenBy(repository, call)),
  };
}

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
