import type { Static } from 'typebox';
import type { Provider } from '../../../hosts/interface/provider.ts';
import type { Account } from '../../../model/account.ts';
import { nearest } from '../../../model/text.ts';
import { alternatives, newFault } from '../../rules/conditions/fault.ts';
import { type Checked, concernsPerson } from '../../rules/conditions/terms.ts';
import type { Action } from '../../rules/conditions/vocabulary.ts';
import { nodeAt, readEntries, toShape } from '../../rules/file/read-entries.ts';
import { readKeys, readList, readNode, readParts, short } from '../../rules/file/read-node.ts';
import { always, likelyAction, type Reading, readTrigger, type UnreportedHost } from '../../rules/file/read-trigger.ts';
import { type Report, toReports } from '../../rules/file/report.ts';
import { decode, readYamlByParts, type YamlNode } from '../../rules/file/yaml-tree.ts';
import {
  type Board,
  type BoardRule,
  type Moment,
  moments,
  type RepositoryPattern,
  type RepositoryPlace,
  type WindowRule,
} from '../board.ts';
import { toBoardWindow } from '../board-window.ts';
import {
  checkMoment,
  checkPerson,
  readGrants,
  readPeople,
  readTeams,
  readWindow,
  warnOfForeign,
} from './read-people.ts';
import {
  BoardEntry,
  type BoardFields,
  BoardParts,
  type BoardReading,
  BoardsFile,
  type FileHost,
  maxConditions,
  maxRepositories,
  maxRules,
  RepositoryText,
  RuleParts,
} from './schema.ts';

/** The moments after its creation that a contribution can have. */
const ends: Readonly<Partial<Record<Action, readonly Moment[]>>> = {
  pull_request: ['merged', 'closed'],
  issue: ['closed'],
  discussion: ['closed'],
};
const surroundings = { pointActions: [], isPointAction: true };

/** The file, and the window of the board; undefined where it has an error. */
type RuleReading = Reading & { isStored?: boolean; window: WindowRule | undefined };

const part = /^[A-Za-z0-9_.-]{1,255}$/;
const namePattern = /^[A-Za-z0-9_.*?-]{1,255}$/;
/** GitLab nests groups up to twenty levels deep. */
const maxParts = 22;
const forms = 'OWNER/NAME, OWNER/* or PROVIDER/OWNER/NAME, or the same after !';

/** The parts of a board whose meaning its schema does not check. */
type Parts = Pick<Board, 'rules' | 'repositories' | 'teams' | 'grants' | 'window'>;

/** The paths at which the repository of an account may have its file; the first one that exists counts. */
export const boardsPaths = ['.plaudit/boards.yaml', '.plaudit/boards.yml'];

export interface ReadBoardsFile {
  /** The boards of the file without errors; a faulty board does not invalidate the others. */
  boards: Board[];
  reports: Report[];
  /** The file as text, as far as it could be decoded. */
  text: string;
}

/** Reads a file of boards. Returns all faults with their places, and never throws because of the contents. */
export function readBoardsFile(bytes: Uint8Array, host: FileHost): ReadBoardsFile {
  const { text, fault } = decode(bytes);
  const { root, faults } =
    fault === undefined ? readYamlByParts(text, ['board']) : { root: undefined, faults: [fault] };
  const boards = root === undefined ? [] : readRoot(root, { file: text, faults, ...host });
  if (root === undefined && faults.length === 0)
    faults.push(newFault({ start: 0, end: 0 }, 'the file is empty', { expected: 'version, boards' }));
  return { boards, reports: toReports(text, faults), text };
}

function readRoot(root: YamlNode, reading: BoardReading): Board[] {
  const { faults } = reading;
  const parts = new Map<string, YamlNode>();
  const shape = toShape(BoardsFile);
  readEntries({ ...shape, properties: shape.properties ?? {} }, root, 'the file', {
    faults,
    // The boards are read below, one by one, so that a faulty one does not invalidate the others.
    read: (_shape, node, subject) => parts.set(subject, node),
  });
  const version = parts.get('version');
  if (version !== undefined && (version.kind !== 'scalar' || version.text !== '1')) {
    const message = 'this version is not known, and read as 1';
    faults.push(newFault(version, message, { severity: 'warning', expected: '1' }));
  }
  const list = parts.get('the list boards');
  return list === undefined ? [] : readBoards(list, reading);
}

