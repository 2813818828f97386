import { AppError } from '../../model/errors.ts';
import type { Administers, Call, KnownOrganization } from '../interface/provider.ts';
import { withEachToken } from '../rest/administers.ts';
import type { RestClient } from '../rest/client.ts';
import { accountPath, organizationPath, searchUser } from './accounts.ts';
import { OrganizationPayload, PermissionsPayload } from './payloads.ts';

/**
 * Checks whether a person owns or administers an organization. Gitea shows each account's permissions to every account
 * that sees both, by the present names. If the token sees both and the response is 404, the person does not see the
 * organization, and so is not a member (go-gitea/gitea, routers/api/v1/org/org.go, GetUserOrgsPermissions).
 */
export function administers(
  client: RestClient,
  organization: KnownOrganization,
  person: string,
  call: Call,
): Promise<Administers> {
  return withEachToken(client, call, (tokenCall) => check(client, organization, person, tokenCall));
}

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
