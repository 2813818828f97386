import { unlessDenied } from '../interface/denied.ts';
import { seenBy } from '../interface/known.ts';
import type { Call, KnownAccount, KnownRepository } from '../interface/provider.ts';
import type { GitHubClient } from './client.ts';
import { PermissionPayload } from './payloads.ts';

/**
 * Reads the permission of a person with the credential that shows the repository. An installation needs the permission
 * "Metadata", which every App has; GitHub refuses tokens that may not push. The list of collaborators says
 * the same, but only the permission names the account by its id: another one may have the login by now.
 * https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user
 */
export async function maySee(
  client: GitHubClient,
  repository: KnownRepository,
  { externalId, name }: Pick<KnownAccount, 'externalId' | 'name'>,
  call: Call,
): Promise<boolean> {
  const parts = ['repos', repository.owner, repository.name, 'collaborators', name, 'permission'];
  const path = `/${parts.map(encodeURIComponent).join('/')}`;
  const found = await client.rest(path, PermissionPayload, seenBy(repository, call)).catch(unlessDenied(null));
  if (found === null) return false;
  const { permission, user } = found.data;
  return permission !== 'none' && user !== null && String(user.id) === externalId;
}
