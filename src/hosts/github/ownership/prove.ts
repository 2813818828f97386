import type { Actor } from '../../../model/account.ts';
import { AppError } from '../../../model/errors.ts';
import { isSameName, type OwnershipProof } from '../../interface/ownership.ts';
import { restActor } from '../actors.ts';
import { MembershipPayload, RestAccountPayload } from '../payloads.ts';
import type { BearerClient } from './client.ts';

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
