import { listOf, personNamed, recorded, recordedDelivery } from './recordings.ts';

/** Commits, as lists of them and pushes were recorded. */

/** A commit of the public repository, with the names of the files that it changed. */
export interface Commit {
  sha: string;
  created: string;
  commit: { message: string; author: Signature; committer: Signature };
  files: { filename: string; status: string }[];
  parents: { sha: string }[];
}

/** Newest first: the last of the default branch, whose files were recorded too. */
export function newestCommits(): Commit[] {
  return [...listOf<Commit>('commits-p1'), ...listOf<Commit>('commits-p2')];
}

/** What the fork began with, as what was proposed from it says; nothing was pushed to its default branch. */
export function commitsOfFork(): Commit[] {
  const { merge_base: begin } = recorded('pull-2').body as { merge_base: string };
  const commits = newestCommits();
  return commits.slice(commits.findIndex(({ sha }) => sha === begin));
}

/** A commit and what comes before it; the newest fifty of the default branch were recorded. */
export function commitsUntil(sha: string | null): Commit[] {
  const wanted = new Set([sha]);
  return listOf<Commit>('commits-big-limit').filter(({ sha: one, parents }) => {
    if (wanted.has(one)) for (const parent of parents) wanted.add(parent.sha);
    return wanted.has(one);
  });
}

interface Signature {
  name: string;
  email: string;
  date: string;
}

/** A commit as a push tells of it. */
export interface DeliveredCommit {
  id: string;
  message: string;
  timestamp: string;
  author: { name: string; email: string; username: string };
  committer: { name: string; email: string; username: string };
}

/** Newest first. */
export function deliveredCommits(delivery: string): DeliveredCommit[] {
  return (JSON.parse(recordedDelivery(delivery).body) as { commits: DeliveredCommit[] }).commits;
}

/** As a list had told of them: whose a commit is, the delivery says. */
export function toCommits(delivery: string): unknown[] {
  const [shape] = listOf<{ commit: object }>('commits-nostat');
  return deliveredCommits(delivery).map((delivered) => toCommit(delivered, shape));
}

function toCommit(told: DeliveredCommit, shape: { commit: object } | undefined): unknown {
  const { id, timestamp: date, message, author, committer } = told;
  return {
    ...shape,
    sha: id,
    created: date,
    commit: { ...shape?.commit, message, author: { ...author, date }, committer: { ...committer, date } },
    author: personNamed(author.username) ?? null,
    committer: personNamed(committer.username) ?? null,
  };
}
