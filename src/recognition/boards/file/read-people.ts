import { hostKinds } from '../../../hosts/config/host-settings.ts';
import { nearest } from '../../../model/text/nearest.ts';
import { newFault } from '../../rules/conditions/fault.ts';
import { nodeAt } from '../../rules/file/read-entries.ts';
import { readKeys, readParts } from '../../rules/file/read-node.ts';
import type { YamlNode } from '../../rules/file/yaml-tree.ts';
import type { Grant, PeopleFilter, PersonName, Team, TeamName } from '../board.ts';
import { checkDay } from './read-window.ts';
import type { BoardReading } from './reading.ts';
import { type BoardFields, GrantEntry, GrantParts, maxGrants } from './schema.ts';

/** Reads the rules about who is ranked. */
export function readPeople(
  people: NonNullable<BoardFields['people']>,
  { provider }: Pick<BoardReading, 'provider'>,
): PeopleFilter {
  const { bots: withBots = false, exclude = [], newcomers: newcomersAlone = false, only_members_of: team } = people;
  const { newcomer_of: of = 'any' } = people;
  return {
    withBots,
    exclude: exclude.map((login) => toPerson(login, provider)),
    newcomersAlone,
    ...(of === 'rule' && { isNewToRules: true }),
    onlyMembersOf: team === undefined ? null : toTeam(team, provider),
  };
}

/** Warns of a team that is not of the account that has the board, because boards use no other teams. */
export function warnOfForeign(text: string, place: YamlNode, { provider, owner, faults }: BoardReading): void {
  if (owner === undefined) return;
  const { provider: host, organization } = toTeam(text, provider);
  if (`${host}/${organization}/`.toLowerCase().startsWith(`${provider}/${owner}/`.toLowerCase())) return;
  const message = `the members of ${text} are never known: a board uses the teams of its own account alone`;
  faults.push(newFault(place, message, { severity: 'warning', expected: `a team of ${owner}` }));
}

/** Reads the teams of a board. A member that begins with `@` and has a slash is a team at the host. */
export function readTeams(teams: NonNullable<BoardFields['teams']>, node: YamlNode, reading: BoardReading): Team[] {
  const { provider, faults } = reading;
  const teamByMember = new Map<string, string>();
  return Object.entries(teams).map(([name, members]) => {
    for (const [index, member] of members.entries()) {
      const place = nodeAt(node, name.toLowerCase(), index);
      if (isTeam(member)) warnOfForeign(member, place, reading);
      else refuseUnknownHost(member, place, `@${member}`, reading);
      const other = teamByMember.get(member.toLowerCase());
      if (other !== undefined) {
        const message = other === name ? `${member} is here twice` : `${member} is in the team ${other} too`;
        faults.push(newFault(place, message, { severity: 'warning', expected: 'each member once' }));
      }
      teamByMember.set(member.toLowerCase(), name);
    }
    return {
      name,
      people: members.filter((member) => !isTeam(member)).map((login) => toPerson(login, provider)),
      hostTeams: members.filter(isTeam).map((team) => toTeam(team, provider)),
    };
  });
}

/** Returns whether a member of a team is a team at the host. */
export function isTeam(member: string): boolean {
  return member.startsWith('@') && member.includes('/');
}

/** Reads the grants: points that people get by decision. Those with an error are left out. */
export function readGrants(node: YamlNode, reading: BoardReading): Grant[] {
  const { provider, faults } = reading;
  for (const { until, place } of readEnds(node)) checkDay('until', until, place, faults);
  return readParts(GrantEntry, node, maxGrants).map(({ value, node: grant }) => {
    checkPerson(value.person, nodeAt(grant, 'person'), 'a grant is for', reading);
    const { person, points, reason, granted_by: grantedBy, until = null } = value;
    return { person: toPerson(person, provider), points, reason, grantedBy, until };
  });
}

/** Refuses what names no account where a person is meant: a team of a host, or a login at an unknown host. */
export function checkPerson(text: string, place: YamlNode, what: string, reading: BoardReading): void {
  const { isStored, faults } = reading;
  if (!isTeam(text)) return refuseUnknownHost(text, place, toPerson(text, '').login, reading);
  if (isStored === true) return;
  faults.push(newFault(place, `${text} is a team, and ${what} a person`, { expected: 'a login' }));
}

/**
 * Refuses a person of a host that is not known, because the name would be that of no account. A stored board may have one.
 * @param other the text that is valid where the host is not meant as one.
 */
function refuseUnknownHost(text: string, place: YamlNode, other: string, reading: BoardReading): void {
  const { provider, isStored, faults, unreportedBy } = reading;
  const { provider: host, login } = toPerson(text, provider);
  if (isStored === true || host === provider || unreportedBy === undefined || unreportedBy(host) !== undefined) return;
  const near = nearest(host, [provider, ...hostKinds]);
  const expected = 'a login, or HOST/LOGIN of a host that is configured';
  const suggestion = near === undefined ? other : `${near}/${login}`;
  faults.push(newFault(place, `${text} is no account: no host has the name ${host} here`, { expected, suggestion }));
}

/** Returns the last days of grants, also of grants with errors in other keys. */
function readEnds(node: YamlNode): { until: string; place: YamlNode }[] {
  if (node.kind !== 'sequence') return [];
  return node.items.slice(0, maxGrants).flatMap((item) => {
    const { until } = readKeys(GrantParts, item);
    return until === undefined ? [] : [{ until, place: nodeAt(item, 'until') }];
  });
}

/** Reads LOGIN or PROVIDER/LOGIN. */
export function toPerson(text: string, provider: string): PersonName {
  const parts = text.replace(/^@/, '').split('/');
  const login = parts.pop() ?? '';
  return { provider: parts.length === 0 ? provider : parts.join('/').toLowerCase(), login };
}

/** Reads ORGANIZATION/TEAM, or PROVIDER/ORGANIZATION/TEAM. */
function toTeam(text: string, provider: string): TeamName {
  const parts = text.replace(/^@/, '').split('/');
  const team = parts.pop() ?? '';
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return { provider, organization: first, team };
  return { provider: first.toLowerCase(), organization: rest.join('/'), team };
}
