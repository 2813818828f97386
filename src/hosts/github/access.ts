import type { Static, TSchema } from 'typebox';
import type { Actor } from '../../model/account.ts';
import { AppError } from '../../model/errors.ts';
import { seenBy } from '../interface/call.ts';
import { unlessDenied } from '../interface/denied.ts';
import { isSameName, type OwnershipProof } from '../interface/ownership.ts';
import type {
  Administers,
  Call,
  KnownAccount,
  KnownOrganization,
  KnownRepository,
  TeamPlace,
} from '../interface/provider.ts';
import { BearerTransport } from '../transport/http-transport.ts';
import { restActor } from './actors.ts';
import type { GitHubApp } from './app/github-app.ts';
import { type ClientOptions, type GitHubClient, isLimited, type RestVersion, retryTime } from './client.ts';
import { checkPayload, invalid, parseJson, unavailable } from './failures.ts';
import {
  MembershipPayload,
  MembersPayload,
  OrganizationIdPayload,
  PermissionPayload,
  RestAccountPayload,
} from './payloads.ts';

const maxTeamPages = 50;

/** Sends requests to GitHub with the tokens that callers present. */
export class BearerClient {
  readonly #now: () => Date;
  readonly #version: RestVersion;
  readonly #transport: BearerTransport;

  /** @param version the version that requests name. */
  constructor(options: ClientOptions, version: RestVersion) {
    this.#now = options.now;
    this.#version = version;
    this.#transport = new BearerTransport(options, unavailable);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /**
   * Sends a GET request with a token.
   * @returns null when the resource does not exist, or GitHub does not show it to the bearer of the token.
   * @throws AppError `unauthenticated` when GitHub does not accept the token.
   */
  async rest<Schema extends TSchema>(
    token: string,
    path: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<Static<Schema> | null> {
    const credentials = { ...this.#version.headers(), authorization: `Bearer ${token}` };
    const { status, headers, text } = await this.#transport.get(path, credentials, signal);
    if (status === 401) throw new AppError('unauthenticated', 'GitHub does not accept this token.');
    if (isLimited(status, headers, text)) {
      const retryAt = retryTime(headers, this.#now());
      const message = "GitHub's request budget of this token is used up for now.";
      throw new AppError('provider_rate_limited', message, { retryAt });
    }
    if (status === 403 || status === 404 || status === 410) return null;
    if (status >= 500) throw unavailable();
    if (status !== 200) throw invalid('it is neither a yes nor a no');
    return checkPayload(schema, parseJson(text), path.split('/', 3).join('/'));
  }
}

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

/**
 * Checks whether the bearer of a token is the user of a name, or an active administrator of the organization of that
 * name. GitHub's responses name the bearer and the organization. The check sends the same two requests for names of
 * other users and for unknown names, so that the response time does not reveal which names exist.
 * @param name null: GitHub does not allow the name.
 * https://docs.github.com/rest/orgs/members#get-an-organization-membership-for-the-authenticated-user
 */
export async function proveOwnership(
  client: BearerClient,
  token: string,
  name: string | null,
  signal: AbortSignal,
): Promise<OwnershipProof> {
  const user = await client.rest(token, '/user', RestAccountPayload, signal);
  if (user === null) throw new AppError('unauthenticated', 'GitHub does not show the owner of this token.');
  const bearer = { externalId: String(user.id), name: user.login };
  if (name === null) return { bearer, owned: null };
  if (user.type === 'User' && isSameName(user.login, name)) return { bearer, owned: restActor(user) };
  return { bearer, owned: await administered(client, token, name, { bearer, signal }) };
}

async function administered(
  client: BearerClient,
  token: string,
  name: string,
  { bearer, signal }: { bearer: OwnershipProof['bearer']; signal: AbortSignal },
): Promise<Actor | null> {
  const path = `/user/memberships/orgs/${encodeURIComponent(name)}`;
  const membership = await client.rest(token, path, MembershipPayload, signal);
  if (membership === null) return null;
  const { organization, role, state, user } = membership;
  const isAsRequested = isSameName(organization.login, name) && String(user.id) === bearer.externalId;
  if (!isAsRequested) {
    throw new AppError('provider_invalid_response', "GitHub's response cannot be used: it is about another account.");
  }
  if (role !== 'admin' || state !== 'active') return null;
  return {
    externalId: String(organization.id),
    handle: organization.node_id,
    type: 'organization',
    name: organization.login,
    displayName: '',
    avatarUrl: organization.avatar_url,
  };
}

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

/**
 * Reads the external ids of the members of a team, child teams included. GitHub shows a team to members of the
 * organization with the scope `read:org`, and to installations with the permission "Members"; to all other credentials
 * it is absent.
 * @returns null when no credential shows the team.
 * https://docs.github.com/rest/teams/members#list-team-members
 */
export async function readTeam(
  { client, app }: { client: GitHubClient; app: GitHubApp | undefined },
  team: TeamPlace,
  call: Call,
): Promise<string[] | null> {
  const { organizationId } = team;
  const installation = await app?.membersCredentialName(organizationId, call.signal);
  const tokens = client.credentials.tokens.filter(({ secret, account }) => secret && account === undefined);
  for (const credentialName of [
    ...(installation === undefined ? [] : [installation]),
    ...tokens.map(({ name }) => name),
  ]) {
    const ids = await readPages(client, team, { ...call, credentialName });
    if (ids !== null) return ids;
  }
  return null;
}

async function readPages(
  client: GitHubClient,
  { organization, team }: TeamPlace,
  call: Call,
): Promise<string[] | null> {
  const ids: string[] = [];
  for (let page = 1; page <= maxTeamPages; page += 1) {
    const path = `/orgs/${encodeURIComponent(organization)}/teams/${encodeURIComponent(team)}/members?per_page=${perPage}&page=${page}`;
    const response = await client.rest(path, MembersPayload, call).catch(unlessDenied(null));
    if (response === null) return null;
    if (response.data.length !== response.listed) throw invalid('members of a team are unreadable');
    ids.push(...response.data.map(({ id }) => String(id)));
    if (response.listed < perPage) return ids;
  }
  throw invalid('GitHub lists members of a team without an end');
}
