import { type ArgumentNode, Kind, parse, visit } from 'graphql';
import type { Exchange } from '../../simulators/host.ts';
import type { World } from '../../simulators/world/world.ts';
import { alongPath, type Path } from './candidate.ts';
import { type Row, type Snapshot, toText } from './snapshot.ts';

/** Properties whose values name an object. */
const namingProperties = new Set(
  (
    'id node_id databaseId fullDatabaseId number iid login username oid sha full_name nameWithOwner ' +
    'path_with_namespace full_path email'
  ).split(' '),
);
/** The depth inside a list's element at which its name may be, such as that of a star's account. */
const namingDepth = 2;

/** Finds the stored items that a place in a response is about. Items have the keys of their rows in a snapshot. */
export class Items {
  readonly #world: World;
  readonly #byName = new Map<string, Set<string>>();
  readonly #repositories: { key: string; owner: string; name: string }[] = [];

  constructor(world: World, { rows }: Snapshot) {
    this.#world = world;
    for (const [key, row] of rows) {
      for (const name of listNames(key, row)) {
        const named = this.#byName.get(name) ?? new Set();
        this.#byName.set(name, named.add(key));
      }
      if (key.startsWith('repository ')) {
        const owner = toText(rows.get(`account ${toText(row, 'owner')}`), 'name').toLowerCase();
        const name = toText(row, 'name').toLowerCase();
        this.#repositories.push({ key, owner, name });
        this.#byName.set(`${owner}/${name}`, new Set([key]));
      }
    }
  }

