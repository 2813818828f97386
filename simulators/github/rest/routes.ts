import type { Comment, Issue, PullRequest, Repository } from '../../world/model.ts';
import { find } from '../graphql/search.ts';
import { fullAccount, membership, organization, type Place, simpleAccount } from './accounts.ts';
import { issueComment, reviewComment } from './comments.ts';
import { contentFile } from './contents.ts';
import { commit, issue, repository, stargazer } from './repositories.ts';

/** A response of the REST interface: a body with status 200, or a refusal. */
export interface RestReply {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** A path as GitHub's description writes it, and its handler. */
interface Route {
  path: string;
  pattern: RegExp;
  resource: 'core' | 'search';
  respond(place: Place, parameters: string[], query: URLSearchParams): RestReply;
}

export const missing: RestReply = {
  status: 404,
  body: { message: 'Not Found', documentation_url: 'https://docs.github.com/rest', status: '404' },
};

const unauthenticated: RestReply = {
  status: 401,
  body: {
    message: 'Requires authentication',
    documentation_url: 'https://docs.github.com/rest/activity/starring#list-stargazers',
    status: '401',
  },
};

/** https://docs.github.com/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps: memberships need `read:org`. */
const membershipsRefused: RestReply = {
  status: 403,
  body: {
    message: 'You need at least read:org scope or user scope to list your organization memberships.',
    documentation_url: 'https://docs.github.com/rest',
    status: '403',
  },
};

/** Refuses a list of stargazers; the header names alternative permissions, as seen in star-history/star-history#539. */
function stargazersRefused({ viewer }: Place): RestReply {
  return {
    status: 403,
    body: {
      message: `Resource not accessible by ${viewer.lacksStargazers}`,
      documentation_url: 'https://docs.github.com/rest/activity/starring#list-stargazers',
      status: '403',
    },
    headers: { 'x-accepted-github-permissions': 'metadata=read; contents=write' },
  };
}

const ok = (body: unknown, headers: Record<string, string> = {}): RestReply => ({ status: 200, body, headers });

/** @param described the path in the description whose response has the same form. */
function route(
  path: string,
  respond: Route['respond'],
  resource: Route['resource'] = 'core',
  described: string = path,
): Route {
  const pattern = new RegExp(`^${path.replace('{path}', '(.+)').replace(/\{\w+\}/g, '([^/]+)')}$`);
  return { path: described, pattern, respond, resource };
}

const routes: readonly Route[] = [
  route('/user', (place) => {
    const { accountId } = place.viewer;
    const account = accountId === null ? undefined : place.world.accountById(accountId);
    return account === undefined ? missing : ok(fullAccount(place, account));
  }),
  route('/user/{account_id}', (place, [id = '']) => {
    const account = place.world.accountById(Number(id));
    return account === undefined ? missing : ok(fullAccount(place, account));
  }),
  route('/users/{username}', (place, [login = '']) => {
    const account = place.world.accountByLogin(login);
    return account === undefined || account.type === 'Mannequin' ? missing : ok(fullAccount(place, account));
  }),
  route('/users/{username}/repos', (place, [login = ''], query) => {
    const account = place.world.accountByLogin(login);
    if (account === undefined) return missing;
    // As on GitHub, this list shows only public repositories to every caller.
    const owned = place.world.owned(account).filter(({ visibility }) => visibility === 'public');
    const direction = query.get('direction') === 'desc' ? -1 : 1;
    if (query.get('sort') !== 'created') throw new Error('the simulator sorts repositories by creation only');
    const sorted = owned.toSorted(
      (one, other) => direction * (one.createdAt.getTime() - other.createdAt.getTime() || one.id - other.id),
    );
    return page(place, query, sorted, (shown) => repository(place, shown));
  }),
  route('/orgs/{org}', (place, [login = '']) => {
    const account = place.world.accountByLogin(login);
    return account?.type === 'Organization' ? ok(organization(place, account)) : missing;
  }),
  route('/orgs/{org}/members', (place, [login = ''], query) => {
    const of = place.world.accountByLogin(login);
    if (of?.type !== 'Organization') return missing;
    const role = query.get('role') ?? 'all';
    // Memberships are never public here: other callers get an empty list, and no refusal.
    const seen = place.world.canSeeMembers(place.viewer, of) ? place.world.memberships : [];
    const members = seen
      .filter((one) => one.organizationId === of.id && one.state === 'active' && ['all', one.role].includes(role))
      .flatMap(({ accountId }) => place.world.accountById(accountId) ?? []);
    return page(place, query, members, (member) => simpleAccount(place, member));
  }),
  // https://docs.github.com/rest/teams/members: to those who are no members there is no team.
  route('/orgs/{org}/teams/{team_slug}/members', (place, [login = '', slug = ''], query) => {
    const of = place.world.accountByLogin(login);
    if (of?.type !== 'Organization' || !place.world.canSeeMembers(place.viewer, of)) return missing;
    const team = place.world.teamsOf(of).find((one) => one.slug === slug.toLowerCase());
    if (team === undefined) return missing;
    return page(place, query, place.world.membersOf(team), (member) => simpleAccount(place, member));
  }),
  route('/repos/{owner}/{repo}', (place, names) => {
    const shown = visible(place, names);
    return shown === undefined ? moved(place, names) : ok(repository(place, shown));
  }),
  // Former names redirect to this path, which GitHub does not describe.
  route(
    '/repositories/{id}',
    (place, [id = '']) => {
      const shown = place.world.repositoryById(Number(id));
      return shown !== undefined && place.world.canSee(place.viewer, shown) ? ok(repository(place, shown)) : missing;
    },
    'core',
    '/repos/{owner}/{repo}',
  ),
  route('/repos/{owner}/{repo}/issues', (place, names, query) => {
    const shown = visible(place, names);
    if (shown === undefined) return missing;
    return page(place, query, listedIssues(shown, query), (item) => issue(place, shown, item));
  }),
  route('/repos/{owner}/{repo}/issues/comments', (place, names, query) => {
    const shown = visible(place, names);
    if (shown === undefined) return missing;
    const all = [...shown.issues, ...shown.pullRequests].flatMap((thread) =>
      thread.comments.map((comment) => ({ thread, comment })),
    );
    return page(place, query, listedComments(all, query), (one) => issueComment(place, shown, one));
  }),
  route('/repos/{owner}/{repo}/pulls/comments', (place, names, query) => {
    const shown = visible(place, names);
    if (shown === undefined) return missing;
    const all = shown.pullRequests.flatMap((thread) => thread.reviewComments.map((comment) => ({ thread, comment })));
    return page(place, query, listedComments(all, query), ({ thread, comment }) =>
      reviewComment(place, shown, thread, comment),
    );
  }),
  route('/repos/{owner}/{repo}/contents/{path}', (place, [owner = '', name = '', path = ''], query) => {
    const shown = visible(place, [owner, name]);
    if (shown === undefined) return missing;
    const ref = query.get('ref');
    if (ref !== null && ref !== shown.defaultBranch) throw new Error('the simulator shows files of the default branch');
    const file = contentFile(place, shown, path);
    return file === undefined ? missing : ok(file);
  }),
  route('/repos/{owner}/{repo}/commits', (place, names, query) => {
    const shown = visible(place, names);
    if (shown === undefined) return missing;
    const sha = query.get('sha') ?? shown.commits.at(-1)?.oid;
    const last = shown.commits.findIndex(({ oid }) => oid === sha);
    if (last < 0) return { status: 404, body: { message: 'No commit found for SHA' } };
    return page(place, query, shown.commits.slice(0, last + 1).toReversed(), (one) => commit(place, shown, one));
  }),
  route('/repos/{owner}/{repo}/stargazers', (place, names, query) => {
    const shown = visible(place, names);
    if (shown === undefined) return missing;
    const access = place.world.stargazerAccess(place.viewer, shown);
    if (access === 'refused') return stargazersRefused(place);
    if (access === 'empty') return place.viewer.accountId === null ? unauthenticated : missing;
    const oldestFirst = place.world
      .starsOf(shown)
      .toSorted((one, other) => Number(one.starredAt) - Number(other.starredAt));
    return page(place, query, oldestFirst, (star) => stargazer(place, star));
  }),
  route(
    '/search/issues',
    (place, _names, query) => {
      const found = find(place, 'ISSUE', query.get('q') ?? '');
      const { size, offset } = pageOf(query);
      const items = found
        .slice(offset, offset + size)
        .map(({ repository: shown, item }) =>
          Object.assign(issue(place, shown, item as Issue | PullRequest), { score: 1 }),
        );
      return ok({ total_count: found.length, incomplete_results: false, search_type: 'lexical', items });
    },
    'search',
  ),
  route('/user/memberships/orgs/{org}', (place, [login = '']) => {
    const of = place.world.accountByLogin(login);
    const { accountId, lacksMembers } = place.viewer;
    if (lacksMembers) return membershipsRefused;
    if (of === undefined || accountId === null) return missing;
    const found = place.world.membership(of.id, accountId);
    const user = place.world.accountById(accountId);
    return found === undefined || user === undefined ? missing : ok(membership(place, found, of, user));
  }),
];

/** Returns the route and the parameters of a path, undefined for a path that the simulator does not serve. */
export function findRoute(path: string): { route: Route; parameters: string[] } | undefined {
  for (const candidate of routes) {
    const match = candidate.pattern.exec(path);
    if (match !== null) return { route: candidate, parameters: match.slice(1).map(decodeURIComponent) };
  }
  return undefined;
}

function visible({ world, viewer }: Place, [owner = '', name = '']: string[]): Repository | undefined {
  const found = world.repository(owner, name);
  return found !== undefined && world.canSee(viewer, found) ? found : undefined;
}

/** https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects */
function moved({ world, viewer, apiUrl }: Place, [owner = '', name = '']: string[]): RestReply {
  const found = world.formerly(owner, name);
  if (found === undefined || !world.canSee(viewer, found)) return missing;
  const location = `${apiUrl}/repositories/${found.id}`;
  return { status: 301, body: { message: 'Moved Permanently', url: location }, headers: { location } };
}

function listedIssues(shown: Repository, query: URLSearchParams): (Issue | PullRequest)[] {
  const state = query.get('state') ?? 'open';
  const since = query.get('since');
  const field = query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt';
  const direction = query.get('direction') === 'asc' ? 1 : -1;
  return [...shown.issues, ...shown.pullRequests]
    .filter(({ closedAt }) => state === 'all' || (closedAt === null) === (state === 'open'))
    .filter(({ updatedAt }) => since === null || updatedAt >= new Date(since))
    .toSorted((one, other) => direction * (one[field].getTime() - other[field].getTime() || one.id - other.id));
}

/** Without `sort`, `direction` has no effect, as GitHub documents it. */
function listedComments<At extends { comment: Comment }>(all: At[], query: URLSearchParams): At[] {
  const sort = query.get('sort');
  const since = query.get('since');
  const field = sort === 'updated' ? 'updatedAt' : 'createdAt';
  const direction = sort !== null && query.get('direction') === 'desc' ? -1 : 1;
  return all
    .filter(({ comment }) => since === null || comment.updatedAt >= new Date(since))
    .toSorted(
      ({ comment: one }, { comment: other }) =>
        direction * (one[field].getTime() - other[field].getTime() || one.id - other.id),
    );
}

function pageOf(query: URLSearchParams): { size: number; offset: number; number: number } {
  const size = Math.min(100, Number(query.get('per_page') ?? '30'));
  const number = Math.max(1, Number(query.get('page') ?? '1'));
  return { size, number, offset: (number - 1) * size };
}

function page<Item>(
  place: Place,
  query: URLSearchParams,
  items: readonly Item[],
  toBody: (item: Item) => object,
): RestReply {
  const { size, offset, number } = pageOf(query);
  const last = Math.ceil(items.length / size);
  const link = (to: number, rel: string): string => {
    const params = new URLSearchParams(query);
    params.set('page', String(to));
    return `<${place.apiUrl}/?${params.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(number > 1 ? [link(number - 1, 'prev')] : []),
    ...(number < last ? [link(number + 1, 'next'), link(last, 'last')] : []),
  ];
  const body = items.slice(offset, offset + size).map(toBody);
  return ok(body, links.length > 0 ? { link: links.join(', ') } : {});
}
