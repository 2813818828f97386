import type { CommitDescription } from '../git/build-repository.ts';
import { gitId } from '../git/git-id.ts';
import type { Commit, Person } from './model.ts';
import { type Changes, changeTree, emptyTree, type Tree } from './tree.ts';

export interface NewCommit {
  author: Person;
  committer?: Person;
  coAuthors?: Person[];
  message: string;
  authoredAt: Date;
  committedAt: Date;
}

/** Makes a commit that changes some files, with the id that git gives it. */
export function makeCommit(parents: readonly Commit[], described: NewCommit): Commit {
  const before = parents[0]?.tree ?? emptyTree;
  // The same commit always changes the same files.
  const seed = `${described.author.email} ${described.message}`;
  return toCommit(
    parents.map(({ oid }) => oid),
    described,
    changeTree(before, seed),
  );
}

function toCommit(parents: readonly string[], described: NewCommit, files: { tree: Tree; changes: Changes }): Commit {
  const { author, committer = author, coAuthors = [], authoredAt, committedAt } = described;
  const trailers = coAuthors.map(({ name, email }) => `Co-authored-by: ${name} <${email}>\n`).join('');
  const message = coAuthors.length === 0 ? `${described.message}\n` : `${described.message}\n\n${trailers}`;
  const content = Buffer.from(
    [
      `tree ${files.tree.oid}\n`,
      ...parents.map((parent) => `parent ${parent}\n`),
      `author ${signature(author, authoredAt)}\n`,
      `committer ${signature(committer, committedAt)}\n`,
      `\n${message}`,
    ].join(''),
  );
  return {
    oid: gitId('commit', content),
    ...files,
    parents: [...parents],
    author,
    committer,
    coAuthors,
    message: described.message,
    authoredAt,
    committedAt,
  };
}

/** Turns a real history into commits of the simulated world, without files. */
export function fromHistory(history: readonly CommitDescription[]): Commit[] {
  const commits: Commit[] = [];
  for (const [index, described] of history.entries()) {
    const parents = described.parents.map((parent) => commits[Number(parent)]?.oid ?? '');
    commits.push(
      toCommit(
        parents,
        {
          author: described.author,
          coAuthors: [...(described.coAuthors ?? [])],
          message: described.message ?? `Change ${index}`,
          authoredAt: described.authoredAt,
          committedAt: described.committedAt,
        },
        { tree: emptyTree, changes: new Map() },
      ),
    );
  }
  return commits;
}

/** Turns commits into the description that a repository is built from. */
export function toDescriptions(commits: readonly Commit[]): CommitDescription[] {
  const indexes = new Map(commits.map((commit, index) => [commit.oid, index]));
  return commits.map((commit) => ({
    parents: commit.parents.map((parent) => indexes.get(parent) ?? parent),
    author: commit.author,
    committer: commit.committer,
    coAuthors: commit.coAuthors,
    message: commit.message,
    authoredAt: commit.authoredAt,
    committedAt: commit.committedAt,
    changes: commit.changes,
  }));
}

function signature({ name, email }: Person, at: Date): string {
  return `${name} <${email}> ${Math.floor(at.getTime() / 1000)} +0000`;
}
