import { createHash } from 'node:crypto';
import type { CommitDescription } from '../../git/build-repository.ts';
import type { Commit, Person } from './model.ts';

export const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

export interface NewCommit {
  author: Person;
  committer?: Person;
  coAuthors?: Person[];
  message: string;
  authoredAt: Date;
  committedAt: Date;
}

/** Makes a commit with the id that git gives it. */
export function makeCommit(parents: readonly string[], described: NewCommit): Commit {
  const { author, committer = author, coAuthors = [], authoredAt, committedAt } = described;
  const trailers = coAuthors.map(({ name, email }) => `Co-authored-by: ${name} <${email}>\n`).join('');
  const message = coAuthors.length === 0 ? `${described.message}\n` : `${described.message}\n\n${trailers}`;
  const content = Buffer.from(
    [
      `tree ${emptyTree}\n`,
      ...parents.map((parent) => `parent ${parent}\n`),
      `author ${signature(author, authoredAt)}\n`,
      `committer ${signature(committer, committedAt)}\n`,
      `\n${message}`,
    ].join(''),
  );
  const oid = createHash('sha1').update(`commit ${content.length}\0`).update(content).digest('hex');
  return {
    oid,
    parents: [...parents],
    author,
    committer,
    coAuthors,
    message: described.message,
    authoredAt,
    committedAt,
  };
}

/** A real history as commits of the simulated world. */
export function fromHistory(history: readonly CommitDescription[]): Commit[] {
  const commits: Commit[] = [];
  for (const [index, described] of history.entries()) {
    const parents = described.parents.map((parent) => commits[Number(parent)]?.oid ?? '');
    commits.push(
      makeCommit(parents, {
        author: described.author,
        coAuthors: [...(described.coAuthors ?? [])],
        message: described.message ?? `Change ${index}`,
        authoredAt: described.authoredAt,
        committedAt: described.committedAt,
      }),
    );
  }
  return commits;
}

/** The same commits, as a repository is built from them. */
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
  }));
}

function signature({ name, email }: Person, at: Date): string {
  return `${name} <${email}> ${Math.floor(at.getTime() / 1000)} +0000`;
}
