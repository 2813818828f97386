import type { Static } from 'typebox';
import { hostKinds } from '../../../hosts/config/host-settings.ts';
import { AppError } from '../../../model/errors.ts';
import { nearest } from '../../../model/text.ts';
import { readMoment } from '../../../model/windows/moments.ts';
import { readWindow as readWindowText, type WindowText } from '../../../model/windows/window.ts';
import { type Fault, newFault } from '../../rules/conditions/fault.ts';
import { nodeAt } from '../../rules/file/read-entries.ts';
import { readKeys, readParts } from '../../rules/file/read-node.ts';
import type { YamlNode } from '../../rules/file/yaml-tree.ts';
import type { Grant, PeopleFilter, PersonName, Team, TeamName, WindowRule } from '../board.ts';
import { type BoardFields, type BoardReading, GrantEntry, GrantParts, maxGrants, WindowFields } from './schema.ts';

/** The moment as of which windows are checked: boards may be announced long before their windows begin. */
const farFuture = new Date('9000-01-01');

/** The first day of windows. */
const firstDay = '1970-01-01';

const expected = 'a day, as YYYY-MM-DD';

const keys = ['since', 'until', 'period', 'time_zone'] as const;

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

/** Reads the window of a board; undefined after an error. Without any key it has no end and no beginning. */
export function readWindow(board: YamlNode, faults: Fault[]): WindowRule | undefined {
  const node = nodeAt(board, 'window');
  const fields = node === board ? {} : readKeys(WindowFields, node);
  const { since, until, time_zone: timeZone = 'UTC', period, seasons, from } = fields;
  const found = [...faultsOfKeys(node), ...faultsOfValues(fields, node)];
  faults.push(...found);
  if (found.length > 0) return undefined;
  if (seasons !== undefined && from !== undefined) return { kind: 'seasons', unit: seasons, from, timeZone };
  if (period !== undefined) return { kind: 'period', period, timeZone };
  return { kind: 'range', since, until, timeZone };
}

/** Returns faults of keys that stand beside others, or without them. */
function faultsOfKeys(node: YamlNode): Fault[] {
  const has = (key: string): boolean => nodeAt(node, key) !== node;
  const fault = (key: string, message: string, expected: string): Fault =>
    newFault(nodeAt(node, key), message, { expected });
  if (!has('seasons'))
    return has('from')
      ? [fault('from', 'from stands without seasons', 'seasons: month, or since in place of from')]
      : [];
  return [
    ...(has('since') || has('until') || has('period')
      ? [fault('seasons', 'seasons stand beside another window', 'seasons and from alone')]
      : []),
    ...(has('from') ? [] : [fault('seasons', 'the first day of the seasons is missing', 'from: a day, as YYYY-MM-DD')]),
  ];
}

/** Returns the faults of each value, otherwise those of the values together. */
function faultsOfValues(
  { since, until, period, time_zone, from }: Static<typeof WindowFields>,
  node: YamlNode,
): Fault[] {
  const found: Fault[] = [];
  const check = (text: WindowText): void => {
    try {
      readWindowText(text, farFuture);
    } catch (error) {
      found.push(toFault(error, node));
    }
  };
  check({ time_zone });
  const inZone = found.length === 0 ? { time_zone } : {};
  if (from !== undefined) checkDay('from', from, nodeAt(node, 'from'), found);
  const before = found.length;
  for (const text of [{ since }, { until }, { period }]) check({ ...text, ...inZone });
  if (found.length === before) check({ since, until, period, ...inZone });
  return found;
}

/** Adds a fault where a text is no day of the calendar, or one before 1970. */
function checkDay(key: string, text: string, node: YamlNode, faults: Fault[]): void {
  try {
    const { day } = readMoment(key, text, 'UTC');
    if (day === undefined) faults.push(newFault(node, `${text} is no day`, { expected }));
    else if (String(day) < firstDay)
      faults.push(newFault(node, `${key} must not be before ${firstDay}`, { suggestion: firstDay }));
  } catch (error) {
    const { message, suggestion } = toFault(error, node);
    const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
    const meant = suggestion ?? undefined;
    faults.push(
      isDay
        ? newFault(node, message, { suggestion: meant })
        : newFault(node, `${text} is no day`, { expected, suggestion: meant }),
    );
  }
}

/**
 * Reads the end of a day, or a moment. Adds a fault where a text is neither.
 * @returns the first instant that is later.
 */
export function checkMoment(
  key: string,
  text: string,
  { place, timeZone }: { place: YamlNode; timeZone: string },
  faults: Fault[],
): Date | undefined {
  try {
    return readMoment(key, text, timeZone).end;
  } catch (error) {
    const { suggestion } = toFault(error, place);
    const message = `${text} is no day and no moment`;
    faults.push(
      newFault(place, message, {
        expected: `${expected}, or YYYY-MM-DDTHH:MM:SSZ`,
        suggestion: suggestion ?? undefined,
      }),
    );
    return undefined;
  }
}

/** Turns the error about a parameter of a window into a fault at its key. */
function toFault(error: unknown, node: YamlNode): Fault {
  if (!(error instanceof AppError)) throw error;
  const [{ values } = {}] = error.explanations;
  const meant = values?.['meant'];
  const message = error.message.replace(/^\w+: did you mean [^?]*\? /, '').replace(/\.$/, '');
  const key = keys.find((key) => message.startsWith(key));
  const place = key === undefined ? node : nodeAt(node, key);
  return newFault(place, message, { suggestion: meant });
}
