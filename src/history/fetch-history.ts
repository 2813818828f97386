import { mkdir } from 'node:fs/promises';
import { setInterval } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import { copyExists, measurePacks, removeCopy, sweepCopy } from './copy-files.ts';
import { requireGit, runGit } from './git.ts';
import { remoteFailure } from './remote-failure.ts';
import { findRemoteTip, type Remote, type RemoteTip } from './remote-tip.ts';

/** What a copy holds of each commit: itself alone, or with its directories too, which tell the paths of files. Never a file. */
export type CopyContents = 'commits' | 'directories';

export interface FetchOptions {
  signal: AbortSignal;
  /** The same each time for the same copy. Default: commits. */
  contents?: CopyContents;
  /** Of all that the remote is asked. */
  timeoutMs: number;
  /** Of the local copy. */
  maxBytes: number;
  now: () => Date;
}

/** What a remote is asked to leave out; one that cannot sends everything. */
const filters: Readonly<Record<CopyContents, string>> = { commits: 'tree:0', directories: 'blob:none' };
/** Where the remote branch is kept in the local copy. */
const localRef = 'refs/heads/tip';
/** Every fetch adds a pack, and git looks for each object in all of them. */
const maxPacks = 32;
const measureEveryMs = 100;

/**
 * Makes the local copy hold a branch: the first time whole, later what is new. Whatever state an interrupted fetch left
 * the copy in, it is repaired or made anew. What the branch held before stays in the copy.
 * @returns the newest commit, or null when there is none.
 * @throws AppError `not_found`, `conflict` (no such branch), `provider_denied`, `provider_rate_limited`,
 * `provider_unavailable`, `provider_invalid_response` (nonsense, or too large), `misconfigured` (git, or the disk); the
 * signal's reason when it is aborted.
 */
export async function fetchHistory(remote: Remote, directory: string, options: FetchOptions): Promise<string | null> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const limited = { ...options, signal: AbortSignal.any([options.signal, timeout]) };
  try {
    await requireGit(limited.signal);
    const tip = await findRemoteTip(remote, limited);
    return tip === null ? null : await updateCopy(tip, directory, limited);
  } catch (error) {
    if (options.signal.aborted || !timeout.aborted) throw error;
    throw new AppError('provider_unavailable', 'The provider sends the history too slowly.', { cause: error });
  }
}

async function updateCopy(tip: RemoteTip, directory: string, options: FetchOptions): Promise<string> {
  const known = await findLocalTip(directory, options.signal);
  if (known === tip.oid) return known;
  // An address may belong to another repository now, whose ids are of another kind.
  if (known?.length === tip.oid.length) {
    try {
      return await fetchInto(directory, tip, options);
    } catch (error) {
      // A copy that is damaged, or too large for all that it kept, is only a copy.
      if (!(error instanceof AppError) || error.code !== 'provider_invalid_response') throw error;
    }
  }
  await removeCopy(directory);
  try {
    await makeCopy(directory, tip.oid, options.signal);
    return await fetchInto(directory, tip, options);
  } catch (error) {
    await removeCopy(directory);
    throw error;
  }
}

/** Undefined parts of a copy, such as a first fetch that was interrupted leaves, have no tip. */
async function findLocalTip(directory: string, signal: AbortSignal): Promise<string | null> {
  if (!(await copyExists(directory))) return null;
  await sweepCopy(directory);
  const found = await runGit(directory, ['rev-parse', '--verify', '--quiet', `${localRef}^{commit}`], { signal });
  return found.code === 0 ? found.output.trim() : null;
}

async function makeCopy(directory: string, tip: string, signal: AbortSignal): Promise<void> {
  const format = tip.length === 64 ? 'sha256' : 'sha1';
  const parameters = ['init', '--quiet', '--bare', '--template=', '--initial-branch=tip', `--object-format=${format}`];
  try {
    await mkdir(directory, { recursive: true });
    const { code, complaint } = await runGit(directory, parameters, { signal });
    if (code !== 0) throw new Error(complaint);
  } catch (cause) {
    signal.throwIfAborted();
    throw new AppError('misconfigured', 'The directory of the histories cannot be written.', { cause });
  }
}

async function fetchInto(directory: string, tip: RemoteTip, options: FetchOptions): Promise<string> {
  await fetchPack(directory, tip, options);
  const fetched = await findLocalTip(directory, options.signal);
  if (fetched === null) throw new AppError('provider_invalid_response', 'The provider sent no commit of the branch.');
  const packs = await measurePacks(directory);
  if (packs.bytes > options.maxBytes) throw new HistoryTooLarge(options.maxBytes);
  // Packs that could not be joined are as good as before.
  if (packs.count > maxPacks) await runGit(directory, ['repack', '-a', '-d', '--quiet'], options);
  return fetched;
}

async function fetchPack(directory: string, { access, ref }: RemoteTip, options: FetchOptions): Promise<void> {
  // Git's reports of its progress end it soon when nobody is there to take them: it does not outlive a killed service.
  const filter = `--filter=${filters[options.contents ?? 'commits']}`;
  const parameters = ['fetch', '--progress', filter, '--no-tags', '--no-recurse-submodules'];
  const target = ['--no-write-fetch-head', 'origin', `+${ref}:${localRef}`];
  const oversize = new AbortController();
  const fetched = new AbortController();
  const watched = watchSize(directory, options.maxBytes, oversize, fetched.signal);
  try {
    const signal = AbortSignal.any([options.signal, oversize.signal]);
    const end = await runGit(directory, [...parameters, ...target], { signal, remote: access });
    if (end.code !== 0) throw remoteFailure(end, access, options.now());
  } finally {
    fetched.abort();
    await watched;
  }
}

/** Aborts what fills a copy over its limit. */
async function watchSize(
  directory: string,
  maxBytes: number,
  oversize: AbortController,
  end: AbortSignal,
): Promise<void> {
  try {
    for await (const _ of setInterval(measureEveryMs, undefined, { signal: end })) {
      const { bytes } = await measurePacks(directory);
      if (bytes > maxBytes) oversize.abort(new HistoryTooLarge(maxBytes));
    }
  } catch (error) {
    if (!end.aborted) throw error;
  }
}

/** A history that takes more than a copy may: asking again soon would only cost the same again. */
export class HistoryTooLarge extends AppError {
  constructor(maxBytes: number) {
    const limit = `${Math.round(maxBytes / 1024 / 1024)} MiB`;
    super('provider_invalid_response', `The history is larger than the ${limit} that it may take here.`);
  }
}