function readBoards(list: YamlNode, reading: BoardReading): Board[] {
  const boards: Board[] = [];
  const slugs = new Set<string>();
  for (const item of readList(toShape(BoardsFile.properties.boards), list, 'the list boards', reading.faults)) {
    const board = readBoard(item, reading);
    const slugNode = nodeAt(item, 'board', 'slug');
    const slug = slugNode.kind === 'scalar' ? slugNode.text.trim() : '';
    const key = slug.toLowerCase();
    if (key !== '' && slugs.has(key)) {
      const message = `there is another board with the slug ${slug}`;
      reading.faults.push(newFault(slugNode, message, { expected: 'a slug of its own' }));
    } else if (board !== undefined) boards.push(board);
    slugs.add(key);
  }
  return boards;
}

/**
 * Reads one board. Reports what each of its parts means also where others have errors, so that all are reported at once.
 * @param node the part of the list of boards.
 * @returns undefined when there is an error.
 */
export function readBoard(node: YamlNode, { faults, ...shared }: BoardReading): Board | undefined {
  const reading: BoardReading = { ...shared, faults: [] };
  const entry = readNode(BoardEntry, node, 'a part of the list boards', reading.faults);
  const place = nodeAt(node, 'board');
  const parts = readBoardParts(place, entry?.board ?? readKeys(BoardParts, place), reading);
  const found = reading.faults.map((fault) =>
    fault.isUnknownKey === true ? { ...fault, severity: 'error' as const } : fault,
  );
  faults.push(...found);
  const { window } = parts;
  if (entry === undefined || window === undefined) return undefined;
  if (found.some(({ severity }) => severity === 'error')) return undefined;
  return toBoard(entry.board, { ...parts, window }, reading.provider);
}

