import { type Commit, CommitParser, commitFormat } from './commit-parser.ts';
import { runGit } from './git.ts';
import { checkOid, readCopy } from './read-copy.ts';

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
