import { commitsUntil, newestCommits, toCommits } from './commits.ts';
import { contents } from './files.ts';
import {
  matches,
  personNamed,
  type RecordedResponse,
  recorded,
  recordedDelivery,
  recordings,
  toList,
} from './recordings.ts';

/**
 * Responses that were not recorded but follow from recorded ones: each rule names its source, and a request without a
 * rule gets no response. The recordings and deliveries contain everything that people did in the recorded minute, so a
 * list that occurs in none of them is empty.
 */

export interface ReplayedRequest {
  /** The identity of the caller. */
  caller: string;
  /** Below the interface's address, without its query. */
  path: string;
  query: URLSearchParams;
  /** Texts of files of the public repository by path, none of which was recorded. */
  files: ReadonlyMap<string, string>;
  /** The present time of the replay: later events are left out. */
  moment: Date;
}

interface Item {
  created_at: string;
  updated_at: string;
  pull_request: object | null;
  repository: { full_name: string };
}

const people = ['alice', 'bob', 'carol', 'forgeadmin'];
/** The people who see the private repository in `org-repos-alice` and `org-repos-bob`. */
const members = new Set(['alice', 'bob']);
const publicPaths =
  /^\/(version|users\/[\w-]+(\/repos)?|orgs\/[\w-]+|repos\/(acme\/handbook|alice\/example|carol\/handbook)(\/.*)?)$/;

/** Returns the response that follows from the recordings; undefined when none follows. */
export function deriveResponse(context: ReplayedRequest): RecordedResponse | undefined {
  const { caller, path } = context;
  if (path.startsWith('/repos/acme/secret-plans'))
    return members.has(caller) ? applyRules(privateRules, context) : undefined;
  if (!publicPaths.test(path)) return applyRules(personalRules, context);
  if (caller === 'anonymous') return applyRules(publicRules, context);
  // A signed-in caller with a token of all scopes sees the same public data as others.
  if (!people.includes(caller)) return undefined;
  for (const otherCaller of [...people, 'anonymous']) {
    const match = recordings.find((recording) => matches(recording, { ...context, caller: otherCaller }));
    if (match !== undefined) return match;
  }
  return applyRules(publicRules, context);
}

type Rule = [path: RegExp, conclude: (context: ReplayedRequest, part: string) => RecordedResponse | undefined];

function applyRules(rules: readonly Rule[], context: ReplayedRequest): RecordedResponse | undefined {
  for (const [pattern, derive] of rules) {
    const found = pattern.exec(context.path);
    if (found !== null) return derive(context, found[1] ?? '');
  }
  return undefined;
}

const personalRules: readonly Rule[] = [
  // Her search for everything of the organization was recorded; the parameters for times filter it.
  [
    /^\/repos\/issues\/search$/,
    ({ caller, query }) =>
      caller === 'alice' && query.get('owner') === 'acme' && query.get('state') === 'all'
        ? listed(since(query, toList<Item>('issues-search')))
        : undefined,
  ],
  // Both tokens are of the same user, and both may read users.
  [/^\/user$/, ({ caller }) => (caller === 'alice-useronly' ? recorded('whoami-alice') : undefined)],
];

