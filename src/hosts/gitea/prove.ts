import type { Actor } from '../../model/account.ts';
import { isSameName } from '../interface/ownership.ts';
import type { Claim } from '../rest/prove.ts';
import { accountPath, organizationPath } from './accounts.ts';
import { OrganizationPayload, PermissionsPayload } from './payloads.ts';

/**
 * Finds the organization of a claim if the bearer owns or administers it. Gitea shows the permissions of every account
 * to every account.
 */
export async function administered({ client, token, bearer, name, signal }: Claim): Promise<Actor | null> {
  const path = `${accountPath(bearer.name)}/orgs/${encodeURIComponent(name)}/permissions`;
  const permissions = await client.get(token, path, PermissionsPayload, signal);
  // Site administrators have all permissions without owning anything; Gitea sets neither field for them.
  if (permissions === null || !(permissions.is_owner || permissions.is_admin)) return null;
  const organization = await client.get(token, organizationPath(name), OrganizationPayload, signal);
  if (organization === null || !isSameName(organization.name, name)) return null;
  return {
    externalId: String(organization.id),
    handle: '',
    type: 'organization',
    name: organization.name,
    displayName: organization.full_name,
    avatarUrl: organization.avatar_url,
  };
}
