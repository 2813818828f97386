import { Type } from 'typebox';
import type { Actor } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import { unlessDenied } from '../interface/denied.ts';
import { isSameName } from '../interface/ownership.ts';
import type { Administers, Call, KnownOrganization, TeamPlace } from '../interface/provider.ts';
import { type Claim, withEachToken } from '../rest/access.ts';
import type { RestClient, RestReaders } from '../rest/client.ts';
import { readAll } from '../rest/lists.ts';
import { tokenCalls } from '../rest/views.ts';
import { accountPath, organizationPath, searchUser } from './accounts.ts';
import {
  OrganizationPayload,
  PermissionPayload,
  PermissionsPayload,
  TeamMemberPayload,
  TeamPayload,
} from './payloads.ts';
import { readUnchanged, repositoryPath } from './repositories.ts';

/**
 * Checks whether a person owns or administers an organization. Gitea shows each account's permissions to every account
 * that sees both, by the present names. If the token sees both and the response is 404, the person does not see the
 * organization, and so is not a member (go-gitea/gitea, routers/api/v1/org/org.go, GetUserOrgsPermissions).
 */
export const administers: RestReaders['administers'] = (client, organization, person, call) =>
  withEachToken(client, call, (tokenCall) => check(client, organization, person, tokenCall));

async function check(
  client: RestClient,
  { externalId, name }: KnownOrganization,
  person: string,
  call: Call,
): Promise<Administers> {
  const organization = (await client.get(organizationPath(name), OrganizationPayload, call))?.data;
  if (organization === undefined) return 'cannot_check';
  if (String(organization.id) !== externalId) {
    throw new AppError('provider_unavailable', 'The organization has another name at its host than the stored one.');
  }
  const user = await searchUser(client, person, call);
  if (user === null) return 'cannot_check';
  const path = `${accountPath(user.login)}/orgs/${encodeURIComponent(organization.name)}/permissions`;
  const permissions = (await client.get(path, PermissionsPayload, call))?.data;
  return permissions?.is_owner || permissions?.is_admin ? 'yes' : 'no';
}

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

/**
 * Reads the permission of a person with each token, which Gitea shows to administrators of the repository and of the
 * instance (go-gitea/gitea, routers/api/v1/repo/collaborators.go, GetRepoPermissions). The response names the account by its
 * id, because another one may have the login by now; the repository is compared for the same reason.
 */
export const maySee: RestReaders['maySee'] = async (client, repository, { externalId, name }, call) => {
  const path = `${repositoryPath(repository)}/collaborators/${encodeURIComponent(name)}/permission`;
  for (const tokenCall of tokenCalls(client, call)) {
    const found = (await client.get(path, PermissionPayload, tokenCall).catch(unlessDenied(null)))?.data;
    if (found === undefined) continue;
    const { permission, user } = found;
    if (permission === 'none' || user === null || String(user.id) !== externalId) return false;
    return (await readUnchanged(client, repository, tokenCall)) !== null;
  }
  return false;
};

/**
 * Reads the external ids of the members of a team. Gitea shows the teams of an organization to its members, and the
 * members of a team to the members of that team, of the team of owners, and to administrators of the instance
 * (go-gitea/gitea, routers/api/v1/api.go).
 * @returns null when no token shows the team.
 */
export const readTeam: RestReaders['readTeam'] = async (client, { organization, team }, call) => {
  for (const tokenCall of tokenCalls(client, call)) {
    const ids = await readWith(client, { organization, team }, tokenCall).catch(unlessDenied(null));
    if (ids !== null) return ids;
  }
  return null;
};

async function readWith(
  client: RestClient,
  { organization, team }: Pick<TeamPlace, 'organization' | 'team'>,
  call: Call,
): Promise<string[] | null> {
  const teams = await readAll(
    client,
    { path: `${organizationPath(organization)}/teams`, items: Type.Array(TeamPayload) },
    call,
  );
  const found = teams?.find(({ name }) => name.toLowerCase() === team.toLowerCase());
  if (found === undefined) return null;
  const members = await readAll(
    client,
    { path: `/teams/${found.id}/members`, items: Type.Array(TeamMemberPayload) },
    call,
  );
  return members && members.map(({ id }) => String(id));
}
