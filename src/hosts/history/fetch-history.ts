import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setInterval } from 'node:timers/promises';
import { AppError } from '../../model/errors.ts';
import { copyExists, measurePacks, removeCopy, sweepCopy } from './copy-files.ts';
import { type GitEnd, type RemoteAccess, requireGit, runGit } from './git.ts';
import {
  describeDiskFault,
  HistoryOutOfMemory,
  HistoryTooLarge,
  isOutOfMemory,
  remoteFailure,
} from './remote-failure.ts';

interface RemoteFetch {
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
class OtherIdFormat extends AppError {
  constructor() {
    super('provider_invalid_response', 'The history has ids of another length than its copy.');
  }
}

/** The host sent something else than a history, such as a page about its maintenance, so that the copy is not at fault. */
class NoHistory extends AppError {
  constructor(cause: unknown) {
    super('provider_invalid_response', 'The provider sends something else than a history.', { cause });
  }
}

/**
 * The objects that a copy holds of each commit: the commit alone, or its directories too, which name the paths of
 * files. A copy never holds the contents of files.
 */
export type CopyContents = 'commits' | 'directories';

export interface FetchOptions {
  signal: AbortSignal;
  /** Must be the same each time for the same copy. Default: commits. */
  contents?: CopyContents;
  /** The limit for all requests to the remote together, in ms. */
  timeoutMs: number;
  /** See `RemoteFetch`. Default: 60 s. */
  firstResponseMs?: number | undefined;
  /** The largest size of the local copy, in bytes. */
  maxBytes: number;
  /**
   * The number of packs above which they are joined: every fetch adds a pack, and git searches all of them for each
   * object. Default: 32.
   */
  maxPacks?: number;
  now: () => Date;
}

/** Filters that request a fetch without some objects; a remote that does not support them sends everything. */
const filters: Readonly<Record<CopyContents, string>> = { commits: 'tree:0', directories: 'blob:none' };
/** The ref that holds the remote branch in the local copy. */
const localRef = 'refs/heads/tip';
const defaultMaxPacks = 32;
const defaultFirstResponseMs = 60_000;
const measureEveryMs = 100;

/**
 * Updates the local copy of a default branch: fetches all of it the first time, and only new commits later. A copy that
 * an interrupted fetch left in a bad state is repaired or made again. Commits that the branch held before stay in the
 * copy.
 * @returns the newest commit, or null when there is none.
 * @throws AppError `not_found`, `provider_denied`, `provider_rate_limited`, `provider_unavailable`,
 * `provider_invalid_response` (unreadable, too large, or out of memory), `misconfigured` (git, or the disk); the signal's reason when it
 * is aborted.
 */
export async function fetchHistory(
  remote: RemoteAccess,
  directory: string,
  options: FetchOptions,
): Promise<string | null> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const limited = { ...options, signal: AbortSignal.any([options.signal, timeout]) };
  try {
    await requireGit(limited.signal);
    return await updateCopy(remote, directory, limited);
  } catch (error) {
    if (options.signal.aborted || !timeout.aborted) throw error;
    throw new AppError('provider_unavailable', 'The provider sends the history too slowly.', { cause: error });
  }
}

async function updateCopy(remote: RemoteAccess, directory: string, options: FetchOptions): Promise<string | null> {
  if (await copyExists(directory)) {
    await sweepCopy(directory);
    try {
      return await fetchInto(directory, remote, options);
    } catch (error) {
      // A copy is made again below when it is damaged, or too large because of old commits, and when the address belongs
      // to another repository now, whose ids have another length.
      const isOfCopy = error instanceof AppError && error.code === 'provider_invalid_response';
      if (!isOfCopy || error instanceof NoHistory || error instanceof HistoryOutOfMemory) throw error;
    }
  }
  await removeCopy(directory);
  const idFormats = ['sha1', 'sha256'] as const;
  for (const idFormat of idFormats) {
    try {
      return await fetchFirst(directory, remote, { ...options, idFormat });
    } catch (error) {
      if (!(error instanceof OtherIdFormat)) throw error;
    }
  }
  throw new OtherIdFormat();
}

