import { unlessDenied } from '../interface/denied.ts';
import type { Call, KnownAccount, KnownRepository } from '../interface/provider.ts';
import type { RestClient } from '../rest/client.ts';
import { tokenCalls } from '../rest/views.ts';
import { PermissionPayload } from './payloads.ts';
import { readUnchanged, repositoryPath } from './repositories.ts';

/**
 * Reads the permission of a person with each token, which Gitea shows to administrators of the repository and of the
 * instance (go-gitea/gitea, routers/api/v1/repo/collaborators.go, GetRepoPermissions). The response names the account by its
 * id, because another one may have the login by now; the repository is compared for the same reason.
 */
export async function maySee(
  client: RestClient,
  repository: KnownRepository,
  { externalId, name }: Pick<KnownAccount, 'externalId' | 'name'>,
  call: Call,
): Promise<boolean> {
  const path = `${repositoryPath(repository)}/collaborators/${encodeURIComponent(name)}/permission`;
  for (const tokenCall of tokenCalls(client, call)) {
    const found = (await client.get(path, PermissionPayload, tokenCall).catch(unlessDenied(null)))?.data;
    if (found === undefined) continue;
    const { permission, user } = found;
    if (permission === 'none' || user === null || String(user.id) !== externalId) return false;
    return (await readUnchanged(client, repository, tokenCall)) !== null;
  }
  return false;
}
