import { newFault } from '../../achievements/conditions/fault.ts';
import { nodeAt } from '../../achievements/read-entries.ts';
import { readNode } from '../../achievements/read-node.ts';
import type { YamlNode } from '../../achievements/yaml-tree.ts';
import type { Board } from '../board.ts';
import { readGrants, readPeople, readTeams } from './read-people.ts';
import { readPatterns } from './read-repositories.ts';
import { checkRulesAlone, readRules } from './read-rules.ts';
import { readWindow } from './read-window.ts';
import type { BoardReading } from './reading.ts';
import { BoardEntry } from './schema.ts';

/**
 * Reads one board.
 * @param node the part of the list of boards.
 * @returns undefined when there is an error.
 */
export function readBoard(node: YamlNode, { faults, ...shared }: BoardReading): Board | undefined {
  const reading: BoardReading = { ...shared, faults: [] };
  const entry = readNode(BoardEntry, node, 'a part of the list boards', reading.faults);
  const place = nodeAt(node, 'board');
  if (entry === undefined) checkRulesAlone(nodeAt(place, 'points'), reading);
  const board = entry && toBoard(entry.board, place, reading);
  faults.push(...reading.faults);
  return reading.faults.some(({ severity }) => severity === 'error') ? undefined : board;
}

function toBoard(fields: BoardFieldsOf, node: YamlNode, reading: BoardReading): Board | undefined {
  const { provider, faults } = reading;
  if (fields.slug.toLowerCase() === 'preview') {
    const expected = 'another word: this one is the address of previews';
    faults.push(newFault(nodeAt(node, 'slug'), 'slug cannot be preview', { expected }));
  }
  const window = readWindow(fields.window ?? {}, nodeAt(node, 'window'), faults);
  const rules = readRules(fields.points, nodeAt(node, 'points'), reading);
  const repositories = readPatterns(fields.repositories, nodeAt(node, 'repositories'), reading);
  const people = readPeople(fields.people ?? {}, reading);
  const teams = readTeams(fields.teams ?? {}, nodeAt(node, 'teams'), reading);
  const grants = readGrants(fields.grants ?? [], nodeAt(node, 'grants'), reading);
  if (window === undefined) return undefined;
  return {
    name: fields.name,
    slug: fields.slug,
    description: fields.description ?? '',
    repositories,
    isPrivate: fields.private ?? false,
    window,
    rules,
    people,
    teams,
    grants,
    countsSelfMerged: fields.self_merged ?? false,
    spamLabels: fields.spam_labels ?? [],
    threshold: fields.threshold ?? null,
    ties: fields.ties ?? 'shared',
    // Names without a provider keep their meaning wherever the board is read again.
    definition: { provider, ...fields },
  };
}

type BoardFieldsOf = NonNullable<ReturnType<typeof readNode<typeof BoardEntry>>>['board'];
