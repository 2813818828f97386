import { type Static, type TSchema, Type } from 'typebox';
import { AppError } from '../../model/errors.ts';
import type { Call } from '../interface/call.ts';
import { matches, orElse, orElseUncounted, type Refusals, readTolerantly, toValidator } from './tolerant.ts';

/** Values in responses of every host, within the bounds of what can be stored. */
export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
export const Text = Type.String();
/** A login, a path or another name by which an item is found; an item without it is useless. */
export const Name = Type.String({ minLength: 1 });
/** A name under which further requests are sent: one with a character that could not be read is another name. */
export const ExactName = Type.String({ pattern: '^[^\ufffd]+$' });
/** A count, within the range of PostgreSQL's `integer`, the type of its column. */
export const Count = Type.Integer({ minimum: 0, maximum: 2 ** 31 - 1 });
/** An id, which is stored as text; JavaScript rounds greater numbers. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER });
/** The id of a git commit, in SHA-1 or SHA-256. */
export const CommitId = Type.String({ pattern: '^(?:[0-9a-f]{40}|[0-9a-f]{64})$' });
/** The number of an issue, pull request or discussion in its repository. */
export const ItemNumber = Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 });
/** A time in ISO 8601 with an offset from UTC. */
export const Time = Type.String({
  pattern:
    '^(?!0000)\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:Z|[+-]\\d\\d:?\\d\\d)$',
});

/** Fields that an item can do without; they become null where they cannot be read. */
export const optionalCount = () => orElse(Nullable(Count), null);
export const optionalText = () => orElse(Nullable(Text), null);
export const optionalTime = () => orElse(Nullable(Time), null);
/** The time of a step that is counted, such as closing or merging. */
export const countedTime = () => orElseUncounted(Nullable(Time), null);

/** Checks of a host's responses, and the errors for those that fail. */
export interface Checks {
  /**
   * Reads the fields that are used from a payload, as far as they can be read; reports the parts that cannot.
   * @param subject names the payload in messages.
   * @throws AppError `provider_invalid_response` that names the place of the fault that makes the whole payload
   * unreadable.
   */
  checkPayload: <Schema extends TSchema>(
    schema: Schema,
    payload: unknown,
    subject: string,
    call?: Pick<Call, 'onSkipped'>,
    refusals?: Refusals,
  ) => Static<Schema>;
  /** @throws AppError `provider_invalid_response`. */
  parseJson: (text: string) => unknown;
  /** @throws AppError `not_found` when the host does not show the repository. */
  existing: <Node>(node: Node | null) => Node;
  invalid: (message: string, cause?: unknown) => AppError;
  unavailable: (cause?: unknown) => AppError;
}

/** @param host the host's name as messages begin with it. */
export function createChecks(host: string): Checks {
  const invalid = (message: string, cause?: unknown): AppError =>
    new AppError('provider_invalid_response', `${host}'s response cannot be used: ${message}.`, { cause });
  return {
    checkPayload: <Schema extends TSchema>(
      schema: Schema,
      payload: unknown,
      subject: string,
      call: Pick<Call, 'onSkipped'> = {},
      refusals?: Refusals,
    ): Static<Schema> => {
      const { reading, skipped } = readTolerantly(schema, payload, 'response', refusals);
      if ('faultAt' in reading) throw invalid(`${subject} is not as expected at ${reading.faultAt}`);
      if (!matches(schema, reading.value)) throw new Error('a payload was not read as its schema describes it');
      for (const part of skipped) call.onSkipped?.(part);
      return reading.value;
    },
    parseJson: (text) => {
      try {
        return parseClean(text);
      } catch (cause) {
        throw invalid('not JSON', cause);
      }
    },
    existing: (node) => {
      if (node === null) throw new AppError('not_found', `${host} does not show this repository any more.`);
      return node;
    },
    invalid,
    unavailable: (cause) =>
      new AppError('provider_unavailable', `${host} cannot be reached, or does not respond.`, { cause }),
  };
}

/** Returns the path of a request for messages and logs: without parameters and without names, which may be private. */
export function placeIn(path: string): string {
  const [place = ''] = path.split('?', 1);
  return place
    .replace(/^\/repos\/[^/]+\/[^/]+/, '/repos/*/*')
    .replace(/^\/(users|user|orgs|projects|groups)\/[^/]+/, '/$1/*');
}

const replacement = '\ufffd';
/** Escapes of NUL and of halves of surrogate pairs, which PostgreSQL does not store. */
const unstorableEscape = /\\u(?:0000|d[89a-f])/i;

/** The deepest nesting of lists and objects. No response of a host is half as deep. */
const maxDepth = 100;

/**
 * Parses JSON of a host, without characters that cannot be stored. Throws SyntaxError, also for deep nesting: 10 MB of
 * opening brackets block the process for seconds.
 */
export function parseClean(text: string): unknown {
  if (isDeeperThan(maxDepth, text)) throw new SyntaxError('the JSON is nested too deeply');
  if (!unstorableEscape.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown) => (typeof value === 'string' ? cleanText(value) : value));
}

const characters = { quote: 34, openList: 91, backslash: 92, closeList: 93, openObject: 123, closeObject: 125 };

/** Returns whether JSON is nested deeper than a limit. It reads each character at most once, and skips texts. */
function isDeeperThan(limit: number, json: string): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === characters.openList || code === characters.openObject) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === characters.closeList || code === characters.closeObject) depth -= 1;
    else if (code === characters.quote) at = endOfText(json, at);
  }
  return false;
}

/** Returns the position of the quote that ends the text that begins at `start`; the end of the JSON without one. */
function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json.charCodeAt(end - 1 - backslashes) === characters.backslash) backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}

/** Replaces characters that PostgreSQL does not store by the one that stands for an unknown character. */
function cleanText(text: string): string {
  return text.replaceAll('\0', replacement).toWellFormed();
}

/**
 * Makes sure that a delivery has the fields that are used.
 * @throws AppError `invalid_input` that names the place.
 */
export function checkDelivered<Schema extends TSchema>(schema: Schema, payload: unknown, host: string): Static<Schema> {
  if (matches(schema, payload)) return payload;
  const place = toValidator(schema).Errors(payload)[0]?.instancePath || 'the top';
  throw new AppError('invalid_input', `The payload is not as ${host} documents it, at ${place}.`);
}
