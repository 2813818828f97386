import type { Actor } from '../../../accounts/account.ts';
import { AppError } from '../../../errors.ts';
import type { OwnershipProof } from '../../provider.ts';
import type { BearerClient } from '../../rest/bearer/client.ts';
import { accountPath, organizationPath, toActor } from '../accounts.ts';
import { OrganizationPayload, PermissionsPayload, UserPayload } from '../payloads.ts';

/**
 * Whether the bearer of a token is the user of a name, or an owner or administrator of the organization of that name.
 * Gitea tells anybody's permissions to anybody, so only the name that it calls the bearer by is ever asked about. Users and
 * strangers cost the same two questions, so that the time taken tells nobody which of them there is.
 * @param name null: there never is such a name.
 */
export async function proveOwnership(
  client: BearerClient,
  token: string,
  name: string | null,
  signal: AbortSignal,
): Promise<OwnershipProof> {
  const user = toActor(await client.get(token, '/user', UserPayload, signal));
  if (user === null)
    throw new AppError('unauthenticated', 'The code host does not tell who the bearer of this token is.');
  const bearer = { externalId: user.externalId, name: user.name };
  if (name === null) return { bearer, owned: null };
  if (isSameName(user.name, name)) return { bearer, owned: user };
  return { bearer, owned: await administered(client, token, { bearer: user.name, organization: name }, signal) };
}

async function administered(
  client: BearerClient,
  token: string,
  names: { bearer: string; organization: string },
  signal: AbortSignal,
): Promise<Actor | null> {
  const path = `${accountPath(names.bearer)}/orgs/${encodeURIComponent(names.organization)}/permissions`;
  const permissions = await client.get(token, path, PermissionsPayload, signal);
  // A site administrator may do everything and owns nothing by that: neither is said of them.
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

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
