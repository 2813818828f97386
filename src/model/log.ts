import { type DestinationStream, destination, type Logger, pino } from 'pino';
import { AppError } from './errors.ts';
import { toFields } from './fields.ts';

/** The number of different failures that are remembered. */
const maxFailures = 1000;

/**
 * Writes a failure at once, and then at most once in an interval with the number of times that it was repeated: each
 * request and each job may fail for the same reason, and a log that grows with them fills the disk.
 */
class RepeatedLines {
  readonly #everyMs: number;
  readonly #repeats = new Map<string, { count: number; write: (count: number) => void }>();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /**
   * Writes a line now, or with the others of its interval.
   * @param failure the same for all lines about the same failure.
   * @param write called with the number of repetitions; 0 for the first line.
   */
  add(failure: string, write: (repeated: number) => void): void {
    const known = this.#repeats.get(failure);
    if (known !== undefined) {
      known.count += 1;
      known.write = write;
      return;
    }
    write(0);
    if (this.#repeats.size >= maxFailures) return;
    this.#repeats.set(failure, { count: 0, write });
    this.#wait(failure);
  }

  #wait(failure: string): void {
    setTimeout(() => this.#end(failure), this.#everyMs).unref();
  }

  #end(failure: string): void {
    const known = this.#repeats.get(failure);
    if (known === undefined || known.count === 0) {
      this.#repeats.delete(failure);
      return;
    }
    known.write(known.count);
    known.count = 0;
    this.#wait(failure);
  }
}

export type Log = Logger;

/** The time, in ms, in which a failure that repeats is written once. */
const repeatedEveryMs = 60_000;
/** pino's number of the level from which on lines are about failures. */
const warning = 40;

/**
 * Creates a log of JSON lines on standard output. Of an error it holds the type, the message and the origin, never the
 * data that the error carries. Warnings and errors that repeat are one line a minute, with their number in `repeated`.
 * @param fields of each line.
 */
export function createLog(
  level: string,
  to: DestinationStream = destination({ fd: 1, sync: false }),
  fields: Record<string, string> | null = null,
  repeatMs = repeatedEveryMs,
): Log {
  const repeats = new RepeatedLines(repeatMs);
  return pino(
    {
      level,
      base: fields,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
      hooks: {
        logMethod(args, method, number) {
          if (number < warning) return method.apply(this, args);
          repeats.add(failureIn(number, args), (repeated) =>
            method.apply(this, repeated === 0 ? args : withCount(args, repeated)),
          );
        },
      },
    },
    to,
  );
}

type Line = [first: unknown, message?: string | undefined, ...values: unknown[]];

/** Returns a text that is the same for lines about the same failure: they differ in ids, and in numbers of messages. */
function failureIn(level: number, [first, ...rest]: Line): string {
  const described = JSON.stringify(first, (name, value: unknown) => {
    if (/(^i|I)ds?$/.test(name)) return undefined;
    return value instanceof Error ? [value.name, plainMessage(value)] : value;
  });
  return `${level} ${typeof first === 'string' ? withoutNumbers(first) : described} ${withoutNumbers(rest.join(' '))}`;
}

/** Returns the message of an error and of its causes. */
function plainMessage({ message, cause }: Error): string {
  const further = cause instanceof Error ? ` ${plainMessage(cause)}` : '';
  return `${withoutNumbers(message)}${further}`;
}

/** Replaces numbers and ids; the place of an error in the code differs by its numbers too. */
function withoutNumbers(text: string): string {
  return text.replaceAll(/[\da-f]*\d[\da-f-]*/g, '#');
}

function withCount([first, ...rest]: Line, repeated: number): Line {
  return typeof first === 'string' ? [{ repeated }, first] : [Object.assign({ repeated }, first), ...rest];
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
        formatMessages(err),
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
function formatMessages(described: unknown): string {
  const { message, cause } = toFields(described);
  if (typeof message !== 'string') return '';
  const further = formatMessages(cause);
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
