import { checkOid, readCopy } from './copy-files.ts';
import { runGit } from './git.ts';

/** Splits a stream of bytes at its NULs; chunks may end anywhere. */
class NulRecords {
  readonly #maxLength: number;
  /** The start of a record whose end has not arrived yet. */
  #rest = '';

  /** @param maxLength in bytes; the rest of a longer record is dropped. */
  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** @param onRecord receives each record that ends in `chunk`, one character per byte. */
  push(chunk: Buffer, onRecord: (record: string) => void): void {
    // Decoding the whole chunk, one character per byte, is the fastest way to split it.
    const text = chunk.toString('latin1');
    let start = 0;
    for (let end = text.indexOf('\0'); end >= 0; end = text.indexOf('\0', start)) {
      this.#keep(text, start, end);
      const record = this.#rest;
      this.#rest = '';
      onRecord(record);
      start = end + 1;
    }
    this.#keep(text, start, text.length);
  }

  #keep(text: string, start: number, end: number): void {
    const length = Math.min(end - start, this.#maxLength - this.#rest.length);
    if (length > 0) this.#rest += text.slice(start, start + length);
  }
}

/** The data of one commit that counting needs. */
export interface Commit {
  /** Hexadecimal: 40 digits, or 64 where the repository uses SHA-256. */
  oid: string;
  /**
   * From 1970 to 9999. A later date becomes the last second of 9999; an earlier or unreadable one is replaced by the
   * other date, or else by 1970.
   */
  authoredAt: Date;
  committedAt: Date;
  /** The author's address first, if there is one, then the co-authors'; lower-cased, distinct, at most 256. */
  emails: string[];
  /** True when a trailer says that a program helped to write the commit. */
  isAssisted: boolean;
  /** True when the message names more co-authors than are read. */
  isCut?: true;
  /** The first line of the message as git folds it, cut; absent where the record was too long. */
  subject?: string;
}

/**
 * The format for `git log -z --format=tformat:...` that `CommitParser` reads. Neither an address nor an unfolded
 * trailer holds a line feed, and nothing holds a NUL, which ends a commit. Dates are Unix seconds, or empty when git
 * cannot read them. Co-authors are the trailers that git finds (`man git-interpret-trailers`), in any case of letters,
 * as GitHub does. Help of programs is in the trailers that the Linux kernel (Assisted-by,
 * https://docs.kernel.org/process/coding-assistants.html) and the Apache Software Foundation (Generated-by,
 * https://www.apache.org/legal/generative-tooling.html) define.
 */
export const commitFormat =
  '%H %at %ct %ae%n%(trailers:key=Co-authored-by,key=Assisted-by,key=Generated-by,unfold)%x01%s';

const assistance = /^(?:assisted|generated)-by:/i;

/** Comes before the subject, which is last, because its length has no limit. The address and each trailer end a line. */
const subjectMark = '\n\u0001';
/** In bytes; a subject of 256 characters has at most as many. */
const maxSubjectLength = 1024;

/** The most people of one commit: `isCut` says that there are more. */
const maxEmails = 256;
/** RFC 5321, section 4.5.3.1: 64 octets, "@", 255 octets. */
const maxEmailLength = 320;
/** Enough for more than `maxEmails` lines of usual length; the rest of a longer record is dropped, and `isCut` is true. */
const maxRecordLength = 64 * 1024;
/** The last second of the year 9999. */
const maxSeconds = 253_402_300_799;

/** Reads commits from a stream of bytes, whose chunks may end anywhere. */
export class CommitParser {
  readonly #records = new NulRecords(maxRecordLength);

  /** Adds the commits that end in `chunk` to `commits`. */
  push(chunk: Buffer, commits: Commit[]): void {
    this.#records.push(chunk, (record) => commits.push(parseCommit(record)));
  }
}

/** The commits that are reachable from `to` and not from `from`. The copy has to hold both; null excludes none. */
export interface CommitRange {
  from: string | null;
  to: string;
}

/**
 * The commits that are reachable from earlier tips of a branch, `from`, and not from `to`. The copy has to hold all of
 * these.
 */
export interface LostRange {
  from: readonly string[];
  to: string;
}

export interface ReadOptions {
  signal: AbortSignal;
  /** The number of commits, or ids, in a batch; the last one has fewer. */
  batchSize: number;
}

/** Returns whether the local copy holds a commit, and with it everything that is reachable from it. */
export async function holdsCommit(directory: string, oid: string, signal: AbortSignal): Promise<boolean> {
  const parameters = ['rev-parse', '--verify', '--quiet', `${checkOid(oid)}^{commit}`];
  return (await runGit(directory, parameters, { signal })).code === 0;
}

