import { Type } from 'typebox';
import type { Actor } from '../../model/account.ts';
import { unlessDenied } from '../interface/denied.ts';
import { isSameName } from '../interface/ownership.ts';
import type { Administers, Call } from '../interface/provider.ts';
import { type Claim, withEachToken } from '../rest/access.ts';
import type { RestClient, RestReaders } from '../rest/client.ts';
import { readAll } from '../rest/lists.ts';
import { tokenCalls } from '../rest/views.ts';
import { groupActor, groupIdIn, groupPath } from './actors.ts';
import { BearerPayload, GroupMemberPayload, GroupPayload, MemberPayload } from './payloads.ts';
import { projectPath } from './projects.ts';

/** Minimal access to a group shows none of its projects. https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const guestLevel = 10;

/** https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const ownerLevel = 50;

/**
 * Checks whether a person owns a group or a group above it. GitLab knows both by their ids. GitLab hides the members of
 * private groups that were invited to a group from accounts that are no members (gitlabhq/gitlabhq,
 * app/finders/group_members_finder.rb), so that 404 counts only with a token of the person, of a member, or of an
 * administrator of the instance, to whom GitLab reports being one (lib/api/entities/user_with_admin.rb).
 */
export const administers: RestReaders['administers'] = (client, { externalId }, person, call) => {
  const members = `/groups/${groupIdIn(externalId)}/members/all`;
  return withEachToken(client, call, (tokenCall) => check(client, members, person, tokenCall));
};

async function check(client: RestClient, members: string, person: string, call: Call): Promise<Administers> {
  const member = (await client.get(`${members}/${encodeURIComponent(person)}`, MemberPayload, call))?.data;
  if (member !== undefined) return isActiveOwner(member, person) ? 'yes' : 'no';
  const bearer = (await client.get('/user', BearerPayload, call))?.data;
  if (bearer === undefined) return 'cannot_check';
  if (String(bearer.id) === person || bearer.is_admin) return 'no';
  const own = await client.get(`${members}/${bearer.id}`, MemberPayload, call);
  return own === null ? 'cannot_check' : 'no';
}

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
function isActiveOwner(
  { id, access_level: level, membership_state: state = 'active' }: MemberPayload,
  person: string,
): boolean {
  return String(id) === person && level >= ownerLevel && state === 'active';
}

/**
 * Looks up with each token whether a person is a member of a project or of a group above it. GitLab lists members to those who see
 * the project, but hides those of invited private groups from accounts that are no members.
 * https://docs.gitlab.com/api/members/#get-a-member-of-a-group-or-project-including-inherited-and-invited-members
 */
export const maySee: RestReaders['maySee'] = async (client, repository, { externalId }, call) => {
  const path = `${projectPath(repository)}/members/all/${encodeURIComponent(externalId)}`;
  for (const tokenCall of tokenCalls(client, call)) {
    const member = (await client.get(path, MemberPayload, tokenCall).catch(unlessDenied(null)))?.data;
    if (member === undefined) continue;
    const { id, access_level: level, membership_state: state = 'active' } = member;
    return String(id) === externalId && level >= guestLevel && state === 'active';
  }
  return false;
};

/**
 * Reads the direct members of a group within a group; those of the groups above it are members of each one below and
 * say nothing about a team. https://docs.gitlab.com/api/members/#list-all-members-of-a-group-or-project
 */
export const readTeam: RestReaders['readTeam'] = async (client, { organization, team }, call) => {
  const path = `/groups/${encodeURIComponent(`${organization}/${team}`)}/members`;
  for (const tokenCall of tokenCalls(client, call)) {
    const members = await readAll(client, { path, items: Type.Array(GroupMemberPayload) }, tokenCall).catch(
      unlessDenied(null),
    );
    if (members !== null) return members.filter(({ state }) => state === 'active').map(({ id }) => String(id));
  }
  return null;
};
