import { Client, type ClientConfig } from 'pg';

/**
 * PostgreSQL stores neither NUL nor halves of surrogate pairs, and fails the whole statement for one of them
 * (https://www.postgresql.org/docs/current/datatype-character.html, https://www.postgresql.org/docs/current/datatype-json.html).
 * All parameters of all statements are cleaned here, so that no text of a host, a file or a client can fail one.
 */

/** The escapes of NUL and of halves of surrogate pairs in JSON. */
const unstorableEscape = /\\u(?:0000|d[89a-f])/i;
/** Whole escapes: escaped backslashes and pairs, which stay, before NUL and halves. */
const escapes = /\\\\|\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|\\u(0000)|\\u(d[89a-f][0-9a-f]{2})/gi;
const beginsAsJson = /^\s*[[{"]/;

/** Returns a parameter of a statement without characters that PostgreSQL does not store. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (!isJsonObject(value)) return value;
  const json = JSON.stringify(value);
  return storableText(json);
}

function storableText(text: string): string {
  const plain = text.isWellFormed() && !text.includes('\0') ? text : text.replaceAll('\0', '').toWellFormed();
  return beginsAsJson.test(plain) && unstorableEscape.test(plain) ? plain.replace(escapes, replaceEscape) : plain;
}

function replaceEscape(escape: string, _high?: string, _low?: string, nul?: string, half?: string): string {
  if (nul !== undefined) return '';
  return half === undefined ? escape : String.raw`\ufffd`;
}

/** Returns whether the driver would send a value as JSON: it sends buffers, dates and its own types in other ways. */
function isJsonObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  return !(value instanceof Date) && !ArrayBuffer.isView(value) && !('toPostgres' in value);
}

/** The message of the driver's error for a statement without a response in time (pg, lib/client.js). */
const noResponse = 'Query read timeout';

/**
 * A connection that cleans the parameters of every statement, and notices when one gets no response in time.
 */
export class StorableClient extends Client {
  /** The times at which the statements without a response were sent, the first one first. */
  readonly #sent = new Map<unknown, number>();

  constructor(config?: ClientConfig) {
    super(config);
    const query = this.query.bind(this);
    const send = (statement: unknown, ...parameters: unknown[]): unknown => {
      const begunAt = performance.now();
      const noticed = (error: unknown): void => {
        this.#sent.delete(noticed);
        const seconds = (performance.now() - begunAt) / 1000;
        this.onStatement(seconds);
        if (error instanceof Error) this.onFailure(error);
        if (error instanceof Error && error.message === noResponse) this.onSilent();
      };
      const sent: unknown = Reflect.apply(query, this, [
        cleanStatement(this.change(statement)),
        ...parameters.map((parameter) => {
          if (typeof parameter === 'function') {
            this.#sent.set(noticed, begunAt);
            return notifying(parameter, noticed);
          }
          return Array.isArray(parameter) ? storable(parameter) : parameter;
        }),
      ]);
      if (sent instanceof Promise) {
        this.#sent.set(noticed, begunAt);
        sent.then(() => noticed(undefined), noticed);
      }
      return sent;
    };
    Object.assign(this, { query: send });
  }

  /** Returns the time, as of `performance.now()`, at which the statement was sent that waits for its response; undefined: none does. */
  get waitingSince(): number | undefined {
    return this.#sent.values().next().value;
  }

  /** Changes a statement before it is sent; to be overridden. */
  change(statement: unknown): unknown {
    return statement;
  }

  /** Called with the time that a statement took, in seconds, also after a failure; to be overridden. */
  onStatement(_seconds: number): void {}

  /** Called when a statement failed; to be overridden. */
  onFailure(_error: Error): void {}

  /** Called when a statement got no response in time; to be overridden. */
  onSilent(): void {}
}

/** Returns a callback that reports its error, or undefined, to `onEnd` before it calls the given one. */
export function notifying(
  callback: CallableFunction,
  onEnd: (error: unknown) => void,
): (...results: unknown[]) => void {
  return (...results) => {
    onEnd(results[0]);
    Reflect.apply(callback, undefined, results);
  };
}

/** Cleans the values of a statement that is given as an object; statements of other kinds have none. */
function cleanStatement(statement: unknown): unknown {
  if (typeof statement !== 'object' || statement === null || 'submit' in statement) return statement;
  const { values }: { values?: unknown } = statement;
  return Array.isArray(values) ? { ...statement, values: storable(values) } : statement;
}
