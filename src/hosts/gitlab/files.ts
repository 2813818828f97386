import { Type } from 'typebox';
import { CommitId } from '../http/scalars.ts';
import type { Call, KnownRepository, RepositoryFile, RepositoryFiles, RepositoryItem } from '../interface/provider.ts';
import type { RestClient } from '../rest/client.ts';
import { textOf } from '../rest/text.ts';
import { branchOf, projectPath, readUnchanged } from './projects.ts';

/** https://docs.gitlab.com/api/repository_files/ */
const FilePayload = Type.Object({
  blob_id: Type.String(),
  size: Type.Integer({ minimum: 0 }),
  encoding: Type.String(),
  content: Type.String(),
});
const BranchPayload = Type.Object({ commit: Type.Object({ id: CommitId }) });

/**
 * Reads files at the newest commit of the default branch, with a request for each.
 * @returns null when the repository is absent, or its visibility changed.
 */
export async function readFiles(
  client: RestClient,
  repository: KnownRepository,
  paths: readonly string[],
  call: Call,
): Promise<RepositoryFiles | null> {
  const now = await readUnchanged(client, repository, call);
  if (now === null) return null;
  const branch = branchOf(now, repository.credentialName);
  if (branch === '') return { revision: null, files: [] };
  const below = `${projectPath(repository)}/repository`;
  const address = `${below}/branches/${encodeURIComponent(branch)}`;
  const revision = (await client.get(address, BranchPayload, call))?.data.commit.id;
  if (revision === undefined) return null;
  const files: RepositoryFile[] = [];
  for (const path of paths) {
    const file = (await client.get(`${below}/files/${encodeURIComponent(path)}?ref=${revision}`, FilePayload, call))
      ?.data;
    if (file === undefined) continue;
    files.push({ path, oid: file.blob_id, sizeBytes: file.size, text: textOf(file.encoding, file.content) });
  }
  return { revision, files };
}

const itemPaths = { issue: 'issues', pull_request: 'merge_requests', discussion: 'issues' } as const;

export function pageUrl(
  url: string,
  { owner, name }: Pick<KnownRepository, 'owner' | 'name'>,
  item: RepositoryItem | undefined,
): string {
  const page = `${url}/${[...owner.split('/'), name].map(encodeURIComponent).join('/')}`;
  if (item === undefined) return page;
  return item.kind === 'commit' ? `${page}/-/commit/${item.oid}` : `${page}/-/${itemPaths[item.kind]}/${item.number}`;
}

export function fileUrl(
  url: string,
  { owner, name, defaultBranch }: Pick<KnownRepository, 'owner' | 'name' | 'defaultBranch'>,
  path: string,
): string {
  const parts = [...owner.split('/'), name, '-', 'raw', ...defaultBranch.split('/'), ...path.split('/')];
  return `${url}/${parts.map(encodeURIComponent).join('/')}`;
}
