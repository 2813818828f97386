import { newFault } from '../../rules/conditions/fault.ts';
import { nodeAt } from '../../rules/file/read-entries.ts';
import { readKeys, readNode } from '../../rules/file/read-node.ts';
import type { YamlNode } from '../../rules/file/yaml-tree.ts';
import type { Board } from '../board.ts';
import { hostsOf } from './hosts.ts';
import { checkPerson, readGrants, readPeople, readTeams, warnOfForeign } from './read-people.ts';
import { readPatterns } from './read-repositories.ts';
import { readRules } from './read-rules.ts';
import { readWindow } from './read-window.ts';
import type { BoardReading } from './reading.ts';
import { BoardEntry, type BoardFields, BoardParts } from './schema.ts';

/**
 * Reads one board. Reports what each of its parts means also where others have errors, so that all are reported at once.
 * @param node the part of the list of boards.
 * @returns undefined when there is an error.
 */
export function readBoard(node: YamlNode, { faults, ...shared }: BoardReading): Board | undefined {
  const reading: BoardReading = { ...shared, faults: [] };
  const entry = readNode(BoardEntry, node, 'a part of the list boards', reading.faults);
  const parts = readPartsOf(nodeAt(node, 'board'), reading);
  const found = reading.faults.map((fault) =>
    fault.isUnknownKey === true ? { ...fault, severity: 'error' as const } : fault,
  );
  faults.push(...found);
  const { window } = parts;
  if (entry === undefined || window === undefined) return undefined;
  if (found.some(({ severity }) => severity === 'error')) return undefined;
  return toBoard(entry.board, { ...parts, window }, reading.provider);
}

/** The parts of a board whose meaning its schema does not check. */
type Parts = Pick<Board, 'rules' | 'repositories' | 'teams' | 'grants' | 'window'>;

function readPartsOf(node: YamlNode, reading: BoardReading): Partial<Parts> & Omit<Parts, 'window'> {
  const { slug, teams = {}, people = {} } = readKeys(BoardParts, node);
  const window = readWindow(node, reading.faults);
  if (slug?.toLowerCase() === 'preview') {
    const expected = 'another word: this one is the address of previews';
    reading.faults.push(newFault(nodeAt(node, 'slug'), 'slug cannot be preview', { expected }));
  }
  const { only_members_of: team, exclude = [] } = people;
  for (const [index, person] of exclude.entries())
    checkPerson(person, nodeAt(node, 'people', 'exclude', index), 'an exclusion is of', reading);
  if (team !== undefined) warnOfForeign(team, nodeAt(node, 'people', 'only_members_of'), reading);
  const repositories = readPatterns(nodeAt(node, 'repositories'), reading);
  return {
    ...(window !== undefined && { window }),
    repositories,
    rules: readRules(nodeAt(node, 'points'), {
      ...reading,
      unreported: { hosts: hostsOf(repositories, reading), noun: 'rule' },
      window,
    }),
    teams: readTeams(teams, nodeAt(node, 'teams'), reading),
    grants: readGrants(nodeAt(node, 'grants'), reading),
  };
}

function toBoard(fields: BoardFields, parts: Parts, provider: string): Board {
  return {
    ...parts,
    name: fields.name,
    slug: fields.slug,
    description: fields.description ?? '',
    isPrivate: fields.private ?? false,
    people: readPeople(fields.people ?? {}, { provider }),
    countsSelfMerged: fields.self_merged ?? false,
    spamLabels: fields.spam_labels ?? [],
    threshold: fields.threshold ?? null,
    ties: fields.ties ?? 'shared',
    // Names without a provider keep their meaning wherever the board is read again.
    definition: { provider, ...fields },
  };
}
