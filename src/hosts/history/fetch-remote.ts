import { AppError } from '../../model/errors.ts';
import { type GitEnd, runGit } from './git.ts';
import type { RemoteAccess } from './git-environment.ts';
import { remoteFailure } from './remote-failure.ts';
import { HistoryOutOfMemory, isOutOfMemory } from './too-large.ts';

export interface RemoteFetch {
  /** The objects that the remote leaves out, as `--filter` names them; a remote that does not support it sends all. */
  filter: string;
  /** The full name of the ref of the copy that becomes the newest commit of the remote's default branch. */
  ref: string;
  signal: AbortSignal;
  /**
   * The time, in ms, that the remote has for its first response. Git has no limit for a connection, curl's is 300 s, and
   * `http.lowSpeedTime` only counts once there is one (https://curl.se/libcurl/c/CURLOPT_CONNECTTIMEOUT.html).
   */
  firstResponseMs: number;
  now: () => Date;
}

const maxRedirects = 3;
const listingPath = '/info/refs?service=git-upload-pack';

/** The remote has ids of another length (SHA-1 or SHA-256) than the copy. */
export class OtherIdFormat extends AppError {
  constructor() {
    super('provider_invalid_response', 'The history has ids of another length than its copy.');
  }
}

/** The host sent something else than a history, such as a page about its maintenance, so that the copy is not at fault. */
export class NoHistory extends AppError {
  constructor(cause: unknown) {
    super('provider_invalid_response', 'The provider sends something else than a history.', { cause });
  }
}

/**
 * Fetches what a copy lacks of the default branch of a remote, which lists its references once for that.
 * @returns whether the default branch has a commit; without one, the copy stays as it is.
 * @throws OtherIdFormat; NoHistory; HistoryOutOfMemory; AppError as `remoteFailure` returns it; the signal's reason when it is aborted.
 */
export async function fetchRemote(
  remote: RemoteAccess,
  directory: string,
  { filter, ref, signal, firstResponseMs, now }: RemoteFetch,
): Promise<boolean> {
  // With `--progress` git writes often, so that it ends soon after the service that reads its output was killed.
  const options = ['--progress', `--filter=${filter}`, '--no-tags', '--no-recurse-submodules', '--no-write-fetch-head'];
  let access = remote;
  for (let redirects = 0; ; redirects += 1) {
    const parameters = ['fetch', ...options, 'origin', `+HEAD:${ref}`];
    const end = await runGit(directory, parameters, { signal, remote: access, firstResponseMs });
    if (end.code === 0) return true;
    if (isOutOfMemory(end.complaint)) throw new HistoryOutOfMemory();
    // Git takes any page for the references of a host without git's own protocol, and finds no default branch there.
    const isHistory = sendsHistory(end);
    if (isHistory && /^fatal: couldn't find remote ref HEAD$/m.test(end.complaint)) return false;
    // Git writes the second one for a remote with the first version of the protocol.
    if (
      /^fatal: (?:mismatched algorithms|Server does not support this repository's object format)/m.test(end.complaint)
    )
      throw new OtherIdFormat();
    const target = redirectTarget(access.url, end.response?.location);
    if (target === undefined || redirects >= maxRedirects) {
      const failure = remoteFailure(end, access, now());
      throw failure.code === 'provider_invalid_response' && !isHistory ? new NoHistory(failure.cause) : failure;
    }
    access = { ...remote, url: target };
  }
}

/** Returns whether the last response, if there was one, belongs to git's protocol, which all supported hosts have. */
function sendsHistory({ response }: GitEnd): boolean {
  return response === undefined || (response.contentType ?? '').startsWith('application/x-git-upload-pack-');
}

/** Returns the new address of a renamed repository on the same host: a credential is sent to no other host. */
function redirectTarget(url: string, location: string | undefined): string | undefined {
  if (location === undefined || !URL.canParse(location, url)) return undefined;
  const target = new URL(location, url);
  if (target.origin !== new URL(url).origin || !target.href.endsWith(listingPath)) return undefined;
  return target.href.slice(0, -listingPath.length);
}
