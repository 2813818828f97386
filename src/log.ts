import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { AppError } from './errors.ts';

export type Log = Logger;

/**
 * Creates a log of JSON lines on standard output. Of an error it holds the type, the message and the origin, never the
 * data that the error carries.
 * @param fields of each line.
 */
export function createLog(
  level: string,
  to: DestinationStream = destination({ fd: 1, sync: false }),
  fields: Record<string, string> | null = null,
): Log {
  return pino(
    {
      level,
      base: fields,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    to,
  );
}

/** Returns a destination of the log that prints each of its lines for people: the time, the level, the message, the rest. */
export function linesForPeople(print: (line: string) => void): DestinationStream {
  return {
    write: (json) => {
      const parsed: Record<string, unknown> = JSON.parse(json);
      const { level, time, msg, err, ...rest } = parsed;
      const details = Object.entries(rest).map(
        ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
      );
      const words = [
        String(time).slice(11, 19),
        level === 'info' ? '' : `${String(level)}:`,
        msg,
        messagesOf(err),
        ...details,
      ];
      print(
        words
          .filter((word) => word !== undefined && word !== '')
          .map((word) => plain(String(word)))
          .join(' '),
      );
    },
  };
}

/** Returns the messages of an error and of its causes, as the log describes them. */
function messagesOf(described: unknown): string {
  const { message, cause } = (described ?? {}) as { message?: string; cause?: unknown };
  if (message === undefined) return '';
  const further = messagesOf(cause);
  return further === '' ? `(${message})` : `(${message}) ${further}`;
}

/** Replaces control characters: texts of hosts must not control the terminal. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}|\p{Cf}/gu, ' ');
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
