import type { Actor } from '../../model/account.ts';
import { isSameName } from '../interface/ownership.ts';
import type { Claim } from '../rest/prove.ts';
import { groupActor, groupPath } from './actors.ts';
import { GroupPayload, MemberPayload } from './payloads.ts';

/** https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const ownerLevel = 50;

/** Finds the group of a claim if the bearer owns it or a group above it. */
export async function administered({ client, token, bearer, name, signal }: Claim): Promise<Actor | null> {
  const path = `/groups/${encodeURIComponent(name)}/members/all/${bearer.externalId}`;
  const member = await client.get(token, path, MemberPayload, signal);
  // Administrators of the instance have all permissions without owning groups: they are not members.
  if (member === null || !isActiveOwner(member, bearer.externalId)) return null;
  const group = await client.get(token, groupPath(name), GroupPayload, signal);
  return group === null || !isSameName(group.full_path, name) ? null : groupActor(group);
}

/** Returns whether a membership is that of a person who owns the group. */
export function isActiveOwner(
  { id, access_level: level, membership_state: state = 'active' }: MemberPayload,
  person: string,
): boolean {
  return String(id) === person && level >= ownerLevel && state === 'active';
}