/** Yields commits, newest first by committer date. At most a batch and a few pages of git's output are in memory. */
export async function* readCommits(
  directory: string,
  { from, to }: CommitRange,
  { signal, batchSize }: ReadOptions,
): AsyncGenerator<Commit[], void, undefined> {
  // With a mail map, git would read trees, which the copy lacks.
  const parameters = ['log', '--no-mailmap', '-z', `--format=tformat:${commitFormat}`];
  const range = revisions([to], from === null ? [] : [from]);
  const parser = new CommitParser();
  const chunks = readCopy(directory, [...parameters, ...range], signal);
  yield* inBatches(chunks, (chunk, commits: Commit[]) => parser.push(chunk, commits), batchSize);
}

/** Yields the ids of commits that are reachable from one of `from` and not from `to`. */
export async function* readLost(
  directory: string,
  { from, to }: LostRange,
  { signal, batchSize }: ReadOptions,
): AsyncGenerator<string[], void, undefined> {
  if (from.length === 0) return;
  let rest = '';
  const addOids = (chunk: Buffer, oids: string[]): void => {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) oids.push(line);
  };
  yield* inBatches(readCopy(directory, ['rev-list', ...revisions(from, [to])], signal), addOids, batchSize);
}

async function* inBatches<Item>(
  chunks: AsyncIterable<Buffer>,
  addItems: (chunk: Buffer, items: Item[]) => void,
  batchSize: number,
): AsyncGenerator<Item[], void, undefined> {
  const items: Item[] = [];
  for await (const chunk of chunks) {
    addItems(chunk, items);
    while (items.length >= batchSize) yield items.splice(0, batchSize);
  }
  if (items.length > 0) yield items;
}

function revisions(included: readonly string[], excluded: readonly string[]): string[] {
  return [...included.map(checkOid), ...excluded.map((oid) => `^${checkOid(oid)}`), '--'];
}

/** @param record one character per byte. */
function parseCommit(record: string): Commit {
  const oidEnd = record.indexOf(' ');
  const authoredEnd = record.indexOf(' ', oidEnd + 1);
  const committedEnd = record.indexOf(' ', authoredEnd + 1);
  const lineEnd = endOfLine(record, committedEnd + 1);
  const authored = parseSeconds(record.slice(oidEnd + 1, authoredEnd));
  const committed = parseSeconds(record.slice(authoredEnd + 1, committedEnd));
  const emails: string[] = [];
  addEmail(emails, record.slice(committedEnd + 1, lineEnd));
  const mark = record.indexOf(subjectMark, lineEnd);
  const head = mark < 0 ? record : record.slice(0, mark + 1);
  const { isAssisted, isCut } = readTrailers(emails, head, lineEnd + 1);
  return {
    oid: record.slice(0, oidEnd),
    authoredAt: new Date((authored ?? committed ?? 0) * 1000),
    committedAt: new Date((committed ?? authored ?? 0) * 1000),
    emails,
    isAssisted,
    ...((isCut || (mark < 0 && record.length === maxRecordLength)) && { isCut: true }),
    ...(mark >= 0 && {
      subject: fromUtf8(record.slice(mark + subjectMark.length, mark + subjectMark.length + maxSubjectLength)),
    }),
  };
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start);
  return end < 0 ? text.length : end;
}

function parseSeconds(digits: string): number | undefined {
  const seconds = digits === '' ? Number.NaN : Number(digits);
  return seconds >= 0 ? Math.min(seconds, maxSeconds) : undefined;
}

/**
 * Reads one trailer per line: `Name <address>` of co-authors, of which those without an address are skipped.
 * @returns whether a program helped, and whether lines are left that are not read.
 */
function readTrailers(emails: string[], record: string, from: number): { isAssisted: boolean; isCut: boolean } {
  let isAssisted = false;
  let start = from;
  while (start < record.length && emails.length < maxEmails) {
    const end = endOfLine(record, start);
    const line = record.slice(start, end);
    start = end + 1;
    if (assistance.test(line)) {
      isAssisted = true;
      continue;
    }
    const open = line.indexOf('<');
    const close = line.indexOf('>', open);
    if (open >= 0 && close >= 0) addEmail(emails, line.slice(open + 1, close));
  }
  return { isAssisted, isCut: start < record.length };
}

function addEmail(emails: string[], bytes: string): void {
  const email = fromUtf8(bytes).trim().toLowerCase();
  if (email === '' || email.length > maxEmailLength || emails.includes(email)) return;
  emails.push(email);
}

/** @param bytes one character per byte; bytes that are not UTF-8 become U+FFFD. */
function fromUtf8(bytes: string): string {
  return /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}

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
