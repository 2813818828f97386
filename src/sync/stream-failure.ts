import type { AppError } from '../errors.ts';

/** A stream that could not be read on. Ids are ours: the reader of a log may not know private names. */
export interface StreamFailure {
  provider: string;
  repositoryId: string;
  stream: string;
  error: AppError;
}
