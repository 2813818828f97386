import assert from 'node:assert/strict';
import { mkdir, readdir, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { AppError } from '../../model/errors.ts';
import { measurePacks, removeCopy } from './copy-files.ts';
import { type CopyContents, fetchHistory } from './fetch-history.ts';
import type { RemoteAccess } from './git.ts';
import {
  type Commit,
  type CommitRange,
  holdsCommit,
  type LostRange,
  type PathOptions,
  type PathsByCommit,
  type ReadOptions,
  readCommits,
  readLost,
  readPaths,
} from './read-commits.ts';
import { describeDiskFault, HistoryTooLarge } from './remote-failure.ts';

export interface HistoryCacheOptions {
  /** The directory of the copies. The cache owns all of its contents, which may be deleted while no process uses it. */
  directory: string;
  maxCopyBytes: number;
  /** The largest size of all copies together, in bytes; copies in use can exceed it. */
  maxTotalBytes: number;
  fetchTimeoutMs: number;
  /** See `FetchOptions`. */
  firstResponseMs?: number | undefined;
  /** The path of the file with the certificate authorities that git trusts; undefined: those of the system. */
  authorities?: string | undefined;
  now: () => Date;
}

/** The local copy of one repository's history, for as long as it is in use. */
export interface HistoryCopy {
  /** See `fetchHistory`. */
  fetch: (remote: RemoteAccess, signal: AbortSignal) => Promise<string | null>;
  /** See `holdsCommit`. */
  holds: (oid: string, signal: AbortSignal) => Promise<boolean>;
  /** See `readCommits`. */
  readCommits: (range: CommitRange, options: ReadOptions) => AsyncGenerator<Commit[], void, undefined>;
  /** See `readLost`. */
  readLost: (range: LostRange, options: ReadOptions) => AsyncGenerator<string[], void, undefined>;
  /** See `readPaths`; needs a copy with directories. */
  readPaths: (oids: readonly string[], options: PathOptions) => AsyncGenerator<PathsByCommit, void, undefined>;
}

/** The time, in ms, for which a history that is too large is not fetched again. */
const tooLargeForMs = 86_400_000;
/** The most such histories that are remembered. */
const maxTooLarge = 10_000;
/** The end of the names of copies with directories. */
const directoriesMark = '.directories';
/** The disk space of a copy without its packs, in bytes. */
const overheadBytes = 64 * 1024;
/** The most copies about which a sweep inquires at once. */
export const keysAtOnce = 500;

/**
 * Keeps local copies of histories, so that later fetches are small. Removes the least recently used copies when all
 * together are too large. Several processes may share a directory as long as no two use the same copy. At worst one
 * process removes a copy that another is about to read; that read fails with an AppError, and succeeds the next time.
 */
export class HistoryCache {
  readonly #options: HistoryCacheOptions;
  readonly #inUse = new Set<string>();
  readonly #removals = new Map<string, Promise<void>>();
  /** Sizes in bytes by name, the least recently used copy first. */
  readonly #bytes = new Map<string, number>();
  /** Failures by name. */
  readonly #tooLarge: LRUCache<string, HistoryTooLarge>;
  #loaded: Promise<void> | undefined;

  constructor(options: HistoryCacheOptions) {
    this.#options = options;
    this.#tooLarge = new LRUCache({
      max: maxTooLarge,
      ttl: tooLargeForMs,
      ttlResolution: 0,
      perf: { now: () => options.now().getTime() },
    });
  }

  /**
   * Calls `work` with a copy, which is not removed before `work` ends. A copy with directories is separate from the one
   * without, so that commits can be read even when the directories are too large.
   * @param key of the repository, the same each time; letters, digits, `-` and `_`.
   * @throws AppError `conflict` when the copy is in use already; `misconfigured` when there is no place for copies.
   */
  async use<Result>(
    key: string,
    contents: CopyContents,
    work: (copy: HistoryCopy) => Promise<Result>,
  ): Promise<Result> {
    assert.match(key, /^[\w-]{1,100}$/);
    const name = contents === 'commits' ? key : `${key}${directoriesMark}`;
    if (this.#inUse.has(name)) throw new AppError('conflict', 'The history is being read already.');
    this.#inUse.add(name);
    try {
      await this.#load();
      await this.#removals.get(name);
      return await work(this.#toCopy(name, contents));
    } catch (error) {
      if (error instanceof HistoryTooLarge && this.#tooLarge.get(name) !== error) this.#tooLarge.set(name, error);
      throw error;
    } finally {
      await this.#recordUse(name);
      this.#inUse.delete(name);
      await this.#makeRoom();
    }
  }

  /**
   * Removes the copies of repositories that are not wanted, unless they are in use.
   * @param findWanted returns those of up to `keysAtOnce` keys whose copies stay.
   */
  async sweep(findWanted: (keys: readonly string[]) => Promise<ReadonlySet<string>>): Promise<void> {
    await this.#load();
    const names = this.#bytes.keys().toArray();
    for (let start = 0; start < names.length; start += keysAtOnce) {
      const batch = names.slice(start, start + keysAtOnce);
      const wanted = await findWanted([...new Set(batch.map(toKey))]);
      for (const name of batch) if (!this.#inUse.has(name) && !wanted.has(toKey(name))) await this.#remove(name);
    }
  }

  #toPath(name: string): string {
    return join(this.#options.directory, name);
  }

  #toCopy(name: string, contents: CopyContents): HistoryCopy {
    const directory = this.#toPath(name);
    return {
      fetch: (remote, signal) => this.#fetch(name, remote, { contents, signal }),
      holds: (oid, signal) => holdsCommit(directory, oid, signal),
      readCommits: (range, options) => readCommits(directory, range, options),
      readLost: (range, options) => readLost(directory, range, options),
      readPaths: (oids, options) => readPaths(directory, oids, options),
    };
  }

  async #fetch(
    name: string,
    remote: RemoteAccess,
    options: { contents: CopyContents; signal: AbortSignal },
  ): Promise<string | null> {
    const { maxCopyBytes: maxBytes, fetchTimeoutMs: timeoutMs, authorities, firstResponseMs, now } = this.#options;
    const failed = this.#tooLarge.get(name);
    if (failed !== undefined) throw failed;
    const access = { ...remote, authorities };
    const limits = { maxBytes, timeoutMs, firstResponseMs, now };
    return fetchHistory(access, this.#toPath(name), { ...options, ...limits });
  }

  /** Finds, once, the copies that earlier runs left. */
  #load(): Promise<void> {
    this.#loaded ??= this.#findHeld().catch((cause: unknown) => {
      this.#loaded = undefined;
      const message = describeDiskFault(cause, 'The directory of the histories cannot be used.');
      throw new AppError('misconfigured', message, { cause });
    });
    return this.#loaded;
  }

  async #findHeld(): Promise<void> {
    await mkdir(this.#options.directory, { recursive: true });
    const found: { name: string; bytes: number; usedAtMs: number }[] = [];
    for (const name of await readdir(this.#options.directory)) {
      const entry = await stat(this.#toPath(name)).catch(() => undefined);
      // Another process may have removed it just now.
      if (entry !== undefined) found.push({ name, bytes: await this.#measureSize(name), usedAtMs: entry.mtimeMs });
    }
    found.sort((a, b) => a.usedAtMs - b.usedAtMs);
    for (const { name, bytes } of found) this.#bytes.set(name, bytes);
  }

  async #measureSize(name: string): Promise<number> {
    return overheadBytes + (await measurePacks(this.#toPath(name))).bytes;
  }

  async #recordUse(name: string): Promise<void> {
    this.#bytes.delete(name);
    try {
      const now = this.#options.now();
      // The modification time keeps the order for the next run.
      await utimes(this.#toPath(name), now, now);
      this.#bytes.set(name, await this.#measureSize(name));
    } catch {
      // There is no copy: the repository is empty, or could not be fetched.
    }
  }

  async #makeRoom(): Promise<void> {
    let total = this.#bytes.values().reduce((sum, bytes) => sum + bytes, 0);
    for (const [name, bytes] of this.#bytes) {
      if (total <= this.#options.maxTotalBytes) return;
      if (this.#inUse.has(name)) continue;
      total -= bytes;
      await this.#remove(name);
    }
  }

  async #remove(name: string): Promise<void> {
    this.#bytes.delete(name);
    const removal = removeCopy(this.#toPath(name)).finally(() => this.#removals.delete(name));
    this.#removals.set(name, removal);
    await removal;
  }
}

/** Returns the key of a copy with this name. */
function toKey(name: string): string {
  return name.replace(directoriesMark, '');
}
