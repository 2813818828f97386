import type { Call, KnownRepository, RepositoryFile, RepositoryFiles } from '../interface/provider.ts';
import { existing } from './checks.ts';
import type { GitHubClient } from './client.ts';
import type { FilePayload } from './payloads.ts';
import { repositoryFiles } from './queries.ts';

/** Reads files of the default branch in one request; null when the repository's visibility changed. */
export async function readFiles(
  client: GitHubClient,
  { handle, credentialName }: KnownRepository,
  paths: readonly string[],
  call: Call,
): Promise<RepositoryFiles | null> {
  const [a, b, c, d] = paths.map((path) => `HEAD:${path}`);
  const { data } = await client.graphql(repositoryFiles, { id: handle, a, b, c, d }, call);
  const node = existing(data.node);
  if (node.isPrivate !== (credentialName !== null)) return null;
  const found = [node.a, node.b, node.c, node.d];
  return {
    revision: node.defaultBranchRef?.target?.oid ?? null,
    files: paths.flatMap((path, index) => toFile(path, found[index] ?? null)),
  };
}

function toFile(path: string, file: FilePayload | null): RepositoryFile[] {
  if (file?.oid === undefined) return [];
  const isWhole = file.isTruncated !== true && file.isBinary !== true;
  return [{ path, oid: file.oid, sizeBytes: file.byteSize ?? 0, text: isWhole ? (file.text ?? null) : null }];
}
