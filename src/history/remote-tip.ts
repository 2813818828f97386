import { devNull } from 'node:os';
import { AppError } from '../errors.ts';
import { runGit } from './git.ts';
import type { RemoteAccess } from './git-environment.ts';
import { remoteFailure } from './remote-failure.ts';

/** A branch of a remote repository. */
export interface Remote extends RemoteAccess {
  /** Null: the default branch. */
  branch: string | null;
}

export interface RemoteTip {
  /** Where the repository was found, which may be after redirects. */
  access: RemoteAccess;
  /** Full name of the branch, or HEAD. */
  ref: string;
  oid: string;
}

const maxRedirects = 3;
const listingPath = '/info/refs?service=git-upload-pack';

/**
 * Asks what a branch points to, without fetching anything.
 * @returns null when there is nothing on the default branch.
 * @throws AppError `conflict` when a branch that was asked for by name is not there.
 */
export async function findRemoteTip(
  remote: Remote,
  { signal, now }: { signal: AbortSignal; now: () => Date },
): Promise<RemoteTip | null> {
  const ref = remote.branch === null ? 'HEAD' : `refs/heads/${remote.branch}`;
  const { access, output } = await listRefs(remote, ref, { signal, now });
  const oids = new Map(output.split('\n').map((line) => parseRef(line)));
  const oid = oids.get(ref);
  if (oid !== undefined) return { access, ref, oid };
  if (remote.branch === null || !oids.has('HEAD')) return null;
  throw new AppError('conflict', 'The repository has no such branch (any more).');
}

async function listRefs(
  { url, authorization }: RemoteAccess,
  ref: string,
  { signal, now }: { signal: AbortSignal; now: () => Date },
): Promise<{ access: RemoteAccess; output: string }> {
  let access: RemoteAccess = { url, authorization };
  for (let redirects = 0; ; redirects += 1) {
    // No repository, so that a damaged copy is not in the way.
    const outcome = await runGit(devNull, ['ls-remote', 'origin', 'HEAD', ref], { signal, remote: access });
    if (outcome.code === 0) return { access, output: outcome.output };
    const target = redirectTarget(access.url, outcome.answer?.location);
    if (target === undefined || redirects >= maxRedirects) throw remoteFailure(outcome, access, now());
    access = { url: target, authorization };
  }
}

/** Where a repository that was renamed is now, on the same host: a credential is shown to nobody else. */
function redirectTarget(url: string, location: string | undefined): string | undefined {
  if (location === undefined || !URL.canParse(location, url)) return undefined;
  const target = new URL(location, url);
  if (target.origin !== new URL(url).origin || !target.href.endsWith(listingPath)) return undefined;
  return target.href.slice(0, -listingPath.length);
}

function parseRef(line: string): [ref: string, oid: string] {
  const [oid = '', ref = ''] = line.split('\t');
  return [ref, oid];
}
