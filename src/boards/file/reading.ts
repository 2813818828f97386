import type { Reading } from '../../achievements/read-trigger.ts';

/** The file that is being read, the faults that were found until now, and the host of names without a provider. */
export interface BoardReading extends Reading {
  provider: string;
}
