import type { ContributionDetails, ItemKind } from '../../model/contribution.ts';

/** Data about contributions that a host does not report to this service, or only sometimes. */
export interface UnreportedKind {
  kind: ItemKind | 'commit';
  /** The details that the host does not report; absent: it does not report the contributions themselves. */
  details?: readonly (keyof ContributionDetails)[];
  /** A sentence for people that begins with the host's name, without a full stop. */
  why: string;
  /** Present when the host reports some of the data, so that conditions on it can be met. */
  isPartial?: true;
}
