import { AppError } from '../../model/errors.ts';
import { describeNoSpace, exhaustedAt, isOutOfSpace } from '../../model/free-space.ts';

/**
 * Returns the error of a server that did not start, with one line about the cause and, where it is known, the remedy.
 * @param output the output of its programs.
 */
export function explainOutput(output: string, dataDir: string): AppError {
  const full = /^.*(?:no space left on device|disk quota exceeded|file too large)/im.exec(output);
  if (full !== null) return noSpace(dataDir, full[0]);
  if (/read-only file system/i.test(output)) return notWritable(dataDir, 'is read-only');
  if (/GLIBC|not found|cannot execute|Exec format error|error while loading shared libraries/.test(output)) {
    return cannotRun();
  }
  // The output is a file on the same disk, which then lacks the reason.
  if (exhaustedAt(dataDir) !== undefined) return noSpace(dataDir, dataDir);
  const line = lastMeaningfulLine(output);
  return new AppError('misconfigured', `The embedded PostgreSQL in ${dataDir} did not start: ${line}`);
}

export function cannotRun(cause?: unknown): AppError {
  return new AppError(
    'misconfigured',
    'The packaged PostgreSQL cannot run on this system: set DATABASE_URL to a PostgreSQL 15 or later',
    { cause },
  );
}

/** Returns an error of the operating system about DATA_DIR as an AppError with a remedy; other errors unchanged. */
export function explainDirectoryError(error: unknown, dataDir: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (isOutOfSpace(error)) return noSpace(dataDir, findPath(error), error);
  if (code === 'EROFS') return notWritable(dataDir, 'is read-only', error);
  if (code === 'EACCES' || code === 'EPERM') return notWritable(dataDir, 'is not writable for this user', error);
  if (code === 'ENOENT') return notWritable(dataDir, 'cannot be created', error);
  if (code === 'ENOTDIR' || code === 'EEXIST') return notWritable(dataDir, 'is, or lies below, a file', error);
  return error;
}

function findPath(error: unknown): string | undefined {
  return error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : undefined;
}

function noSpace(dataDir: string, at?: string, cause?: unknown): AppError {
  return new AppError('misconfigured', describeNoSpace(dataDir, at), { cause });
}

function notWritable(dataDir: string, fault: string, cause?: unknown): AppError {
  return new AppError('misconfigured', `DATA_DIR: ${dataDir} ${fault}; name a directory that this user may write to`, {
    cause,
  });
}

function lastMeaningfulLine(output: string): string {
  const lines = output.split('\n').map((line) => line.trim());
  const faults = lines.filter((line) => /FATAL|PANIC|error:/.test(line));
  const line = faults.at(-1) ?? lines.findLast((candidate) => candidate !== '');
  return (line ?? 'it gave no reason').slice(0, 300);
}
