import { Type } from 'typebox';
import { CommitId } from '../http/scalars.ts';
import type { Call, KnownRepository, RepositoryFile, RepositoryFiles, RepositoryItem } from '../interface/provider.ts';
import type { RestClient } from '../rest/client.ts';
import { textOf } from '../rest/text.ts';
import { readUnchanged, repositoryPath } from './repositories.ts';

/** The contents at a path: a list for a folder. Only files have content. */
const ContentsPayload = Type.Union([
  Type.Array(Type.Unknown()),
  Type.Object({
    type: Type.String(),
    sha: Type.String(),
    size: Type.Integer({ minimum: 0 }),
    encoding: Type.Optional(Type.Union([Type.Null(), Type.String()])),
    content: Type.Optional(Type.Union([Type.Null(), Type.String()])),
  }),
]);
const BranchPayload = Type.Object({ commit: Type.Union([Type.Null(), Type.Object({ id: CommitId })]) });

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
  if (now.empty) return { revision: null, files: [] };
  const branch = `${repositoryPath(repository)}/branches/${encodeURIComponent(now.default_branch)}`;
  const revision = (await client.get(branch, BranchPayload, call))?.data.commit?.id;
  if (revision === undefined) return null;
  const files: RepositoryFile[] = [];
  for (const path of paths) {
    const address = `${repositoryPath(repository)}/contents/${path.split('/').map(encodeURIComponent).join('/')}`;
    const file = (await client.get(`${address}?ref=${revision}`, ContentsPayload, call))?.data;
    if (file === undefined || !('sha' in file) || file.type !== 'file') continue;
    files.push({ path, oid: file.sha, sizeBytes: file.size, text: textOf(file.encoding, file.content) });
  }
  return { revision, files };
}

const itemPaths = { issue: 'issues', pull_request: 'pulls', discussion: 'issues' } as const;

export function pageUrl(
  url: string,
  { owner, name }: Pick<KnownRepository, 'owner' | 'name'>,
  item: RepositoryItem | undefined,
): string {
  const page = `${url}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  if (item === undefined) return page;
  return item.kind === 'commit' ? `${page}/commit/${item.oid}` : `${page}/${itemPaths[item.kind]}/${item.number}`;
}

/** https://docs.gitea.com/usage/permalinks */
export function fileUrl(
  url: string,
  { owner, name, defaultBranch }: Pick<KnownRepository, 'owner' | 'name' | 'defaultBranch'>,
  path: string,
): string {
  const parts = [owner, name, 'raw', 'branch', ...defaultBranch.split('/'), ...path.split('/')];
  return `${url}/${parts.map(encodeURIComponent).join('/')}`;
}
