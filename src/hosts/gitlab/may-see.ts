import { unlessDenied } from '../interface/denied.ts';
import type { Call, KnownAccount, KnownRepository } from '../interface/provider.ts';
import type { RestClient } from '../rest/client.ts';
import { tokenCalls } from '../rest/views.ts';
import { MemberPayload } from './payloads.ts';
import { projectPath } from './projects.ts';

/** Minimal access to a group shows none of its projects. https://docs.gitlab.com/api/access_requests/#valid-access-levels */
const guestLevel = 10;

/**
 * Looks up with each token whether a person is a member of a project or of a group above it. GitLab lists members to those who see
 * the project, but hides those of invited private groups from accounts that are no members.
 * https://docs.gitlab.com/api/members/#get-a-member-of-a-group-or-project-including-inherited-and-invited-members
 */
export async function maySee(
  client: RestClient,
  repository: KnownRepository,
  { externalId }: Pick<KnownAccount, 'externalId'>,
  call: Call,
): Promise<boolean> {
  const path = `${projectPath(repository)}/members/all/${encodeURIComponent(externalId)}`;
  for (const tokenCall of tokenCalls(client, call)) {
    const member = (await client.get(path, MemberPayload, tokenCall).catch(unlessDenied(null)))?.data;
    if (member === undefined) continue;
    const { id, access_level: level, membership_state: state = 'active' } = member;
    return String(id) === externalId && level >= guestLevel && state === 'active';
  }
  return false;
}
