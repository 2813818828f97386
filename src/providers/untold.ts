import type { ContributionDetails, ItemKind } from '../contributions/contribution.ts';

/** Something about contributions that a host does not tell this service, or not always. */
export interface Untold {
  kind: ItemKind | 'commit';
  /** Details that are not told; absent: the contributions themselves are not. */
  details?: readonly (keyof ContributionDetails)[];
  /** A sentence for people that begins with the host's name, without a full stop. */
  why: string;
  /** Some of it is told, so that conditions on it can hold. */
  isPartial?: true;
}
