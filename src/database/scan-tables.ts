import type { ItemKind } from '../contributions/contribution.ts';

/** A page that a running full scan has read. */
export interface ScanPagesTable {
  repository_id: string;
  stream: string;
  /** The contributions on it: the kind and the external id of each. */
  kinds: ItemKind[];
  external_ids: string[];
}
