import { checkOid, readCopy } from './copy-files.ts';
import { fromUtf8, NulRecords } from './read-commits.ts';

/** The paths of the files that commits change, by the ids of the commits. */
export type PathsByCommit = Map<string, string[]>;

/** The most paths of one commit; GitHub lists no more either. `onCut` reports commits with more. */
const maxPaths = 3000;
/** A longer path is left out: no usual file system could hold it (PATH_MAX of Linux). */
const maxPathBytes = 4096;
/** The most bytes of the paths of one commit; a path has about sixty. */
const maxBytesOfCommit = 1024 * 1024;
const maxBytesAtOnce = 4 * 1024 * 1024;

export interface PathOptions {
  signal: AbortSignal;
  /** The paths of a merge: those that differ from its first parent, or none. */
  merges: 'first parent' | 'none';
  /** Called for each commit of which paths are left out. */
  onCut?: (() => void) | undefined;
}

/**
 * Reads the paths of the files that commits add, change or remove; a renamed file has both names. A first commit is
 * compared with nothing. Paths are in git's order and hold neither NUL nor half a
 * surrogate pair.
 * @param directory a copy that was fetched with its directories.
 * @param oids at most some thousand. Commits that the copy does not hold are left out.
 * @returns several parts, so that no more than some megabytes are in memory.
 */
export async function* readPaths(
  directory: string,
  oids: readonly string[],
  { signal, merges, onCut }: PathOptions,
): AsyncGenerator<PathsByCommit, void, undefined> {
  if (oids.length === 0) return;
  // `--ignore-missing`: the branch may have lost a commit meanwhile.
  const which = ['--no-walk=unsorted', '--ignore-missing'];
  const parents = merges === 'none' ? ['--diff-merges=off'] : ['--first-parent', '-m'];
  // A path may look like an id. Unlike `--name-only`, `--raw` prints a marked record before each path.
  const options = ['--raw', '--no-abbrev', '--no-renames', '--no-mailmap', '-z', '--format=tformat:%H'];
  const parser = new PathParser(onCut);
  for await (const chunk of readCopy(
    directory,
    ['log', ...which, ...parents, ...options, ...oids.map(checkOid), '--'],
    signal,
  )) {
    parser.push(chunk);
    if (parser.bytes >= maxBytesAtOnce) yield parser.takeEnded();
  }
  yield parser.takeAll();
}

/**
 * Reads the output of `git log -z --raw --format=%H`: an id; then for each file a line feed or nothing, a colon with
 * the old and new state of the file, and its path. A NUL ends each of these.
 */
class PathParser {
  readonly #records = new NulRecords(maxPathBytes + 1);
  #ended: PathsByCommit = new Map();
  readonly #onCut: (() => void) | undefined;
  #current: { oid: string; paths: string[]; bytes: number; isCut: boolean } | undefined;
  #isPathNext = false;
  #endedBytes = 0;

  constructor(onCut: PathOptions['onCut']) {
    this.#onCut = onCut;
  }

  /** The size, in bytes, of the commits that `takeEnded` returns. */
  get bytes(): number {
    return this.#endedBytes;
  }

  push(chunk: Buffer): void {
    this.#records.push(chunk, (record) => this.#read(record));
  }

  /** Returns the commits that are read whole, without those that were returned before. */
  takeEnded(): PathsByCommit {
    const taken = this.#ended;
    this.#ended = new Map();
    this.#endedBytes = 0;
    return taken;
  }

  /** Returns the same at the end of the stream, where the last commit is whole too. */
  takeAll(): PathsByCommit {
    this.#end();
    return this.takeEnded();
  }

  #read(record: string): void {
    if (this.#isPathNext) {
      this.#isPathNext = false;
      this.#addPath(record);
    } else if (/^\n?:/.test(record)) this.#isPathNext = true;
    else {
      this.#end();
      this.#current = { oid: record, paths: [], bytes: 0, isCut: false };
    }
  }

  #addPath(bytes: string): void {
    const commit = this.#current;
    if (commit === undefined) return;
    const isTooMuch = commit.paths.length >= maxPaths || commit.bytes + bytes.length > maxBytesOfCommit;
    if (isTooMuch || bytes.length > maxPathBytes) commit.isCut = true;
    else {
      commit.paths.push(fromUtf8(bytes));
      commit.bytes += bytes.length;
    }
  }

  #end(): void {
    if (this.#current === undefined) return;
    const { oid, paths, bytes, isCut } = this.#current;
    if (isCut) this.#onCut?.();
    this.#ended.set(oid, paths);
    this.#endedBytes += oid.length + bytes;
    this.#current = undefined;
  }
}
