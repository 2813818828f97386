import { LRUCache } from 'lru-cache';
import { Check } from 'typebox/value';
import type { Board } from './board.ts';
import { readBoardsFile } from './file/read-file.ts';
import { BoardFields } from './file/schema.ts';

/** Boards that this process has read, by their definitions: one is read for every ranking. */
const boards = new LRUCache<string, Board>({ max: 500 });

/** The rule of an imported season of which no rule is known. */
const unknownRule: Board = {
  name: '',
  slug: '',
  description: '',
  repositories: [],
  isPrivate: false,
  window: { kind: 'range', since: undefined, until: undefined, timeZone: 'UTC' },
  rules: [],
  people: { withBots: false, exclude: [], newcomersAlone: false, onlyMembersOf: null },
  teams: [],
  grants: [],
  countsSelfMerged: false,
  spamLabels: [],
  threshold: null,
  ties: 'shared',
  definition: {},
};

/** Returns whether a stored definition is a rule; an imported season may have none. */
export function hasRule(definition: object): boolean {
  return Object.keys(definition).length > 0;
}

/**
 * Reads a board from its stored definition, by the same rules as from its file.
 * @throws Error when a former release stored a board that is faulty by the rules of this one.
 */
export function readDefinition(definition: object): Board {
  if (!hasRule(definition)) return unknownRule;
  const text = JSON.stringify(definition);
  const known = boards.get(text);
  if (known !== undefined) return known;
  const { provider, ...board }: { provider?: string } = definition;
  const file = JSON.stringify({ version: 1, boards: [{ board }] });
  const {
    boards: [read],
    reports,
  } = readBoardsFile(Buffer.from(file), { provider: provider ?? 'github', isStored: true });
  if (read === undefined) throw new Error(`a stored board is faulty: ${reports[0]?.message}`);
  boards.set(text, read);
  return read;
}

/**
 * Returns the parts of a stored definition as its file has them, and the provider of its owner.
 * @throws Error when the definition has not the shape of a board.
 */
export function readFields(definition: object): { provider: string; fields: BoardFields } {
  const { provider = 'github', ...fields }: { provider?: string } = definition;
  if (!Check(BoardFields, fields)) throw new Error('a stored board has another shape than its schema');
  return { provider, fields };
}
