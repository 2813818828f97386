import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { AppError } from './errors.ts';

export type Log = Logger;

/**
 * Creates a log of JSON lines on standard output. Of an error it holds the type, the message and the origin, never the
 * data that the error carries.
 */
export function createLog(level: string, to: DestinationStream = destination({ fd: 1, sync: false })): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    to,
  );
}

function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  return {
    type: error.name,
    message: error.message,
    ...('code' in error && { code: error.code }),
    ...(error instanceof AppError && error.reason !== undefined && { reason: error.reason }),
    // The message of an `AppError` is enough; an unexpected error needs its stack.
    ...(!(error instanceof AppError) && { stack: error.stack }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
