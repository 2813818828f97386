import type { Comment, Issue, PullRequest, Repository } from '../../world/model.ts';
import { find } from '../graphql/search.ts';
import { fullAccount, membership, organization, type ResponseContext, simpleAccount } from './accounts.ts';
import { issueComment, reviewComment } from './comments.ts';
import { contentFile } from './contents.ts';
import { commit, describeRepository, issue, stargazer } from './repositories.ts';

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
  respond(context: ResponseContext, parameters: string[], query: URLSearchParams): RestReply;
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

const permissionRefused: RestReply = {
  status: 403,
  body: {
    message: 'Must have push access to view collaborator permission.',
    documentation_url: 'https://docs.github.com/rest/collaborators/collaborators#get-repository-permissions-for-a-user',
    status: '403',
  },
};

/** Refuses a list of stargazers; the header names alternative permissions, as seen in star-history/star-history#539. */
function stargazersRefused({ viewer }: ResponseContext): RestReply {
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
  route('/user', (context) => {
    const { accountId } = context.viewer;
    const account = accountId === null ? undefined : context.world.accountById(accountId);
    return account === undefined ? missing : ok(fullAccount(context, account));
  }),
  route('/user/{account_id}', (context, [id = '']) => {
    const account = context.world.accountById(Number(id));
    return account === undefined ? missing : ok(fullAccount(context, account));
  }),
  route('/users/{username}', (context, [login = '']) => {
    const account = context.world.accountByLogin(login);
    return account === undefined || account.type === 'Mannequin' ? missing : ok(fullAccount(context, account));
  }),
  route('/users/{username}/repos', (context, [login = ''], query) => {
    const account = context.world.accountByLogin(login);
    if (account === undefined) return missing;
    // As on GitHub, this list shows only public repositories to every caller.
    const owned = context.world.owned(account).filter(({ visibility }) => visibility === 'public');
    const direction = query.get('direction') === 'desc' ? -1 : 1;
    if (query.get('sort') !== 'created') throw new Error('the simulator sorts repositories by creation only');
    const sorted = owned.toSorted(
      (left, right) => direction * (left.createdAt.getTime() - right.createdAt.getTime() || left.id - right.id),
    );
    return page(context, query, sorted, (repository) => describeRepository(context, repository));
  }),
  route('/orgs/{org}', (context, [login = '']) => {
    const account = context.world.accountByLogin(login);
    return account?.type === 'Organization' ? ok(organization(context, account)) : missing;
  }),
  route('/orgs/{org}/members', (context, [login = ''], query) => {
    const organizationAccount = context.world.accountByLogin(login);
    if (organizationAccount?.type !== 'Organization') return missing;
    const role = query.get('role') ?? 'all';
    // Memberships are never public here: other callers get an empty list, and no refusal.
    const visible = context.world.canSeeMembers(context.viewer, organizationAccount) ? context.world.memberships : [];
    const members = visible
      .filter(
        (membership) =>
          membership.organizationId === organizationAccount.id &&
          membership.state === 'active' &&
          ['all', membership.role].includes(role),
      )
      .flatMap(({ accountId }) => context.world.accountById(accountId) ?? []);
    return page(context, query, members, (member) => simpleAccount(context, member));
  }),
  // https://docs.github.com/rest/teams/members: to those who are no members there is no team.
  route('/orgs/{org}/teams/{team_slug}/members', (context, [login = '', slug = ''], query) => {
    const of = context.world.accountByLogin(login);
    if (of?.type !== 'Organization' || !context.world.canSeeMembers(context.viewer, of)) return missing;
    const team = context.world.teamsOf(of).find((team) => team.slug === slug.toLowerCase());
    if (team === undefined) return missing;
    return page(context, query, context.world.membersOf(team), (member) => simpleAccount(context, member));
  }),
  route('/repos/{owner}/{repo}', (context, names) => {
    const repository = visible(context, names);
    return repository === undefined ? moved(context, names) : ok(describeRepository(context, repository));
  }),
  // Former names redirect to this path, which GitHub does not describe.
  route(
    '/repositories/{id}',
    (context, [id = '']) => {
      const repository = context.world.repositoryById(Number(id));
      return repository !== undefined && context.world.canSee(context.viewer, repository)
        ? ok(describeRepository(context, repository))
        : missing;
    },
    'core',
    '/repos/{owner}/{repo}',
  ),
  // https://docs.github.com/rest/collaborators/collaborators: to those who may not push GitHub refuses the permission.
  route('/repos/{owner}/{repo}/collaborators/{username}/permission', (context, [owner = '', name = '', login = '']) => {
    const repository = visible(context, [owner, name]);
    const account = context.world.accountByLogin(login);
    if (repository === undefined || account === undefined) return missing;
    if (!context.world.mayReadAccess(context.viewer, repository)) return permissionRefused;
    const isSeen = context.world.canSee({ accountId: account.id, seesPrivate: true }, repository);
    const permission = isSeen ? 'read' : 'none';
    return ok({
      permission,
      role_name: permission,
      user: { ...simpleAccount(context, account), role_name: permission },
    });
  }),
  route('/repos/{owner}/{repo}/issues', (context, names, query) => {
    const repository = visible(context, names);
    if (repository === undefined) return missing;
    return page(context, query, listedIssues(repository, query), (item) => issue(context, repository, item));
  }),
  route('/repos/{owner}/{repo}/issues/comments', (context, names, query) => {
    const repository = visible(context, names);
    if (repository === undefined) return missing;
    const all = [...repository.issues, ...repository.pullRequests].flatMap((thread) =>
      thread.comments.map((comment) => ({ thread, comment })),
    );
    return page(context, query, listedComments(all, query), (entry) => issueComment(context, repository, entry));
  }),
  route('/repos/{owner}/{repo}/pulls/comments', (context, names, query) => {
    const repository = visible(context, names);
    if (repository === undefined) return missing;
    const all = repository.pullRequests.flatMap((thread) =>
      thread.reviewComments.map((comment) => ({ thread, comment })),
    );
    return page(context, query, listedComments(all, query), ({ thread, comment }) =>
      reviewComment(context, repository, thread, comment),
    );
  }),
  route('/repos/{owner}/{repo}/contents/{path}', (context, [owner = '', name = '', path = ''], query) => {
    const repository = visible(context, [owner, name]);
    if (repository === undefined) return missing;
    const ref = query.get('ref');
    if (ref !== null && ref !== repository.defaultBranch)
      throw new Error('the simulator shows files of the default branch');
    const file = contentFile(context, repository, path);
    return file === undefined ? missing : ok(file);
  }),
  route('/repos/{owner}/{repo}/commits', (context, names, query) => {
    const repository = visible(context, names);
    if (repository === undefined) return missing;
    const sha = query.get('sha') ?? repository.commits.at(-1)?.oid;
    const last = repository.commits.findIndex(({ oid }) => oid === sha);
    if (last < 0) return { status: 404, body: { message: 'No commit found for SHA' } };
    return page(context, query, repository.commits.slice(0, last + 1).toReversed(), (entry) =>
      commit(context, repository, entry),
    );
  }),
  route('/repos/{owner}/{repo}/stargazers', (context, names, query) => {
    const repository = visible(context, names);
    if (repository === undefined) return missing;
    const access = context.world.stargazerAccess(context.viewer, repository);
    if (access === 'refused') return stargazersRefused(context);
    if (access === 'empty') return context.viewer.accountId === null ? unauthenticated : missing;
    const oldestFirst = context.world
      .starsOf(repository)
      .toSorted((left, right) => Number(left.starredAt) - Number(right.starredAt));
    return page(context, query, oldestFirst, (star) => stargazer(context, star));
  }),
  route(
    '/search/issues',
    (context, _names, query) => {
      const found = find(context, 'ISSUE', query.get('q') ?? '');
      const { size, offset } = toPage(query);
      const items = found
        .slice(offset, offset + size)
        .map(({ repository, item }) =>
          Object.assign(issue(context, repository, item as Issue | PullRequest), { score: 1 }),
        );
      return ok({ total_count: found.length, incomplete_results: false, search_type: 'lexical', items });
    },
    'search',
  ),
  route('/user/memberships/orgs/{org}', (context, [login = '']) => {
    const of = context.world.accountByLogin(login);
    const { accountId, lacksMembers } = context.viewer;
    if (lacksMembers) return membershipsRefused;
    if (of === undefined || accountId === null) return missing;
    const found = context.world.membership(of.id, accountId);
    const user = context.world.accountById(accountId);
    return found === undefined || user === undefined ? missing : ok(membership(context, found, of, user));
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

function visible({ world, viewer }: ResponseContext, [owner = '', name = '']: string[]): Repository | undefined {
  const found = world.repository(owner, name);
  return found !== undefined && world.canSee(viewer, found) ? found : undefined;
}

/** https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects */
function moved({ world, viewer, apiUrl }: ResponseContext, [owner = '', name = '']: string[]): RestReply {
  const found = world.repositoryByFormerName(owner, name);
  if (found === undefined || !world.canSee(viewer, found)) return missing;
  const location = `${apiUrl}/repositories/${found.id}`;
  return { status: 301, body: { message: 'Moved Permanently', url: location }, headers: { location } };
}

function listedIssues(repository: Repository, query: URLSearchParams): (Issue | PullRequest)[] {
  const state = query.get('state') ?? 'open';
  const since = query.get('since');
  const field = query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt';
  const direction = query.get('direction') === 'asc' ? 1 : -1;
  return [...repository.issues, ...repository.pullRequests]
    .filter(({ closedAt }) => state === 'all' || (closedAt === null) === (state === 'open'))
    .filter(({ updatedAt }) => since === null || updatedAt >= new Date(since))
    .toSorted((left, right) => direction * (left[field].getTime() - right[field].getTime() || left.id - right.id));
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
      ({ comment: left }, { comment: right }) =>
        direction * (left[field].getTime() - right[field].getTime() || left.id - right.id),
    );
}

function toPage(query: URLSearchParams): { size: number; offset: number; number: number } {
  const size = Math.min(100, Number(query.get('per_page') ?? '30'));
  const number = Math.max(1, Number(query.get('page') ?? '1'));
  return { size, number, offset: (number - 1) * size };
}

function page<Item>(
  context: ResponseContext,
  query: URLSearchParams,
  items: readonly Item[],
  toBody: (item: Item) => object,
): RestReply {
  const { size, offset, number } = toPage(query);
  const last = Math.ceil(items.length / size);
  const link = (to: number, rel: string): string => {
    const params = new URLSearchParams(query);
    params.set('page', String(to));
    return `<${context.apiUrl}/?${params.toString()}>; rel="${rel}"`;
  };
  const links = [
    ...(number > 1 ? [link(number - 1, 'prev')] : []),
    ...(number < last ? [link(number + 1, 'next'), link(last, 'last')] : []),
  ];
  const body = items.slice(offset, offset + size).map(toBody);
  return ok(body, links.length > 0 ? { link: links.join(', ') } : {});
}
