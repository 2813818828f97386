import { LRUCache } from 'lru-cache';
import type { RepositoryFile, UnreportedKind } from '../../../hosts/interface/provider.ts';
import type { Config } from '../../rules/config.ts';
import { FileThread, type FileThreadOptions } from '../../rules/file/file-thread.ts';
import { readableText, reportUnread } from '../../rules/file/report.ts';
import type { ReadConfigFile } from '../config-file.ts';
import type { UnreadFile } from './reading-thread.ts';

/** The file of achievements of a repository, as it was read. */
export interface ReadFile extends ReadConfigFile {
  path: string;
  oid: string;
}

/** The parts of a file that decide who earns an achievement. */
export type EvaluatedConfig = Pick<Config, 'achievements' | 'pointActions'>;

const program = new URL('./reading-thread.ts', import.meta.url);
const maxKept = 100;
const emptyConfig: Config = { pointActions: [], achievements: [], webhooks: [] };

/** Reads files of achievements in a thread, and keeps what the last ones say. */
export class AchievementFiles {
  readonly #thread: FileThread<UnreadFile, ReadConfigFile>;
  /** By the object ids of git: a file that was read to be stored is not read again to be evaluated. */
  readonly #kept = new LRUCache<string, Promise<EvaluatedConfig>>({ max: maxKept });

  constructor(options?: FileThreadOptions) {
    this.#thread = new FileThread(program, options);
  }

  /**
   * Reads a file as its provider returns it. A file that is not text, is too long or takes too long gives one fault and
   * nothing else.
   * @param unreported the data that the provider does not return.
   */
  async read(ownerId: string, file: RepositoryFile, unreported: readonly UnreportedKind[]): Promise<ReadFile> {
    const { path, oid } = file;
    const text = readableText(file);
    const read = text === undefined ? undefined : await this.#thread.read(ownerId, { text, unreported });
    const { config, reports, text: shown } = read ?? { config: emptyConfig, reports: reportUnread(file), text: '' };
    this.#kept.set(oid, Promise.resolve(config));
    return { path, oid, config, reports, text: shown };
  }

  /** Returns what a stored file says; reads it unless this process has read it lately. */
  async findConfig({ ownerId, oid, text }: { ownerId: string; oid: string; text: string }): Promise<EvaluatedConfig> {
    const kept = this.#kept.get(oid);
    if (kept !== undefined) return kept;
    const reading = this.#thread.read(ownerId, { text, unreported: [] }).then((read) => read?.config ?? emptyConfig);
    this.#kept.set(oid, reading);
    reading.catch(() => this.#kept.delete(oid));
    return reading;
  }

  /** Returns a copy of all that is kept, by object ids. */
  copyKept(): ReadonlyMap<string, Promise<EvaluatedConfig>> {
    return new Map(this.#kept.entries());
  }
}
