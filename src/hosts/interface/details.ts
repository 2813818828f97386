import type { LineCounts } from '../../model/contribution.ts';
import type { Call } from './call.ts';
import type { KnownRepository } from './known.ts';

export type ChangedFiles = Map<string, readonly string[]>;

/** Reads details of commits and pull requests of installed repositories. Absent: conditions on them are never true. */
export interface Details {
  /** Reads line counts by commit id (hexadecimal), at most 50 at a time; commits that the host hides are absent. */
  readLineCounts(repository: KnownRepository, oids: readonly string[], call: Call): Promise<Map<string, LineCounts>>;
  /** Reads the paths that pull requests change, by number, at most 50 at a time. */
  readChangedFiles(repository: KnownRepository, numbers: readonly string[], call: Call): Promise<ChangedFiles>;
}
