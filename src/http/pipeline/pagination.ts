import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { type Static, type TObject, Type } from 'typebox';
import { AppError } from '../../model/errors.ts';

/** The signature is half of an HMAC-SHA-256, which RFC 2104, section 5, permits, to keep cursors short. */
const macBytes = 16;
const maxCursorLength = 500;

const limits = { minimum: 1, maximum: 100, description: 'How many items to return at most.' };

/** The parameters by which every listing is paged. */
export const PageParameters = Type.Object({
  limit: Type.Optional(Type.Integer(limits)),
  after: Type.Optional(
    Type.String({ maxLength: maxCursorLength, description: 'A `next_cursor`: items that come after it.' }),
  ),
  before: Type.Optional(
    Type.String({ maxLength: maxCursorLength, description: 'A `previous_cursor`: items that come right before it.' }),
  ),
});
export type PageParameters = Static<typeof PageParameters>;

/** Returns the parameters of a listing, with the default of `limit` for the description of the API. */
export function withDefaultLimit({ properties }: TObject, defaultLimit: number): TObject {
  return Type.Object({ ...properties, limit: Type.Optional(Type.Integer({ ...limits, default: defaultLimit })) });
}

/** A position in a listing: the values of its sort keys, as the listing defines them. */
export type Place = readonly (string | number)[];

/** The start of a page. */
export interface PageStart {
  after?: Place;
  before?: Place;
}

/** Writes and reads cursors, which only this service can make: each is signed and bound to one listing. */
export class Cursors {
  /** Prepared once, because that takes most of the time of a signature. */
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  write(listing: string, place: Place): string {
    const payload = Buffer.from(JSON.stringify(place));
    return Buffer.concat([this.#mac(listing, payload), payload]).toString('base64url');
  }

  /**
   * Reads the start of a page from the parameters of a request.
   * @throws AppError `invalid_input` that names the parameter.
   */
  readStart(listing: string, { after, before }: Pick<PageParameters, 'after' | 'before'>): PageStart {
    if (after !== undefined && before !== undefined) {
      throw new AppError('invalid_input', 'after and before cannot be used together; keep one.');
    }
    if (after !== undefined) return { after: this.#read(listing, 'after', after) };
    if (before !== undefined) return { before: this.#read(listing, 'before', before) };
    return {};
  }

  /** Returns a key that puts a listing into an order that callers cannot compute. */
  orderKey(listing: string): Buffer {
    return createHmac('sha256', this.#key).update(`order\0${listing}`).digest();
  }

  #read(listing: string, parameter: string, cursor: string): Place {
    const bytes = Buffer.from(cursor, 'base64url');
    const payload = bytes.subarray(macBytes);
    const isOurs =
      bytes.length > macBytes &&
      bytes.toString('base64url') === cursor &&
      timingSafeEqual(bytes.subarray(0, macBytes), this.#mac(listing, payload));
    if (!isOurs) throw staleCursor(parameter);
    const place: Place = JSON.parse(payload.toString());
    return place;
  }

  #mac(listing: string, payload: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(`${listing}\0`).update(payload).digest().subarray(0, macBytes);
  }
}

export function staleCursor(parameter: string): AppError {
  return new AppError(
    'invalid_input',
    `${parameter} must be a cursor from a response of this listing; this one is not, or is too old. Start again without it.`,
  );
}

/** A page of items, and whether there are items before and after it. */
export interface Page<Item> {
  page: readonly Item[];
  hasPrevious: boolean;
  hasNext: boolean;
}

/**
 * Cuts a page of `limit` items out of up to `limit` + 1 items, in the order of the listing. A surplus item shows that
 * there are more: at the beginning for a page before a cursor, otherwise at the end.
 */
export function cutPage<Item>(items: readonly Item[], limit: number, start: PageStart): Page<Item> {
  const hasMore = items.length > limit;
  if (start.before !== undefined) {
    return { page: hasMore ? items.slice(1) : items, hasPrevious: hasMore, hasNext: true };
  }
  return { page: items.slice(0, limit), hasPrevious: start.after !== undefined, hasNext: hasMore };
}

/** Returns the number of items to read for a page that `cutPage` cuts. */
export function itemsToRead({ limit, isAlone = false }: { limit: number; isAlone?: boolean | undefined }): number {
  return isAlone ? limit : limit + 1;
}

/** Returns the cursors that lead from a page to its neighbours, as the envelope takes them. */
export function neighbourCursors<Item>(
  { page, hasPrevious, hasNext }: Page<Item>,
  write: (item: Item) => string,
): { previousCursor: string | undefined; nextCursor: string | undefined } {
  const [first, last] = [page[0], page.at(-1)];
  return {
    previousCursor: hasPrevious && first !== undefined ? write(first) : undefined,
    nextCursor: hasNext && last !== undefined ? write(last) : undefined,
  };
}
