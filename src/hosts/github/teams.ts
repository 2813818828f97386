import { unlessDenied } from '../interface/denied.ts';
import type { Call, TeamPlace } from '../interface/provider.ts';
import type { GitHubApp } from './app/github-app.ts';
import { invalid } from './checks.ts';
import type { GitHubClient } from './client.ts';
import { MembersPayload } from './payloads.ts';

const perPage = 100;
const maxPages = 50;

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
  for (let page = 1; page <= maxPages; page += 1) {
    const path = `/orgs/${encodeURIComponent(organization)}/teams/${encodeURIComponent(team)}/members?per_page=${perPage}&page=${page}`;
    const response = await client.rest(path, MembersPayload, call).catch(unlessDenied(null));
    if (response === null) return null;
    if (response.data.length !== response.listed) throw invalid('members of a team are unreadable');
    ids.push(...response.data.map(({ id }) => String(id)));
    if (response.listed < perPage) return ids;
  }
  throw invalid('GitHub lists members of a team without an end');
}
