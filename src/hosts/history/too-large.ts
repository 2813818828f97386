import { AppError } from '../../model/errors.ts';
import { gitMemoryMiB } from './git.ts';

/** A history that is larger than it may be. Another fetch soon would cost as much and fail again. */
export class HistoryTooLarge extends AppError {
  /** @param excess the rest of a sentence about the history. */
  constructor(excess: string) {
    super('provider_invalid_response', `The history ${excess}`);
  }
}

/** A history with an object, such as a commit with a message of hundreds of MiB, for which git lacks memory. */
export class HistoryOutOfMemory extends HistoryTooLarge {
  constructor() {
    super(`needs more memory than the ${gitMemoryMiB} MiB that git may use here.`);
  }
}

/** Returns whether git itself, and not the remote, wrote that it has no memory left. */
export function isOutOfMemory(complaint: string): boolean {
  return /^(?:fatal|error): (?!remote error).*(?:out of memory|Cannot allocate memory)/im.test(complaint);
}
