import type { Actor } from '../../accounts/account.ts';
import type { OwnershipProof } from '../provider.ts';
import type { BearerClient } from '../rest/bearer/client.ts';
import { isSameName, proveByToken } from '../rest/prove.ts';
import { accountPath, organizationPath, toActor } from './accounts.ts';
import { OrganizationPayload, PermissionsPayload, UserPayload } from './payloads.ts';

/**
 * Proves that the bearer of a token is the user of a name, or an owner or administrator of the organization of that
 * name. Gitea shows the permissions of every account to every account.
 */
export function proveOwnership(
  client: BearerClient,
  token: string,
  name: string | null,
  signal: AbortSignal,
): Promise<OwnershipProof> {
  return proveByToken(
    { client, token, name, signal },
    {
      user: UserPayload,
      toActor,
      administered: ({ name: bearer }, organization) => administered(client, token, { bearer, organization }, signal),
    },
  );
}

async function administered(
  client: BearerClient,
  token: string,
  names: { bearer: string; organization: string },
  signal: AbortSignal,
): Promise<Actor | null> {
  const path = `${accountPath(names.bearer)}/orgs/${encodeURIComponent(names.organization)}/permissions`;
  const permissions = await client.get(token, path, PermissionsPayload, signal);
  // Site administrators have all permissions without owning anything; Gitea sets neither field for them.
  if (permissions === null || !(permissions.is_owner || permissions.is_admin)) return null;
  const organization = await client.get(token, organizationPath(names.organization), OrganizationPayload, signal);
  if (organization === null || !isSameName(organization.name, names.organization)) return null;
  return {
    externalId: String(organization.id),
    handle: '',
    type: 'organization',
    name: organization.name,
    displayName: organization.full_name,
    avatarUrl: organization.avatar_url,
  };
}
