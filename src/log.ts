import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { AppError } from './errors.ts';

export type Log = Logger;

/** JSON lines on standard output. Of an error only what it is and where it came from is told, never what it carries. */
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
    // One of our own says enough by its words; the place matters for what nobody expected.
    ...(!(error instanceof AppError) && { stack: error.stack }),
    ...(error.cause !== undefined && { cause: describeError(error.cause) }),
  };
}