const publicRules: readonly Rule[] = [
  // The endpoint for organizations treats the name of a user as an unknown name.
  [/^\/orgs\/(\w+)$/, (_request, name) => (people.includes(name) ? recorded('org-missing') : undefined)],
  // A profile has the same fields as in lists of people.
  [/^\/users\/(bob|forgeadmin)$/, (_request, name) => recordedWith('user-alice-anon', personNamed(name))],
  // She owns only the fork, which is in the list of forks.
  [/^\/users\/carol\/repos$/, () => recorded('forks')],
  // No delivery mentions a repository of theirs.
  [/^\/users\/forgeadmin\/repos$/, () => listed([])],
  // Issues and pull requests were recorded together; parameters choose from them.
  [/^\/repos\/acme\/handbook\/issues$/, ({ query }) => listItems('issues-and-pulls', 'acme/handbook', query)],
  [/^\/repos\/acme\/handbook\/issues\/comments$/, ({ query }) => listed(since(query, toList('repo-comments')))],
  // The delivery of the closing names the account that closed the issue. Each timeline fits on a page.
  [
    /^\/repos\/acme\/handbook\/issues\/([125])\/timeline$/,
    ({ query }, number) => listed(number === '5' && query.get('page') === '1' ? [closing('021-issues-closed')] : []),
  ],
  // Only one item has a reaction; Gitea sends null for the others.
  [
    /^\/repos\/acme\/handbook\/issues\/(?:[2-9]|10|comments\/\d+)\/reactions$/,
    () => recordedWith('issue-1-reactions', null),
  ],
  // No comment at a line of that review was recorded.
  [/^\/repos\/acme\/handbook\/pulls\/7\/reviews\/4\/comments$/, () => listed([])],
  // No delivery mentions a review of the pull request that was closed without a merge.
  [/^\/repos\/acme\/handbook\/pulls\/9\/reviews$/, () => listed([])],
  [/^\/repos\/acme\/handbook\/branches\/main$/, ({ moment }) => recordedWith('repo-branches', mainAt(moment))],
  // A commit has the same fields alone as in a list.
  [
    /^\/repos\/acme\/handbook\/git\/commits\/(\w+)$/,
    (_request, sha) => found(newestCommits().find((commit) => commit.sha === sha)),
  ],
  [/^\/repos\/(?:acme|carol)\/handbook\/commits$/, ({ query }) => history(query.get('sha'))],
  // The delivery of the push names the author of the commit; nothing else happened in the repository.
  [/^\/repos\/alice\/example\/commits$/, () => listed(toCommits('060-push'))],
  [/^\/repos\/(?:alice\/example|carol\/handbook)\/issues$/, () => listed([])],
  [/^\/repos\/acme\/handbook\/contents\/(.+)$/, ({ files }, path) => file(path, files.get(path))],
];

const privateRules: readonly Rule[] = [
  [/^\/repos\/acme\/secret-plans$/, () => found((recorded('org-repos-alice').body as { name: string }[])[1])],
  // Her search includes the issues of both repositories.
  [/^\/repos\/acme\/secret-plans\/issues$/, ({ query }) => listItems('issues-search', 'acme/secret-plans', query)],
  // The delivery of the push names the authors of the commits.
  [/^\/repos\/acme\/secret-plans\/commits$/, () => listed(toCommits('006-push'))],
];

function recordedWith(name: string, body: unknown): RecordedResponse {
  const { status, headers } = recorded(name);
  return { status, headers, body };
}

function found(body: unknown): RecordedResponse {
  return body === undefined ? recorded('issue-missing') : recordedWith('issue-1', body);
}

/** Returns the response for a list that fits on a page. */
function listed(body: unknown[]): RecordedResponse {
  return {
    ...recordedWith('repo-comments', body),
    headers: { ...recorded('repo-comments').headers, 'x-total-count': String(body.length) },
  };
}

function history(sha: string | null): RecordedResponse | undefined {
  const commits = commitsUntil(sha);
  return commits.length === 0 ? undefined : recordedWith('commits-big-limit', commits);
}

function mainAt(moment: Date): unknown {
  const main = toList<{ name: string; commit: object }>('repo-branches').find(({ name }) => name === 'main');
  return {
    ...main,
    commit: { ...main?.commit, id: newestCommits().find(({ created }) => new Date(created) <= moment)?.sha },
  };
}

const parameters = new Set(['state', 'type', 'since', 'before', 'limit', 'page']);

/** Returns recorded items, newest first. */
function listItems(name: string, repository: string, query: URLSearchParams): RecordedResponse | undefined {
  if ([...query.keys()].some((name) => !parameters.has(name))) return undefined;
  if (query.get('state') !== 'all') return undefined;
  const isWanted = (item: Item): boolean => {
    return item.repository.full_name === repository && (item.pull_request !== null) === (query.get('type') === 'pulls');
  };
  const items = since(query, toList<Item>(name).filter(isWanted));
  const [page, size] = [Number(query.get('page') ?? 1), Math.min(50, Number(query.get('limit') ?? 50))];
  return { ...listed(items), body: items.slice((page - 1) * size, page * size) };
}

function since<Entry extends Pick<Item, 'updated_at'>>(query: URLSearchParams, entries: Entry[]): Entry[] {
  const [from, to] = [query.get('since'), query.get('before')];
  return entries.filter(({ updated_at: at }) => (from === null || at >= from) && (to === null || at <= to));
}

function closing(delivery: string): unknown {
  const payload = JSON.parse(recordedDelivery(delivery).body) as { sender: object; issue: { closed_at: string } };
  const shape = toList<{ type: string }>('issue-2-timeline').find(({ type }) => type === 'close');
  return { ...shape, user: payload.sender, created_at: payload.issue.closed_at, updated_at: payload.issue.closed_at };
}

function file(path: string, text: string | undefined): RecordedResponse {
  return found(text === undefined ? undefined : contents(path, text));
}