/** Makes a copy and fetches into it. Nothing remains without a commit. */
async function fetchFirst(
  directory: string,
  remote: RemoteAccess,
  { idFormat, ...options }: FetchOptions & { idFormat: 'sha1' | 'sha256' },
): Promise<string | null> {
  let tip: string | null = null;
  try {
    await makeCopy(directory, idFormat);
    tip = await fetchInto(directory, remote, options);
  } finally {
    if (tip === null) await removeCopy(directory);
  }
  return tip;
}

/** Reads the newest commit of a copy. An incomplete copy, such as an interrupted first fetch leaves, has none. */
async function readLocalRef(directory: string): Promise<string | null> {
  const content = await readFile(join(directory, localRef), 'utf8').catch(() => '');
  return content.trim() || null;
}

/**
 * Makes an empty copy as `git init --bare` does (`man gitrepository-layout`). A process of git for it would take longer
 * than all of this. `HEAD` comes last, so that an interrupted copy is no repository.
 */
async function makeCopy(directory: string, idFormat: 'sha1' | 'sha256'): Promise<void> {
  const isSha256 = idFormat === 'sha256';
  const format = isSha256 ? '[extensions]\n\tobjectformat = sha256\n' : '';
  const config = `[core]\n\trepositoryformatversion = ${isSha256 ? 1 : 0}\n\tbare = true\n${format}`;
  try {
    await mkdir(join(directory, 'objects', 'pack'), { recursive: true });
    await mkdir(join(directory, 'refs', 'heads'), { recursive: true });
    await writeFile(join(directory, 'config'), config);
    await writeFile(join(directory, 'HEAD'), `ref: ${localRef}\n`);
  } catch (cause) {
    const message = describeDiskFault(cause, 'The directory of the histories cannot be written.');
    throw new AppError('misconfigured', message, { cause });
  }
}

async function fetchInto(directory: string, remote: RemoteAccess, options: FetchOptions): Promise<string | null> {
  const known = await readLocalRef(directory);
  if (!(await fetchWatched(directory, remote, options))) return null;
  const fetched = await readLocalRef(directory);
  if (fetched === null) throw new AppError('provider_invalid_response', 'The provider sent no commit of the branch.');
  if (fetched === known) return known;
  const packs = await measurePacks(directory);
  if (packs.bytes > options.maxBytes) throw tooManyBytes(options.maxBytes);
  // A failed repack does no harm: git can still read the single packs.
  if (packs.count > (options.maxPacks ?? defaultMaxPacks))
    await runGit(directory, ['repack', '-a', '-d', '--quiet'], { signal: options.signal });
  return fetched;
}

async function fetchWatched(directory: string, remote: RemoteAccess, options: FetchOptions): Promise<boolean> {
  const { contents = 'commits', firstResponseMs = defaultFirstResponseMs, maxBytes, now } = options;
  const oversize = new AbortController();
  const fetched = new AbortController();
  const watched = watchSize(directory, maxBytes, oversize, fetched.signal);
  try {
    const signal = AbortSignal.any([options.signal, oversize.signal]);
    return await fetchRemote(remote, directory, {
      filter: filters[contents],
      ref: localRef,
      signal,
      firstResponseMs,
      now,
    });
  } finally {
    fetched.abort();
    await watched;
  }
}

/** Aborts `oversize` when the copy grows over its limit. */
async function watchSize(
  directory: string,
  maxBytes: number,
  oversize: AbortController,
  end: AbortSignal,
): Promise<void> {
  try {
    for await (const _ of setInterval(measureEveryMs, undefined, { signal: end })) {
      const { bytes } = await measurePacks(directory);
      if (bytes > maxBytes) oversize.abort(tooManyBytes(maxBytes));
    }
  } catch (error) {
    if (!end.aborted) throw error;
  }
}

function tooManyBytes(maxBytes: number): HistoryTooLarge {
  return new HistoryTooLarge(`is larger than the ${Math.round(maxBytes / 1024 / 1024)} MiB that it may take here.`);
}

/**
 * Fetches what a copy lacks of the default branch of a remote, which lists its references once for that.
 * @returns whether the default branch has a commit; without one, the copy stays as it is.
 * @throws OtherIdFormat; NoHistory; HistoryOutOfMemory; AppError as `remoteFailure` returns it; the signal's reason when it is aborted.
 */
async function fetchRemote(
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
