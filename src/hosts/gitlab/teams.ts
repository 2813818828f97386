import { Type } from 'typebox';
import { unlessDenied } from '../interface/denied.ts';
import type { Call, TeamPlace } from '../interface/provider.ts';
import type { RestClient } from '../rest/client.ts';
import { readAll } from '../rest/lists.ts';
import { tokenCalls } from '../rest/views.ts';
import { GroupMemberPayload } from './payloads.ts';

/**
 * Reads the direct members of a group within a group; those of the groups above it are members of each one below and
 * say nothing about a team. https://docs.gitlab.com/api/members/#list-all-members-of-a-group-or-project
 */
export async function readTeam(
  client: RestClient,
  { organization, team }: TeamPlace,
  call: Call,
): Promise<string[] | null> {
  const path = `/groups/${encodeURIComponent(`${organization}/${team}`)}/members`;
  for (const tokenCall of tokenCalls(client, call)) {
    const members = await readAll(client, { path, items: Type.Array(GroupMemberPayload) }, tokenCall).catch(
      unlessDenied(null),
    );
    if (members !== null) return members.filter(({ state }) => state === 'active').map(({ id }) => String(id));
  }
  return null;
}
