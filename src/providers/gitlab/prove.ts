import type { Actor } from '../../accounts/account.ts';
import { AppError } from '../../errors.ts';
import type { OwnershipProof } from '../provider.ts';
import type { BearerClient } from '../rest/bearer/client.ts';
import { groupActor, groupPath, toActor } from './actors.ts';
import { GroupPayload, MemberPayload, UserPayload } from './payloads.ts';

/** https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const ownerLevel = 50;

/**
 * Whether the bearer of a token is the user of a name, or an owner of the group of that name, also by a group above it. Users
 * and strangers cost the same two questions, so that the time taken tells nobody which of them there is.
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
  return { bearer, owned: await ownedGroup(client, token, { bearer: user.externalId, group: name }, signal) };
}

async function ownedGroup(
  client: BearerClient,
  token: string,
  asked: { bearer: string; group: string },
  signal: AbortSignal,
): Promise<Actor | null> {
  const path = `/groups/${encodeURIComponent(asked.group)}/members/all/${asked.bearer}`;
  const member = await client.get(token, path, MemberPayload, signal);
  // An administrator of the instance may do everything and owns nothing by that: they are no members.
  if (member === null || String(member.id) !== asked.bearer || member.access_level < ownerLevel) return null;
  if (member.membership_state !== undefined && member.membership_state !== 'active') return null;
  const group = await client.get(token, groupPath(asked.group), GroupPayload, signal);
  return group === null || !isSameName(group.full_path, asked.group) ? null : groupActor(group);
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
