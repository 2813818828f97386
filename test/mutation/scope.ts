import type { Exchange } from '../../simulators/host.ts';
import { alongPath, type Candidate } from './candidate.ts';
import { dependents } from './dependents.ts';
import { type Items, isThing } from './items.ts';
import { type Snapshot, textOf, textsOf } from './snapshot.ts';

/** Decides which rows may differ when a place in a response is unexpected. */

/** Properties without which the item, its author, its owner, its visibility or its time is unknown, or no history is read. */
const essential =
  /^(?:id|node_id|databaseId|fullDatabaseId|number|iid|login|username|name|full_name|path|path_with_namespace|full_path|oid|sha|email|type|kind|private|isPrivate|visibility|internal|owner|namespace|user|author|original_author|fork|isFork|created_at|createdAt|starredAt|starred_since|pushed_at|submittedAt|submitted_at|state|defaultBranchRef|default_branch|empty|empty_repo)$/;
/** Only these addresses say whether a comment belongs to an issue or to a pull request. */
const kindsOfComments = new Set<unknown>(['html_url', 'issue_url', 'pull_request_url']);
const isKindOfComment = ({ operation }: Exchange, { path }: Candidate): boolean =>
  operation === '/repos/{owner}/{repo}/issues/comments' && kindsOfComments.has(path.at(-1));
const isItem = /^(?:account|repository|contribution|commit) /;

export interface Scope {
  /** Returns whether a row may differ. */
  allows(key: string): boolean;
  /** Returns whether a row must be present, with any content. */
  keeps(key: string): boolean;
}

/** Returns the rows that depend on a place in a response. */
export function scopeOf(
  { baseline, changed, items }: { baseline: Snapshot; changed: Snapshot; items: Items },
  exchange: Exchange,
  candidate: Candidate,
): Scope {
  const { path } = candidate;
  const isEssential =
    essential.test(String(path.at(-1))) || typeof path.at(-1) === 'number' || isKindOfComment(exchange, candidate);
  const frame = items.frame(exchange);
  const enclosing = new Set([...items.enclosing(exchange, path), ...items.requestedItems(exchange)]);
  const things = [...enclosing].filter(isThing);
  const isSubject = (key: string): boolean => key.startsWith('repository ') || frame.has(key);
  const around = dependents(baseline, enclosing, {
    owners: new Set(isEssential ? [...enclosing].filter(isSubject) : []),
  });
  const inside = items.inside(exchange, alongPath(exchange.body, path).at(-1));
  const within = dependents(baseline, inside, { owners: inside });
  const allowed = new Set([...around, ...within, ...numbersOf(baseline, frame)]);
  // A value outside of items, such as the end of a list, may keep the rest of the list from being read.
  if (things.every((key) => frame.has(key))) {
    for (const key of [...dependents(baseline, frame), ...brokenOff(baseline, changed, frame)]) allowed.add(key);
  }
  const kept =
    isEssential || things.length === 0 ? [] : [...around].filter((key) => isItem.test(key) && !within.has(key));
  const keys = new Set(kept);
  return {
    allows: (key) =>
      allowed.has(key) ||
      allowed.has(publicOf(key)) ||
      isPendingOf(baseline, allowed, key) ||
      // Another kind of account has other numbers.
      (candidate.change.startsWith('member ') &&
        key.startsWith('seen ') &&
        enclosing.has(`account ${key.split(' ')[1]}`)) ||
      // Another name is a rename.
      (isEssential && key.startsWith('former_name ')),
    keeps: (key) => keys.has(key),
  };
}

/** Returns the key of the public numbers, beside which private ones are stored where they differ. */
function publicOf(key: string): string {
  return key.startsWith('counters ') ? key.replace(/ private$/, ' public') : key;
}

/** Returns the keys of the numbers of the accounts that a request names, because these numbers count everything. */
function numbersOf(baseline: Snapshot, frame: ReadonlySet<string>): string[] {
  const accounts = new Set([...frame].filter((key) => key.startsWith('account ')));
  return [...dependents(baseline, accounts)].filter((key) => /^(?:account|counters|seen|calendar) /.test(key));
}

/** Returns whether a key stands for the pending details of an item that may differ. */
function isPendingOf({ rows }: Snapshot, allowed: ReadonlySet<string>, key: string): boolean {
  const [kind, repository, , of] = key.split(' ');
  if (kind !== 'lacking') return false;
  const isOfPull = [...allowed].some(
    (one) => one.startsWith(`contribution ${repository} pull_request `) && String(rows.get(one)?.['number']) === of,
  );
  return isOfPull || allowed.has(`commit ${repository} ${of}`);
}

/**
 * Returns the rows that an incomplete list leaves out: for a repository the kinds of the stream, for an account
 * everything that it owns.
 */
function brokenOff(baseline: Snapshot, { reasons }: Snapshot, frame: ReadonlySet<string>): Set<string> {
  const broken = new Set<string>();
  for (const reason of reasons) {
    const stream = textOf(reason, 'stream');
    const repository = textOf(reason, 'repository');
    const name = `stream ${repository} ${stream}`;
    const covers = textsOf(baseline.rows.get(name), 'covers');
    if (covers.length > 0) broken.add(name).add(`repository ${repository}`);
    for (const key of baseline.rows.keys()) {
      const [kind, id, of] = key.split(' ');
      const isCovered =
        (kind === 'contribution' && covers.includes(of ?? '')) || (kind === 'commit' && covers.includes('commit'));
      if (isCovered && id === repository) broken.add(key);
    }
    if (stream === 'repositories' || stream === 'account' || textOf(reason, 'task') !== '') {
      for (const key of dependents(baseline, frame, { owners: frame })) broken.add(key);
    }
  }
  return new Set([...broken, ...dependents(baseline, broken)]);
}
