import { Type } from 'typebox';
import type { LineCounts } from '../../../model/contribution.ts';
import { readByKey } from '../../http/read-or-skip.ts';
import { Count, Text } from '../../http/scalars.ts';
import { itemsOf } from '../../http/tolerant.ts';
import type { Call, KnownRepository } from '../../interface/provider.ts';
import type { RestClient } from '../../rest/client.ts';
import { readAll } from '../../rest/lists.ts';
import { projectPath } from '../projects.ts';

/** Reads the changes of commits and merge requests. https://docs.gitlab.com/api/commits/ */

const CommitPayload = Type.Object({ stats: Type.Object({ additions: Count, deletions: Count }) });
const DiffsPayload = itemsOf('file', Type.Object({ new_path: Text }));

/** Reads the line counts of commits, by id. Commits that GitLab does not show are left out. */
export async function readLineCounts(
  client: RestClient,
  repository: KnownRepository,
  oids: readonly string[],
  call: Call,
): Promise<Map<string, LineCounts>> {
  return readByKey(call, 'line counts', oids, async (oid) => {
    const path = `${projectPath(repository)}/repository/commits/${oid}`;
    const commit = (await client.get(`${path}?stats=true`, CommitPayload, call))?.data;
    if (commit === undefined) return undefined;
    const files = await readAll(client, { path: `${path}/diff`, items: DiffsPayload }, call);
    const { additions, deletions } = commit.stats;
    return { additions, deletions, changedFiles: files?.length ?? null };
  });
}

/** Reads the paths that merge requests change, by number. */
export function readChangedFiles(
  client: RestClient,
  repository: KnownRepository,
  numbers: readonly string[],
  call: Call,
): Promise<Map<string, string[]>> {
  // Before 17.11 GitLab fails for more than 30 on a page.
  const query = { per_page: '30' };
  return readByKey(call, 'changed files', numbers, async (number) => {
    const list = { path: `${projectPath(repository)}/merge_requests/${number}/diffs`, query, items: DiffsPayload };
    return (await readAll(client, list, call))?.map(({ new_path: path }) => path);
  });
}