function readBoardParts(
  node: YamlNode,
  { slug, teams = {}, people = {} }: Static<typeof BoardParts>,
  reading: BoardReading,
): Partial<Parts> & Omit<Parts, 'window'> {
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
      unreported: { hosts: listHosts(repositories, reading), noun: 'rule' },
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

/** Reads the patterns of a board's repositories; faulty ones are left out. */
function readPatterns(node: YamlNode, reading: BoardReading): RepositoryPattern[] {
  const { faults, provider, isStored = false } = reading;
  const patterns: RepositoryPattern[] = [];
  const seen = new Set<string>();
  const parts = readParts(RepositoryText, node, maxRepositories);
  const texts = parts.map(({ value }) => value);
  for (const { value: text, node: place } of parts) {
    const pattern = toPattern(text, provider);
    if (typeof pattern === 'string') {
      faults.push(newFault(place, `${short(text)} ${pattern}`, { expected: forms, suggestion: likely(text) }));
      continue;
    }
    if (seen.has(text.toLowerCase())) {
      const message = `${short(text)} is here twice`;
      faults.push(newFault(place, message, { severity: 'warning', expected: 'each pattern once' }));
    }
    seen.add(text.toLowerCase());
    if (!pattern.isIncluded && !isStored) warnOfUseless(pattern, texts, place, reading);
    patterns.push(pattern);
  }
  if (patterns.length > 0 && patterns.every(({ isIncluded }) => !isIncluded)) {
    faults.push(newFault(node, 'no repository is included', { expected: 'a pattern without !' }));
  }
  return patterns;
}

/** @returns the pattern, or the end of a sentence that says why the text is none. */
function toPattern(text: string, provider: string): RepositoryPattern | string {
  const isIncluded = !text.startsWith('!');
  const bare = isIncluded ? text : text.slice(1);
  const parts = bare.split('/');
  const name = parts.at(-1) ?? '';
  const owners = parts.slice(0, -1);
  if (parts.length < 2 || parts.length > maxParts) return 'names no repository';
  if (owners.some((owner) => /[*?]/.test(owner)))
    return 'has a pattern in the name of its owner, which is named in full';
  if (!owners.every((owner) => part.test(owner)) || !namePattern.test(name)) return 'names no repository';
  const [first = '', ...rest] = owners;
  const places: RepositoryPlace[] = [{ provider, owner: owners.join('/'), name }];
  if (rest.length > 0) places.push({ provider: first.toLowerCase(), owner: rest.join('/'), name });
  return { isIncluded, places, text: bare };
}

/**
 * Returns the pattern that the author probably meant by an address or a text with white space; undefined for other
 * texts.
 */
function likely(text: string): string | undefined {
  const path = text
    .trim()
    .replace(/^(!?)https?:\/\/[^/]+\//, '$1')
    .replace(/(\.git|\/)$/, '');
  return path !== text && typeof toPattern(path, '') !== 'string' ? path : undefined;
}

/** Returns the owner that a pattern names, in lower case. */
function toOwner(text: string): string {
  return text.replace(/^!/, '').split('/').slice(0, -1).join('/').toLowerCase();
}

/** Warns of an exclusion that has no effect, because no repository of its owner is included. */
function warnOfUseless(
  pattern: RepositoryPattern,
  texts: readonly string[],
  place: YamlNode,
  { faults }: BoardReading,
): void {
  const owners = texts.filter((text) => !text.startsWith('!')).map(toOwner);
  const own = toOwner(pattern.text);
  if (owners.some((owner) => owner === own || owner.endsWith(`/${own}`) || own.endsWith(`/${owner}`))) return;
  const suggestion = nearest(own, owners);
  const message = `!${short(pattern.text)} excludes nothing: no repository of ${own} is included`;
  faults.push(newFault(place, message, { severity: 'warning', expected: 'an owner of included ones', suggestion }));
}

/** Reads the rules of a board; those with an error are left out. */
function readRules(node: YamlNode, reading: RuleReading): BoardRule[] {
  if (node.kind !== 'sequence') return [];
  const rules = node.items.slice(0, maxRules).flatMap((item) => readRule(item, reading) ?? []);
  const written = rules.reduce((sum, { text }) => sum + text.length, 0);
  if (written > maxConditions && !reading.isStored) {
    const message = `the conditions of the board have ${written} characters`;
    reading.faults.push(newFault(node, message, { expected: `at most ${maxConditions}` }));
  }
  return rules;
}

function readRule(node: YamlNode, reading: RuleReading): BoardRule | undefined {
  const { faults } = reading;
  const rule = readKeys(RuleParts, node);
  const { action = likelyAction(node), at = null, per_day: perDay = null, decay = 0, points, condition } = rule;
  const { decided_until: decidedUntil = null, own, each } = rule;
  if (action === undefined) return undefined;
  const written = { actor: rule.actor ?? 'author', action, ...(condition !== undefined && { condition }) };
  const trigger = readTrigger({ ...written, ...(own !== undefined && { own }) }, node, surroundings, {
    ...reading,
    // A rule of a board may have no condition: every contribution of the kind counts then.
    readAbsent: () => ({ condition: always, faults: [] }),
  });
  const possible = new Set<Moment>(['created', ...(ends[action] ?? [])]);
  if (at !== null && !possible.has(at)) {
    const others = moments.filter((moment) => possible.has(moment));
    faults.push(
      newFault(nodeAt(node, 'at'), `${/^[aeiou]/.test(action) ? 'an' : 'a'} ${action} is never ${at}`, {
        expected: alternatives(others),
      }),
    );
  }
  if (each !== undefined && action !== 'review') {
    const message = 'each has no effect: only reviews of one day are one';
    faults.push(newFault(nodeAt(node, 'each'), message, { severity: 'warning', expected: 'a rule about reviews' }));
  }
  if (trigger !== undefined) checkDecision(node, { at, decidedUntil, condition: trigger.condition }, reading);
  const isOnce = trigger !== undefined && concernsPerson(trigger.condition);
  if (isOnce && (perDay !== null || decay > 0)) {
    const key = perDay === null ? 'decay' : 'per_day';
    const message = `${key} has no effect: a rule with count() gives its points once`;
    faults.push(newFault(nodeAt(node, key), message, { severity: 'warning', expected: 'a rule without count()' }));
  } else if (perDay !== null && points !== undefined && perDay < points) {
    const message = `per_day is less than the ${points} points of one contribution`;
    faults.push(newFault(nodeAt(node, 'per_day'), message, { severity: 'warning', expected: `at least ${points}` }));
  }
  if (trigger === undefined || points === undefined) return undefined;
  const counting = { points, perDay, decay, at, decidedUntil, countsEach: each ?? false };
  return { ...trigger, ...counting, withoutOwn: own !== true };
}

/** Checks until when a rule takes note of what a condition requires, of contributions that were created in the window. */
function checkDecision(
  node: YamlNode,
  { at, decidedUntil, condition }: Pick<BoardRule, 'at' | 'decidedUntil' | 'condition'>,
  { faults, window }: RuleReading,
): void {
  const place = nodeAt(node, 'decided_until');
  const end = window?.kind === 'range' ? toBoardWindow(window, new Date(0)).until : null;
  if (decidedUntil === null) {
    if (at !== 'created' || end === null || !isDecidedLater(condition)) return;
    const message = 'at: created counts what was decided until the end of the window';
    const expected = 'decided_until: a day, where later merges, ends and labels count';
    faults.push(newFault(nodeAt(node, 'at'), message, { severity: 'warning', expected }));
  } else if (at !== 'created') {
    faults.push(newFault(place, 'decided_until stands without at: created', { expected: 'at: created' }));
  } else if (window !== undefined && end === null) {
    const message = 'decided_until stands beside a window without until';
    faults.push(newFault(place, message, { expected: 'a window with until' }));
  } else if (window !== undefined && end !== null) {
    const decided = checkMoment('decided_until', decidedUntil, { place, timeZone: window.timeZone }, faults);
    if (decided !== undefined && decided < end)
      faults.push(newFault(place, 'decided_until is before the end of the window', { expected: 'a later day' }));
  }
}

/** Returns whether a condition depends on what may happen to an item after its creation. */
function isDecidedLater(condition: Checked): boolean {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.terms.some(isDecidedLater);
  if (condition.kind === 'count') return condition.condition !== null && isDecidedLater(condition.condition);
  if (condition.kind === 'flag') return ['merged', 'closed', 'answered', 'first'].includes(condition.field);
  if (condition.kind === 'list') return condition.field === 'labels';
  return (
    condition.kind === 'reason' ||
    condition.kind === 'age' ||
    (condition.kind === 'date' && condition.field !== 'created_at')
  );
}

/** Returns the host of a file of an account, with the data that it and other hosts do not return. */
export function toFileHost(
  { provider, name }: Pick<Account, 'provider' | 'name'>,
  providers: ReadonlyMap<string, Pick<Provider, 'unreported'>>,
): FileHost {
  return { provider, owner: name, unreportedBy: (host) => providers.get(host)?.unreported };
}

/**
 * Returns the hosts of the repositories of a board, each with the data that it does not return. They have names where
 * the board counts repositories of another host than that of its file.
 */
function listHosts(
  patterns: readonly RepositoryPattern[],
  { provider, unreportedBy = () => undefined }: FileHost,
): UnreportedHost[] {
  const named = patterns
    .filter(({ isIncluded }) => isIncluded)
    .map(({ places }) => {
      const stated = places.at(-1)?.provider ?? provider;
      // The first part of a path is a group of GitLab where no host has this name.
      return unreportedBy(stated) === undefined ? provider : stated;
    });
  const hosts = named.length === 0 ? [provider] : [...new Set(named)];
  const hasNames = hosts.some((host) => host !== provider);
  return hosts.map((host) => ({ name: hasNames ? host : undefined, kinds: unreportedBy(host) ?? [] }));
}
