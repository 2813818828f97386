import { personNamed, recorded, recordedDelivery, toList } from './recordings.ts';

/** Commits, from recorded lists and recorded pushes. */

/** A commit of the public repository, with the names of the files that it changed. */
export interface Commit {
  sha: string;
  created: string;
  commit: { message: string; author: Signature; committer: Signature };
  files: { filename: string; status: string }[];
  parents: { sha: string }[];
}

/** Returns the newest commits of the default branch, newest first. Their files were recorded too. */
export function newestCommits(): Commit[] {
  return [...toList<Commit>('commits-p1'), ...toList<Commit>('commits-p2')];
}

/**
 * Returns the commits of the fork: those up to the merge base of its pull request, because nothing was pushed to it.
 */
export function commitsOfFork(): Commit[] {
  const { merge_base: begin } = recorded('pull-2').body as { merge_base: string };
  const commits = newestCommits();
  return commits.slice(commits.findIndex(({ sha }) => sha === begin));
}

/** Returns a commit and its ancestors among the newest fifty of the default branch, which were recorded. */
export function commitsUntil(sha: string | null): Commit[] {
  const reachable = new Set([sha]);
  return toList<Commit>('commits-big-limit').filter(({ sha: oid, parents }) => {
    if (reachable.has(oid)) for (const parent of parents) reachable.add(parent.sha);
    return reachable.has(oid);
  });
}

interface Signature {
  name: string;
  email: string;
  date: string;
}

/** A commit in a delivered push. */
export interface DeliveredCommit {
  id: string;
  message: string;
  timestamp: string;
  author: { name: string; email: string; username: string };
  committer: { name: string; email: string; username: string };
}

/** Returns the commits of a delivery, newest first. */
export function deliveredCommits(delivery: string): DeliveredCommit[] {
  return (JSON.parse(recordedDelivery(delivery).body) as { commits: DeliveredCommit[] }).commits;
}

/** Returns delivered commits in the shape of a list; the authors' accounts follow from the delivery. */
export function toCommits(delivery: string): unknown[] {
  const [shape] = toList<{ commit: object }>('commits-nostat');
  return deliveredCommits(delivery).map((delivered) => toCommit(delivered, shape));
}

function toCommit(delivered: DeliveredCommit, shape: { commit: object } | undefined): unknown {
  const { id, timestamp: date, message, author, committer } = delivered;
  return {
    ...shape,
    sha: id,
    created: date,
    commit: { ...shape?.commit, message, author: { ...author, date }, committer: { ...committer, date } },
    author: personNamed(author.username) ?? null,
    committer: personNamed(committer.username) ?? null,
  };
}
