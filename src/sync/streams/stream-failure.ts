import type { AppError } from '../../model/errors.ts';

/**
 * The failure of a stream that could not be read to its end. Ids are those of this service, because the reader of a log may not know
 * private names.
 */
export interface StreamFailure {
  provider: string;
  repositoryId: string;
  stream: string;
  error: AppError;
}
