import { AppError } from '../../../model/errors.ts';
import { unlessDenied } from '../../interface/denied.ts';
import type { Administers, Call, KnownOrganization } from '../../interface/provider.ts';
import type { GitHubApp } from '../app/github-app.ts';
import { invalid } from '../checks.ts';
import type { GitHubClient } from '../client.ts';
import { MembershipPayload, MembersPayload, OrganizationIdPayload } from '../payloads.ts';

const perPage = 100;
/** A limit against endless lists: a thousand owners. */
const maxPages = 10;

/**
 * Checks whether a person owns an organization. GitHub lists its owners with their ids, which a renamed account keeps.
 * GitHub lists all of them to members and to installations with the permission "Members", but only the public ones to
 * all other credentials, without a refusal. Therefore the check first makes sure that the credential sees all.
 * https://docs.github.com/rest/orgs/members#list-organization-members
 */
export async function administers(
  { client, app }: { client: GitHubClient; app: GitHubApp | undefined },
  organization: KnownOrganization,
  person: string,
  call: Call,
): Promise<Administers> {
  const credentialName = await app?.membersCredentialName(organization.externalId, call.signal);
  if (credentialName !== undefined) {
    const response = await byInstallation(client, organization, person, { ...call, credentialName });
    if (response !== 'cannot_check') return response;
  }
  const tokens = client.credentials.tokens.filter(({ secret, account }) => secret && account === undefined);
  for (const token of tokens) {
    const response = await byToken(client, organization, person, { ...call, credentialName: token.name });
    if (response !== 'cannot_check') return response;
  }
  return 'cannot_check';
}

async function byInstallation(
  client: GitHubClient,
  organization: KnownOrganization,
  person: string,
  call: Call,
): Promise<Administers> {
  const path = `/orgs/${encodeURIComponent(organization.name)}`;
  const response = await client.rest(path, OrganizationIdPayload, call).catch(unlessDenied('denied'));
  if (response === 'denied') return 'cannot_check';
  if (String(response?.data.id) !== organization.externalId) throw renamed();
  return isListed(client, organization, [person], call);
}

/** Checks with a configured token, which has to belong to an owner of the organization. */
async function byToken(
  client: GitHubClient,
  organization: KnownOrganization,
  person: string,
  call: Call,
): Promise<Administers> {
  const path = `/user/memberships/orgs/${encodeURIComponent(organization.name)}`;
  const membership = await client.rest(path, MembershipPayload, call).catch(unlessDenied('denied'));
  if (membership === 'denied' || membership === null) return 'cannot_check';
  if (String(membership.data.organization.id) !== organization.externalId) throw renamed();
  const bearer = String(membership.data.user.id);
  const isOwner = membership.data.role === 'admin' && membership.data.state === 'active';
  if (bearer === person) return isOwner ? 'yes' : 'no';
  return isOwner ? isListed(client, organization, [person, bearer], call) : 'cannot_check';
}

/**
 * Returns whether a person is in the list of owners; `cannot_check` when the list may be incomplete.
 * @param people the person, and another owner, if one is known, who must be in a complete list.
 */
async function isListed(
  client: GitHubClient,
  { name }: KnownOrganization,
  [person, owner]: [person: string, owner?: string],
  call: Call,
): Promise<Administers> {
  const seen = new Set<string>();
  for (let page = 1; page <= maxPages; page += 1) {
    const path = `/orgs/${encodeURIComponent(name)}/members?role=admin&per_page=${perPage}&page=${page}`;
    const response = await client.rest(path, MembersPayload, call).catch(unlessDenied('denied'));
    if (response === 'denied' || response === null) return 'cannot_check';
    const { data, listed } = response;
    if (data.length !== listed) throw invalid('owners of an organization are unreadable');
    for (const { id } of data) seen.add(String(id));
    if (seen.has(person)) return 'yes';
    if (listed < perPage) {
      // Each organization has an owner, so that an empty list cannot be complete.
      return seen.size > 0 && (owner === undefined || seen.has(owner)) ? 'no' : 'cannot_check';
    }
  }
  throw invalid('GitHub lists owners without an end');
}

/** Returns the error when the organization does not have the stored name; its next refresh by id finds the new one. */
function renamed(): AppError {
  return new AppError('provider_unavailable', 'The organization has another name at GitHub than the stored one.');
}
