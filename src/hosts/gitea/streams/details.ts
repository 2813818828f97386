import { Type } from 'typebox';
import type { LineCounts } from '../../../model/contribution.ts';
import { readByKey } from '../../http/read-or-skip.ts';
import { Count, Nullable, Text } from '../../http/scalars.ts';
import { itemsOf, orElse } from '../../http/tolerant.ts';
import type { Call, KnownRepository } from '../../interface/provider.ts';
import type { RestClient } from '../../rest/client.ts';
import { readAll } from '../../rest/lists.ts';
import { repositoryPath } from '../repositories.ts';

const CommitPayload = Type.Object({
  stats: orElse(Nullable(Type.Object({ additions: Count, deletions: Count })), null),
  files: orElse(Nullable(Type.Array(Type.Unknown())), null),
});
const FilesPayload = itemsOf('file', Type.Object({ filename: Text }));

/** Reads the line counts of commits by id, with a request for each. Leaves out commits that Gitea does not show. */
export async function readLineCounts(
  client: RestClient,
  repository: KnownRepository,
  oids: readonly string[],
  call: Call,
): Promise<Map<string, LineCounts>> {
  return readByKey(call, 'line counts', oids, async (oid) => {
    const path = `${repositoryPath(repository)}/git/commits/${oid}`;
    const commit = (await client.get(path, CommitPayload, call))?.data;
    if (!commit?.stats) return undefined;
    const { additions, deletions } = commit.stats;
    return { additions, deletions, changedFiles: commit.files?.length ?? null };
  });
}

/** Reads the paths that pull requests change by number, with requests for each. */
export function readChangedFiles(
  client: RestClient,
  repository: KnownRepository,
  numbers: readonly string[],
  call: Call,
): Promise<Map<string, string[]>> {
  return readByKey(call, 'changed files', numbers, async (number) => {
    const list = { path: `${repositoryPath(repository)}/pulls/${number}/files`, items: FilesPayload };
    return (await readAll(client, list, call))?.map(({ filename }) => filename);
  });
}
