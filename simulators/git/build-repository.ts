import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runGit } from './run-git.ts';

export interface Person {
  name: string;
  email: string;
}

export interface CommitDescription {
  /** A number is the index of an earlier commit of the same list; a string is the id of a commit in the repository. */
  parents: readonly (number | string)[];
  author: Person;
  authoredAt: Date;
  /** Default: the author. */
  committer?: Person;
  committedAt: Date;
  coAuthors?: readonly Person[];
  /** The message without the trailers of the co-authors, which are added to it. */
  message?: string;
  /** Texts of files by path; null removes a file. Other files stay as in the first parent. Default: no changes. */
  changes?: ReadonlyMap<string, string | null>;
}

export interface RepositoryDescription {
  commits: readonly CommitDescription[];
  /** The default branch, which points to the last commit. Without commits, the repository is empty. */
  branch: string;
  /** Further references by full name, each with the index of a commit. */
  refs?: Readonly<Record<string, number>>;
}

/**
 * Creates a bare repository. The same description gives the same commit ids.
 * @param directory created when it does not exist.
 * @returns the id of every commit, in the order of the description.
 */
export async function buildRepository(directory: string, description: RepositoryDescription): Promise<string[]> {
  await initialize(directory, description.branch);
  return appendCommits(directory, `refs/heads/${description.branch}`, description.commits, description.refs);
}

/** Creates the files of an empty bare repository, as `git init --bare` does; starting git would take longer. */
async function initialize(directory: string, branch: string): Promise<void> {
  for (const path of ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags']) {
    await mkdir(join(directory, path), { recursive: true });
  }
  await writeFile(join(directory, 'HEAD'), `ref: refs/heads/${branch}\n`);
  // Imported objects stay in a pack: git would start another process to write each into a file.
  const config = '[core]\nrepositoryformatversion = 0\nfilemode = true\nbare = true\n[fastimport]\nunpackLimit = 1\n';
  await writeFile(join(directory, 'config'), config);
}

/**
 * Adds commits and moves `ref` to the last of them, regardless of its former target.
 * @returns the ids of the new commits.
 */
export async function appendCommits(
  directory: string,
  ref: string,
  commits: readonly CommitDescription[],
  refs: Readonly<Record<string, number>> = {},
): Promise<string[]> {
  if (commits.length === 0) return [];
  const input = importStream(ref, commits, refs);
  const output = await runGit(directory, ['fast-import', '--quiet', '--force', '--done'], input);
  return output.toString('latin1').trimEnd().split('\n');
}

/** Points a reference to a commit by force; null removes the reference. */
export async function moveRef(directory: string, ref: string, oid: string | null): Promise<void> {
  await runGit(directory, oid === null ? ['update-ref', '-d', ref] : ['update-ref', ref, oid]);
}

/** Sets the default branch, which need not exist. */
export async function setDefaultBranch(directory: string, branch: string): Promise<void> {
  await runGit(directory, ['symbolic-ref', 'HEAD', `refs/heads/${branch}`]);
}

/**
 * Stores a commit exactly as given, even one that git itself would never write.
 * @returns the id of the commit; no reference points to it yet.
 */
export async function writeRawCommit(directory: string, content: Buffer): Promise<string> {
  const parameters = ['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'];
  return (await runGit(directory, parameters, [content])).toString('latin1').trim();
}

/**
 * Generates the input of `git fast-import`: commits in order, references, and a `get-mark` command for every commit.
 */
function* importStream(
  ref: string,
  commits: readonly CommitDescription[],
  refs: Readonly<Record<string, number>>,
): Generator<string> {
  for (const [index, commit] of commits.entries()) yield importedCommit(ref, index, commit);
  for (const [name, index] of Object.entries(refs)) yield `reset ${name}\nfrom :${mark(index)}\n\n`;
  for (const index of commits.keys()) yield `get-mark :${mark(index)}\n`;
  yield 'done\n';
}

function importedCommit(ref: string, index: number, commit: CommitDescription): string {
  const { author, committer = author } = commit;
  const message = Buffer.from(fullMessage(index, commit));
  const parents = commit.parents.map((parent, position) => {
    const name = typeof parent === 'number' ? `:${mark(parent)}` : parent;
    return `${position === 0 ? 'from' : 'merge'} ${name}\n`;
  });
  // Without a reset, a commit without parents would become a child of the one before it.
  const root = parents.length === 0 ? `reset ${ref}\n\n` : '';
  return (
    `${root}commit ${ref}\nmark :${mark(index)}\n` +
    `author ${signature(author, commit.authoredAt)}\ncommitter ${signature(committer, commit.committedAt)}\n` +
    `data ${message.length}\n${message.toString()}\n${parents.join('')}${[...(commit.changes ?? [])].map(importedChange).join('')}\n`
  );
}

function importedChange([path, text]: [path: string, text: string | null]): string {
  const quoted = `"${path.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`;
  return text === null ? `D ${quoted}\n` : `M 100644 inline ${quoted}\ndata ${Buffer.byteLength(text)}\n${text}\n`;
}

function signature({ name, email }: Person, at: Date): string {
  return `${name} <${email}> ${Math.floor(at.getTime() / 1000)} +0000`;
}

function fullMessage(index: number, { message = `Change ${index}`, coAuthors = [] }: CommitDescription): string {
  if (coAuthors.length === 0) return `${message}\n`;
  const trailers = coAuthors.map(({ name, email }) => `Co-authored-by: ${name} <${email}>\n`);
  return `${message}\n\n${trailers.join('')}`;
}

/** Marks begin at 1. */
function mark(index: number): number {
  return index + 1;
}
