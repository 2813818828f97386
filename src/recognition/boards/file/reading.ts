import type { UnreportedKind } from '../../../hosts/interface/provider.ts';
import type { Reading } from '../../rules/file/read-trigger.ts';

/** The host of a file, to which names without a provider refer. */
export interface FileHost {
  provider: string;
  /** The name of the account that has the boards; absent: not known. */
  owner?: string | undefined;
  /** True for a board that was stored by the rules of its time, which may have permitted more. */
  isStored?: boolean;
  /**
   * Returns the data that a host does not return, so that conditions that need it get a warning; undefined for a name of
   * no host.
   */
  unreportedBy?: (provider: string) => readonly UnreportedKind[] | undefined;
}

/** The file that is being read, its host, and the faults that were found until now. */
export interface BoardReading extends Omit<Reading, 'unreported'>, FileHost {}
