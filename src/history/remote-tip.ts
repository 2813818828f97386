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
  /** The address at which the repository was found, maybe after redirects. */
  access: RemoteAccess;
  /** Full name of the branch, or HEAD. */
  ref: string;
  oid: string;
}

const maxRedirects = 3;
const listingPath = '/info/refs?service=git-upload-pack';

/**
 * Looks up the commit that a branch points to, without fetching anything.
 * @returns null when the default branch has no commit.
 * @throws AppError `conflict` when a branch that was requested by name does not exist.
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
    // Git runs outside the copy, which may be damaged.
    const outcome = await runGit(devNull, ['ls-remote', 'origin', 'HEAD', ref], { signal, remote: access });
    if (outcome.code === 0) return { access, output: outcome.output };
    const target = redirectTarget(access.url, outcome.response?.location);
    if (target === undefined || redirects >= maxRedirects) throw remoteFailure(outcome, access, now());
    access = { url: target, authorization };
  }
}

/** Returns the new address of a renamed repository on the same host: a credential is sent to no other host. */
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
