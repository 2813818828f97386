import { AppError } from '../../model/errors.ts';

/** Returns whether an address cannot be listened on because another server does. */
export function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
}

/** Returns the error for an address that cannot be listened on. */
export function asListenError(
  setting: string,
  { host, port }: { host: string; port: number },
  cause: unknown,
): AppError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code)) {
    return new AppError('misconfigured', `${setting.replace('PORT', 'HOST')}: ${host} is no address of this machine`, {
      cause,
    });
  }
  const reasons: Record<string, string> = { EADDRINUSE: 'is taken', EACCES: 'is not allowed for this user' };
  const reason = reasons[code] ?? `cannot be listened on (${code})`;
  return new AppError('misconfigured', `${setting}: port ${port} ${reason}`, { cause });
}
