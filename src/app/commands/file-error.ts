import { AppError } from '../../model/errors.ts';

const explanations: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  ENOTDIR: 'a part of this path is not a directory',
  EISDIR: 'this is a directory',
  EACCES: 'the user of this process has no permission for it',
  EEXIST: 'there is a file of this name already, and it is not replaced; choose another name',
  ENOSPC: 'no space is left for it',
  EPIPE: 'the program that reads it has ended',
};

/** Returns an error that names the file and the cause in words; other errors as they are. */
export function explainFileError(cause: unknown, path: string): unknown {
  const reason = cause instanceof Error && 'code' in cause ? explanations[String(cause.code)] : undefined;
  const name = path === '-' ? 'the standard stream' : path;
  return reason === undefined ? cause : new AppError('invalid_input', `${name}: ${reason}`, { cause });
}