  /**
   * Returns the closest items around a place, and the accounts on the way to them. The search ends at the outermost
   * list once it has found an item inside.
   */
  itemsAround(exchange: Exchange, path: Path): Set<string> {
    const values = alongPath(exchange.body, path);
    const outermost = path.findIndex((step) => typeof step === 'number') + 1;
    const items = new Set<string>();
    for (let depth = path.length; depth >= 0; depth -= 1) {
      const isElement = typeof path[depth - 1] === 'number';
      const names = [
        ...(depth === path.length ? [] : namesIn(values[depth], isElement ? namingDepth : 0)),
        ...listArguments(exchange, path[depth - 1]),
      ];
      for (const key of this.#find(names, exchange)) items.add(key);
      if ([...items].some(isRepositoryOrItem) || (items.size > 0 && depth <= outermost)) break;
    }
    // A star has the id of its account. Beside another item, that id means the account and not the star.
    if ([...items].some(isRepositoryOrItem)) for (const key of items) if (isStar(key)) items.delete(key);
    return items;
  }

  /** Returns the contributions and commits that a request names, such as the one whose comments it lists. */
  requestedItems({ query, address }: Exchange): Set<string> {
    const path = query === undefined ? address.split('?', 1)[0] : address;
    const found = this.#find(listWords(path), { address });
    return new Set([...found].filter((key) => /^(?:contribution|commit) /.test(key) && !isStar(key)));
  }

  /** Returns the key of the contribution that an object in a response describes; undefined for other objects. */
  contributionOf(value: object, exchange: Exchange): string | undefined {
    const ids = namesIn(value, 0).filter((name) => !name.startsWith('#'));
    const found = [...this.#find(ids, exchange)].filter((key) => key.startsWith('contribution ') && !isStar(key));
    return found.length === 1 ? found[0] : undefined;
  }

  /** Returns the items inside a value. */
  itemsIn(exchange: Exchange, value: unknown): Set<string> {
    return this.#find(namesIn(value, Number.POSITIVE_INFINITY), exchange);
  }

  /** Returns the repositories and accounts that a request names. */
  requestedOwners(exchange: Exchange): Set<string> {
    const found = this.#find(listWords(exchange.address), exchange);
    return new Set([...found].filter((key) => /^(?:account|repository) /.test(key)));
  }

  #find(names: readonly string[], exchange: Pick<Exchange, 'address'>): Set<string> {
    const found = new Set<string>();
    const words = new Set(names.map((name) => name.toLowerCase()));
    for (const name of words) {
      const placed = this.#world.findItem(names.find((word) => word.toLowerCase() === name) ?? '');
      const keys = [
        ...(this.#byName.get(name) ?? []),
        ...(placed ? (this.#byName.get(String(placed.item.id)) ?? []) : []),
      ];
      for (const key of keys) found.add(key);
    }
    for (const { key, owner, name } of this.#repositories) if (words.has(owner) && words.has(name)) found.add(key);
    return this.#ofRepositories(found, exchange);
  }

  /**
   * Leaves out items of other repositories where the request names one, because numbers of issues repeat in each
   * repository.
   */
  #ofRepositories(found: Set<string>, { address }: Pick<Exchange, 'address'>): Set<string> {
    const words = new Set(listWords(address).map((word) => word.toLowerCase()));
    const named = this.#repositories.filter(({ owner, name }) => words.has(owner) && words.has(name));
    if (named.length === 0) return found;
    const ids = new Set(named.map(({ key }) => key.split(' ')[1]));
    return new Set([...found].filter((key) => !key.startsWith('contribution ') || ids.has(key.split(' ')[1])));
  }
}

const isStar = (key: string): boolean => /^contribution \S+ star /.test(key);
/** Returns whether a key names a repository or an item in a repository, stars excepted. */
export const isRepositoryOrItem = (key: string): boolean =>
  !key.startsWith('account ') && !key.startsWith('identity ') && !isStar(key);

function listNames(key: string, row: Row): string[] {
  const [kind = '', first = '', second = '', third = ''] = key.split(' ');
  const text = (name: string): string => toText(row, name).toLowerCase();
  switch (kind) {
    case 'account':
      return [first, first.replace(/^group:/, ''), text('handle'), text('name')].filter((name) => name !== '');
    case 'repository':
      return [first, text('handle')].filter((name) => name !== '');
    case 'contribution':
      return [
        third,
        ...(/^(?:issue|pull_request|discussion)$/.test(second) ? [`#${String(Number(row['number']))}`] : []),
      ];
    case 'commit':
      return [second];
    case 'identity':
      return [first];
    default:
      return [];
  }
}

function namesIn(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const names = Object.entries(value).flatMap(([property, content]: [string, unknown]) => {
    if (!namingProperties.has(property) || (typeof content !== 'string' && typeof content !== 'number')) return [];
    return property === 'number' || property === 'iid' ? [`#${content}`] : [String(content)];
  });
  if (depth > 0 && (names.length === 0 || depth > namingDepth)) {
    names.push(...Object.values(value).flatMap((content: unknown) => namesIn(content, depth - 1)));
  }
  return names;
}

/** Returns the words in the arguments of a field of a GraphQL query, such as the commit that an alias stands for. */
function listArguments({ query, address }: Exchange, field: string | number | undefined): string[] {
  if (query === undefined || typeof field !== 'string') return [];
  const variables = JSON.parse(address) as Record<string, unknown>;
  const words: string[] = [];
  const read = ({ value }: ArgumentNode): void => {
    if (value.kind === Kind.VARIABLE) words.push(...listWords(JSON.stringify(variables[value.name.value])));
    if (value.kind === Kind.STRING) words.push(...listWords(value.value));
  };
  visit(parse(query), {
    [Kind.FIELD]: (node) => {
      if ((node.alias ?? node.name).value === field) for (const argument of node.arguments ?? []) read(argument);
    },
  });
  return words;
}

/** Returns all words of an address or of variables; a number alone may be that of an issue. */
function listWords(text: string | undefined): string[] {
  const words = (text ?? '').split(/[^\w.@%-]+/).flatMap((word) => decode(word).split(/[^\w.@-]+/));
  return words.flatMap((word) => (/^\d{1,3}$/.test(word) ? [`#${word}`] : [word])).filter((word) => word !== '');
}

function decode(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
