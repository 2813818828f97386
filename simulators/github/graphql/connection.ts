import { type Fields, faultyArgument } from './field-request.ts';

/** The items of a list, and their order. */
export interface Listing<Item> {
  /** The field's name, for messages. */
  name: string;
  items: readonly Item[];
  /** The sort key; ties are broken by `id`. */
  key: (item: Item) => number | string;
  id: (item: Item) => number | string;
  descending?: boolean;
  toNode: (item: Item) => unknown;
  /** Returns further fields of an edge. */
  edge?: (item: Item) => Fields;
}

export interface PageArguments {
  first?: number | null;
  last?: number | null;
  after?: string | null;
  before?: string | null;
}

const maxPage = 100;
type Key = [number | string, number | string];

/**
 * Returns a page of a list. Cursors name a place in the order and not a number of items, so they stay valid while items
 * come and go.
 */
export function connection<Item>(listing: Listing<Item>, args: PageArguments): Fields {
  let computed: Page<Item> | undefined;
  const page = (): Page<Item> => (computed ??= computePage(listing, args));
  return {
    totalCount: listing.items.length,
    nodes: () => page().items.map(listing.toNode),
    edges: () =>
      page().items.map((item) =>
        Object.assign(
          { cursor: toCursor(toKey(listing, item)), node: () => listing.toNode(item) },
          listing.edge?.(item),
        ),
      ),
    pageInfo: () => {
      const { items, hasNextPage, hasPreviousPage } = page();
      const [first, last] = [items[0], items.at(-1)];
      return {
        hasNextPage,
        hasPreviousPage,
        startCursor: first === undefined ? null : toCursor(toKey(listing, first)),
        endCursor: last === undefined ? null : toCursor(toKey(listing, last)),
      };
    },
  };
}

interface Page<Item> {
  items: Item[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
}

function computePage<Item>(listing: Listing<Item>, args: PageArguments): Page<Item> {
  const { name, descending = false } = listing;
  const size = pageSize(name, args);
  const after = fromCursor(args.after);
  const before = fromCursor(args.before);
  const direction = descending ? -1 : 1;
  const within = listing.items
    .map((item) => ({ item, key: toKey(listing, item) }))
    .filter(
      ({ key }) =>
        (after === undefined || direction * compareKeys(key, after) > 0) &&
        (before === undefined || direction * compareKeys(key, before) < 0),
    )
    .toSorted((left, right) => direction * compareKeys(left.key, right.key));
  const isBackward = typeof args.first !== 'number';
  const chosen = isBackward ? within.slice(Math.max(0, within.length - size)) : within.slice(0, size);
  return {
    items: chosen.map(({ item }) => item),
    hasNextPage: isBackward ? before !== undefined : chosen.length < within.length,
    hasPreviousPage: isBackward ? chosen.length < within.length : after !== undefined,
  };
}

function pageSize(name: string, { first, last }: PageArguments): number {
  const size = first ?? last;
  if (typeof size !== 'number') {
    throw faultyArgument(
      'MISSING_PAGINATION_BOUNDARIES',
      `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`,
    );
  }
  const which = typeof first === 'number' ? 'first' : 'last';
  if (size > maxPage) {
    throw faultyArgument(
      'EXCESSIVE_PAGINATION',
      `Requesting ${size} records on the \`${name}\` connection exceeds the \`${which}\` limit of ${maxPage} records.`,
    );
  }
  if (size < 0)
    throw faultyArgument('ARGUMENT_LIMIT', `\`${which}\` on the \`${name}\` connection cannot be less than zero.`);
  return size;
}

function toKey<Item>(listing: Listing<Item>, item: Item): Key {
  return [listing.key(item), listing.id(item)];
}

function compareKeys([left, leftId]: Key, [right, rightId]: Key): number {
  return compare(left, right) || compare(leftId, rightId);
}

function compare(left: number | string, right: number | string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

function toCursor(key: Key): string {
  return Buffer.from(`cursor:v2:${JSON.stringify(key)}`).toString('base64');
}

function fromCursor(cursor: string | null | undefined): Key | undefined {
  if (cursor === null || cursor === undefined) return undefined;
  try {
    const [, json = ''] = /^cursor:v2:(.*)$/s.exec(Buffer.from(cursor, 'base64').toString('utf8')) ?? [];
    return JSON.parse(json) as Key;
  } catch {
    throw faultyArgument('INVALID_CURSOR_ARGUMENTS', `\`${cursor}\` does not appear to be a valid cursor.`);
  }
}

/** The requested order of a list. */
export interface Order {
  orderBy?: { field: string; direction: string } | null;
}

/** Returns the requested order, out of the orders that a list supports. */
export function ordering<Item>(
  keys: Record<string, (item: Item) => number | string>,
  { orderBy }: Order,
  byDefault: string,
): Pick<Listing<Item>, 'key' | 'descending'> {
  const key = keys[orderBy?.field ?? byDefault];
  if (key === undefined) throw new Error(`the simulator does not know the order ${orderBy?.field}`);
  return { key, descending: orderBy?.direction === 'DESC' };
}
