import type { LineCounts } from '../contributions/contribution.ts';
import type { Call } from './call.ts';
import type { KnownRepository } from './known.ts';

export type ChangedFiles = Map<string, readonly string[]>;

/** Details of commits and pull requests in installed repositories. Absent: conditions on them never hold. */
export interface Details {
  /** Reads line counts by commit id (hexadecimal), at most 50 at a time; commits that the host hides are absent. */
  readLineCounts(repository: KnownRepository, oids: readonly string[], call: Call): Promise<Map<string, LineCounts>>;
  /** Reads the paths that pull requests change, by number, at most 50 at a time. */
  readChangedFiles(repository: KnownRepository, numbers: readonly string[], call: Call): Promise<ChangedFiles>;
}
