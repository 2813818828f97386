import type { Exchange } from '../../simulators/host.ts';
import { alongPath, type Candidate } from './candidate.ts';
import { dependents } from './dependents.ts';
import { type Items, isRepositoryOrItem } from './items.ts';
import { listTexts, type Snapshot, toText } from './snapshot.ts';

/** Properties without which the item, its author, its owner, its visibility or its time is unknown, or no history is read. */
const essential =
  /^(?:id|node_id|databaseId|fullDatabaseId|number|iid|login|username|name|full_name|path|path_with_namespace|full_path|oid|sha|email|type|kind|private|isPrivate|visibility|internal|owner|namespace|user|author|original_author|fork|isFork|created_at|createdAt|starredAt|starred_since|pushed_at|submittedAt|submitted_at|state|defaultBranchRef|default_branch|empty|empty_repo)$/;
/** Only these addresses say whether a comment belongs to an issue or to a pull request. */
const kindsOfComments = new Set<unknown>(['html_url', 'issue_url', 'pull_request_url']);
const isKindOfComment = ({ operation }: Exchange, { path }: Candidate): boolean =>
  operation === '/repos/{owner}/{repo}/issues/comments' && kindsOfComments.has(path.at(-1));
const isItem = /^(?:account|repository|contribution|commit) /;

/** A row of a snapshot is named by its kind and its ids, such as `counters ID public` or `contribution REPOSITORY KIND ID`. */
export interface Scope {
  /** Returns whether a row may differ. */
  allows(key: string): boolean;
  /** Returns whether a row must be present, with any content. */
  requires(key: string): boolean;
}

/** Decides which rows may differ when a place in a response has an unexpected value. */
export function toScope(
  { baseline, changed, items }: { baseline: Snapshot; changed: Snapshot; items: Items },
  exchange: Exchange,
  candidate: Candidate,
): Scope {
  const { path } = candidate;
  const isEssential =
    essential.test(String(path.at(-1))) || typeof path.at(-1) === 'number' || isKindOfComment(exchange, candidate);
  const requestedOwners = items.requestedOwners(exchange);
  const itemsAround = new Set([...items.itemsAround(exchange, path), ...items.requestedItems(exchange)]);
  const repositoriesAndItems = [...itemsAround].filter(isRepositoryOrItem);
  const isSubject = (key: string): boolean => key.startsWith('repository ') || requestedOwners.has(key);
  const around = dependents(baseline, itemsAround, {
    owners: new Set(isEssential ? [...itemsAround].filter(isSubject) : []),
  });
  const itemsIn = items.itemsIn(exchange, alongPath(exchange.body, path).at(-1));
  const within = dependents(baseline, itemsIn, { owners: itemsIn });
  const allowed = new Set([...around, ...within, ...listNumbers(baseline, requestedOwners)]);
  // A value outside of items, such as the end of a list, may keep the rest of the list from being read.
  if (repositoriesAndItems.every((key) => requestedOwners.has(key))) {
    for (const key of [...dependents(baseline, requestedOwners), ...leftOutRows(baseline, changed, requestedOwners)])
      allowed.add(key);
  }
  const kept =
    isEssential || repositoriesAndItems.length === 0
      ? []
      : [...around].filter((key) => isItem.test(key) && !within.has(key));
  const keys = new Set(kept);
  return {
    allows: (key) =>
      allowed.has(key) ||
      allowed.has(toPublic(key)) ||
      isPendingOf(baseline, allowed, key) ||
      // An account that was read as another kind has other numbers.
      (candidate.change.startsWith('member ') &&
        key.startsWith('reported ') &&
        itemsAround.has(`account ${key.split(' ')[1]}`)) ||
      // The service takes another name for a rename.
      (isEssential && key.startsWith('former_name ')),
    requires: (key) => keys.has(key),
  };
}

/** Returns the key of the public numbers, beside which private ones are stored where they differ. */
function toPublic(key: string): string {
  return key.startsWith('counters ') ? key.replace(/ private$/, ' public') : key;
}

/** Returns the keys of the numbers of the accounts that a request names, because these numbers count everything. */
function listNumbers(baseline: Snapshot, requestedOwners: ReadonlySet<string>): string[] {
  const accounts = new Set([...requestedOwners].filter((key) => key.startsWith('account ')));
  return [...dependents(baseline, accounts)].filter((key) => /^(?:account|counters|reported|calendar) /.test(key));
}

/** Returns whether a key stands for the pending details of an item that may differ. */
function isPendingOf({ rows }: Snapshot, allowed: ReadonlySet<string>, key: string): boolean {
  const [kind, repository, , name] = key.split(' ');
  if (kind !== 'pending') return false;
  const isOfPull = [...allowed].some(
    (item) =>
      item.startsWith(`contribution ${repository} pull_request `) && String(rows.get(item)?.['number']) === name,
  );
  // A row without a name stands for all commits of the repository.
  const isOfCommit =
    name === ''
      ? [...allowed].some((item) => item.startsWith(`commit ${repository} `))
      : allowed.has(`commit ${repository} ${name}`);
  return isOfPull || isOfCommit;
}

/**
 * Returns the rows that an incomplete list leaves out: for a repository the kinds of the stream, for an account
 * everything that it owns.
 */
function leftOutRows(baseline: Snapshot, { reasons }: Snapshot, requestedOwners: ReadonlySet<string>): Set<string> {
  const leftOut = new Set<string>();
  for (const reason of reasons) {
    const stream = toText(reason, 'stream');
    const repository = toText(reason, 'repository');
    const name = `stream ${repository} ${stream}`;
    const covers = listTexts(baseline.rows.get(name), 'covers');
    if (covers.length > 0) leftOut.add(name).add(`repository ${repository}`);
    for (const key of baseline.rows.keys()) {
      const [kind, id, contributionKind] = key.split(' ');
      const isCovered =
        (kind === 'contribution' && covers.includes(contributionKind ?? '')) ||
        (kind === 'commit' && covers.includes('commit'));
      if (isCovered && id === repository) leftOut.add(key);
    }
    if (stream === 'repositories' || stream === 'account' || toText(reason, 'task') !== '') {
      for (const key of dependents(baseline, requestedOwners, { owners: requestedOwners })) leftOut.add(key);
    }
  }
  return new Set([...leftOut, ...dependents(baseline, leftOut)]);
}
