import { newFault } from '../../rules/conditions/fault.ts';
import { decode } from '../../rules/file/decode.ts';
import { nodeAt, readEntries } from '../../rules/file/read-entries.ts';
import { readList } from '../../rules/file/read-node.ts';
import { type Report, toReports } from '../../rules/file/report.ts';
import { toShape } from '../../rules/file/shape.ts';
import { readYamlByParts } from '../../rules/file/yaml-recovery.ts';
import type { YamlNode } from '../../rules/file/yaml-tree.ts';
import type { Board } from '../board.ts';
import { readBoard } from './read-board.ts';
import type { BoardReading, FileHost } from './reading.ts';
import { BoardsFile } from './schema.ts';

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
