import type { Administers, Call, KnownOrganization } from '../interface/provider.ts';
import { withEachToken } from '../rest/administers.ts';
import type { RestClient } from '../rest/client.ts';
import { groupIdIn } from './actors.ts';
import { BearerPayload, MemberPayload } from './payloads.ts';
import { isActiveOwner } from './prove.ts';

/**
 * Checks whether a person owns a group or a group above it. GitLab knows both by their ids. GitLab hides the members of
 * private groups that were invited to a group from accounts that are no members (gitlabhq/gitlabhq,
 * app/finders/group_members_finder.rb), so that 404 counts only with a token of the person, of a member, or of an
 * administrator of the instance, to whom GitLab reports being one (lib/api/entities/user_with_admin.rb).
 */
export function administers(
  client: RestClient,
  { externalId }: KnownOrganization,
  person: string,
  call: Call,
): Promise<Administers> {
  const members = `/groups/${groupIdIn(externalId)}/members/all`;
  return withEachToken(client, call, (tokenCall) => check(client, members, person, tokenCall));
}

async function check(client: RestClient, members: string, person: string, call: Call): Promise<Administers> {
  const member = (await client.get(`${members}/${encodeURIComponent(person)}`, MemberPayload, call))?.data;
  if (member !== undefined) return isActiveOwner(member, person) ? 'yes' : 'no';
  const bearer = (await client.get('/user', BearerPayload, call))?.data;
  if (bearer === undefined) return 'cannot_check';
  if (String(bearer.id) === person || bearer.is_admin) return 'no';
  const own = await client.get(`${members}/${bearer.id}`, MemberPayload, call);
  return own === null ? 'cannot_check' : 'no';
}
