import type { Actor } from '../../accounts/account.ts';
import type { OwnershipProof } from '../provider.ts';
import type { BearerClient } from '../rest/bearer/client.ts';
import { isSameName, proveByToken } from '../rest/prove.ts';
import { groupActor, groupPath, toActor } from './actors.ts';
import { GroupPayload, MemberPayload, UserPayload } from './payloads.ts';

/** https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const ownerLevel = 50;

/** Proves that the bearer of a token is the user of a name, or an owner of that group or of a group above it. */
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
      administered: ({ externalId: bearer }, group) => ownedGroup(client, token, { bearer, group }, signal),
    },
  );
}

/** Returns whether a membership is that of a person who owns the group. */
export function isActiveOwner(
  { id, access_level: level, membership_state: state = 'active' }: MemberPayload,
  person: string,
): boolean {
  return String(id) === person && level >= ownerLevel && state === 'active';
}

async function ownedGroup(
  client: BearerClient,
  token: string,
  membership: { bearer: string; group: string },
  signal: AbortSignal,
): Promise<Actor | null> {
  const path = `/groups/${encodeURIComponent(membership.group)}/members/all/${membership.bearer}`;
  const member = await client.get(token, path, MemberPayload, signal);
  // Administrators of the instance have all permissions without owning groups: they are not members.
  if (member === null || !isActiveOwner(member, membership.bearer)) return null;
  const group = await client.get(token, groupPath(membership.group), GroupPayload, signal);
  return group === null || !isSameName(group.full_path, membership.group) ? null : groupActor(group);
}
