import { Type } from 'typebox';
import { unlessDenied } from '../interface/denied.ts';
import type { Call, TeamPlace } from '../interface/provider.ts';
import type { RestClient } from '../rest/client.ts';
import { readAll } from '../rest/lists.ts';
import { tokenCalls } from '../rest/views.ts';
import { organizationPath } from './accounts.ts';
import { TeamMemberPayload, TeamPayload } from './payloads.ts';

/**
 * Reads the external ids of the members of a team. Gitea shows the teams of an organization to its members, and the
 * members of a team to the members of that team, of the team of owners, and to administrators of the instance
 * (go-gitea/gitea, routers/api/v1/api.go).
 * @returns null when no token shows the team.
 */
export async function readTeam(
  client: RestClient,
  { organization, team }: TeamPlace,
  call: Call,
): Promise<string[] | null> {
  for (const tokenCall of tokenCalls(client, call)) {
    const ids = await readWith(client, { organization, team }, tokenCall).catch(unlessDenied(null));
    if (ids !== null) return ids;
  }
  return null;
}

async function readWith(
  client: RestClient,
  { organization, team }: Pick<TeamPlace, 'organization' | 'team'>,
  call: Call,
): Promise<string[] | null> {
  const teams = await readAll(
    client,
    { path: `${organizationPath(organization)}/teams`, items: Type.Array(TeamPayload) },
    call,
  );
  const found = teams?.find(({ name }) => name.toLowerCase() === team.toLowerCase());
  if (found === undefined) return null;
  const members = await readAll(
    client,
    { path: `/teams/${found.id}/members`, items: Type.Array(TeamMemberPayload) },
    call,
  );
  return members && members.map(({ id }) => String(id));
}
