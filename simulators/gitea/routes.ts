import { addComment } from '../world/comments.ts';
import type { Account, Issue, PullRequest, Repository } from '../world/model.ts';
import { branch, changedFile, contents, wholeCommit } from './files.ts';
import { commented, comments, isWithin, items, ok, paged, search, toPath } from './lists.ts';
import { movedRepository, renamed } from './moved.ts';
import { recorded } from './recordings.ts';
import {
  accountAsUser,
  comment,
  commit,
  describeRepository,
  item,
  organization,
  type Reply,
  type ResponseContext,
  reactions,
  reviewComment,
  reviews,
  timeline,
  wholePull,
} from './responses.ts';
import type { Described } from './swagger.ts';

type Route = (context: ResponseContext, parameters: string[]) => Reply;

const like = (name: string): Reply => ({ status: recorded(name).status, body: recorded(name).body });

/** Returns the response of the simulated Gitea to a request. */
export function respond(context: ResponseContext, { path, parameters, body }: Described): Reply {
  if (context.viewer === undefined) return like('whoami-bad-token');
  if (body !== undefined) return addIssueComment(context, parameters, (body as { body: string }).body);
  const route = routes[path];
  if (route === undefined) throw new Error(`${path} is not simulated`);
  return route(context, parameters);
}

const routes: Readonly<Record<string, Route>> = {
  '/version': () => like('version'),
  '/user': (context) => {
    const account = context.world.accountById(context.viewer?.accountId ?? 0);
    return account === undefined ? like('whoami-no-token') : ok(accountAsUser(context, account));
  },
  '/user/orgs': (context) =>
    paged(
      context,
      context.world.accounts
        .filter(
          ({ id, type }) => type === 'Organization' && context.world.membership(id, context.viewer?.accountId ?? 0),
        )
        .map((account) => organization(context, account)),
      {},
    ),
  '/repos/search': (context) => {
    const { world, viewer, query } = context;
    if (query.get('is_private') !== 'true') throw new Error('only private repositories are simulated to be searched');
    const visible = world.repositories.filter(
      (repository) => repository.visibility !== 'public' && viewer !== undefined && world.canSee(viewer, repository),
    );
    const reply = paged(
      context,
      visible.map((entry) => describeRepository(context, entry)),
      {},
    );
    return { ...reply, body: { ok: true, data: reply.body } };
  },
  // The simulated caller has no issues of its own: the service only checks a credential with this request.
  '/repos/issues/search': (context) =>
    context.query.get('created') === 'true' ? paged(context, [], {}) : search(context),
  '/users/{username}': (context, [name = '']) =>
    renamed(context, name) ?? withAccount(context, name, (account) => ok(accountAsUser(context, account))),
  '/orgs/{org}': (context, [name = '']) =>
    withAccount(context, name, (account) =>
      account.type === 'Organization' ? ok(organization(context, account)) : like('org-missing'),
    ),
  '/users/search': (context) => ({
    ...ok({
      ok: true,
      data: context.world.accounts
        .filter(
          ({ id, type, isDeleted }) => id === Number(context.query.get('uid')) && type !== 'Organization' && !isDeleted,
        )
        .filter(({ id }) => isShownTo(context, id))
        .map((account) => accountAsUser(context, account)),
    }),
  }),
  '/users/{username}/repos': (context, [name = '']) => owned(context, name),
  '/orgs/{org}/repos': (context, [name = '']) => owned(context, name),
  '/users/{username}/orgs/{org}/permissions': (context, [name = '', organizationName = '']) => {
    if (context.viewer?.accountId === null) return like('org-perm-anon');
    const member = context.world.accountByLogin(name);
    const group = context.world.accountByLogin(organizationName);
    if (member === undefined || group === undefined) return like('user-missing');
    // The organization has to be visible to the person, not to the caller (go-gitea/gitea, routers/api/v1/org/org.go).
    const asPerson = { ...context, viewer: { accountId: member.id, seesPrivate: true } };
    if (!isShownTo(asPerson, group.id)) return like('user-missing');
    const membership = context.world.membership(group.id, member.id);
    if (membership?.state !== 'active') return like('org-perm-carol');
    return like(membership.role === 'admin' ? 'org-perm-alice' : 'org-perm-bob');
  },
  /** https://github.com/go-gitea/gitea, routers/api/v1/api.go: for members of the organization. */
  '/orgs/{org}/teams': (context, [name = '']) => {
    const of = context.world.accountByLogin(name);
    if (of?.type !== 'Organization' || !seesMembers(context, of)) return like('org-missing');
    return paged(
      context,
      context.world.teamsOf(of).map(({ id, slug }) => ({ id, name: slug, description: '', permission: 'write' })),
      {},
    );
  },
  '/teams/{id}/members': (context, [id = '']) => {
    const team = context.world.teams.find((team) => team.id === Number(id));
    const of = team && context.world.accountById(team.organizationId);
    if (team === undefined || of === undefined || !seesMembers(context, of)) return like('org-missing');
    return paged(
      context,
      context.world.membersOf(team).map((member) => accountAsUser(context, member)),
      {},
    );
  },
  '/repos/{owner}/{repo}': (context, path) =>
    movedRepository(context, path) ??
    within(context, path, (repository) => ok(describeRepository(context, repository))),
  // https://github.com/go-gitea/gitea, routers/api/v1/repo/collaborators.go: for administrators, and about the caller itself.
  '/repos/{owner}/{repo}/collaborators/{collaborator}/permission': (context, [owner = '', repo = '', login = '']) =>
    within(context, [owner, repo], (repository) =>
      withAccount(context, login, (account) => {
        const { world, viewer } = context;
        const mayAsk =
          viewer !== undefined && (viewer.accountId === account.id || world.mayReadAccess(viewer, repository));
        if (!mayAsk) return { status: 403, body: { message: 'Only admins can query all permissions', url: '' } };
        const permission = world.canSee({ accountId: account.id, seesPrivate: true }, repository) ? 'read' : 'none';
        return ok({ permission, role_name: permission, user: accountAsUser(context, account) });
      }),
    ),
  '/repos/{owner}/{repo}/issues': (context, path) => within(context, path, (repository) => items(context, repository)),
  '/repos/{owner}/{repo}/issues/{index}': (context, path) =>
    withIssue(context, path, (_repository, issue) => ok(item(context, issue))),
  /** Returns all comments at once, without pages. */
  '/repos/{owner}/{repo}/issues/{index}/comments': (context, path) =>
    withIssue(context, path, (repository, issue) =>
      ok(
        issue.comments
          .filter((comment) => isWithin(context.query, comment))
          .map((entry) => comment(context, entry, issue, toPath(context, repository))),
      ),
    ),
  '/repos/{owner}/{repo}/issues/{index}/reactions': (context, path) =>
    within(context, path, (repository) => {
      const found = [...repository.issues, ...repository.pullRequests].find(({ number }) => number === Number(path[2]));
      return found === undefined ? like('issue-missing') : ok(reactions(context, found.reactions));
    }),
  '/repos/{owner}/{repo}/issues/{index}/timeline': (context, path) =>
    withIssue(context, path, ({ pullRequests }, issue) => {
      const reply = paged(context, timeline(context, issue, pullRequests), {});
      // Gitea sends the number of entries on the page, not of the whole list.
      return { ...reply, headers: { ...reply.headers, 'x-total-count': String((reply.body as unknown[]).length) } };
    }),
  '/repos/{owner}/{repo}/issues/comments': (context, path) =>
    within(context, path, (repository) => comments(context, repository)),
  '/repos/{owner}/{repo}/issues/comments/{id}/reactions': (context, path) =>
    within(context, path, (repository) => {
      const found = commented(repository).find(({ source }) => source.id === Number(path[2]));
      return found === undefined ? like('issue-missing') : ok(reactions(context, found.source.reactions));
    }),
  '/repos/{owner}/{repo}/pulls/{index}': (context, path) =>
    withPull(context, path, (pull) => ok(wholePull(context, pull))),
  '/repos/{owner}/{repo}/pulls/{index}/reviews': (context, path) =>
    withPull(context, path, (pull) => paged(context, reviews(context, pull), {})),
  '/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments': (context, path) =>
    withPull(context, path, (pull) =>
      ok(
        pull.reviewComments
          .filter(({ reviewId }) => reviewId === Number(path[3]))
          .map((entry) => reviewComment(context, entry)),
      ),
    ),
  '/repos/{owner}/{repo}/pulls/{index}/files': (context, path) =>
    withPull(context, path, ({ files }) => paged(context, files.map(changedFile), { hasLinks: true })),
  '/repos/{owner}/{repo}/git/commits/{sha}': (context, path) =>
    within(context, path, ({ commits }) => {
      const found = commits.find(({ oid }) => oid === path[2]);
      return found === undefined ? like('issue-missing') : ok(wholeCommit(context, found));
    }),
  '/repos/{owner}/{repo}/branches/{branch}': (context, path) =>
    within(context, path, (repository) =>
      repository.defaultBranch === path[2] && !isEmpty(context, repository)
        ? ok(branch(repository))
        : like('issue-missing'),
    ),
  '/repos/{owner}/{repo}/contents/{filepath}': (context, path) =>
    within(context, path, ({ files, commits }) => {
      const [, , file = ''] = path;
      const text = files.get(file);
      const ref = context.query.get('ref');
      const isNewest = ref === commits.at(-1)?.oid;
      if (!isNewest && commits.some(({ oid }) => oid === ref))
        throw new Error('files are simulated at the newest commit only');
      return !isNewest || text === undefined ? like('issue-missing') : ok(contents(file, text));
    }),
  '/repos/{owner}/{repo}/commits': (context, path) =>
    within(context, path, (repository) => {
      if (isEmpty(context, repository)) return { status: 409, body: { message: 'Git Repository is empty.' } };
      const { commits } = repository;
      const oid = context.query.get('sha');
      const until = oid === null ? commits.length : commits.findIndex((commit) => commit.oid === oid) + 1;
      if (until === 0) return like('issue-missing');
      const newestFirst = commits.slice(0, until).toReversed();
      return paged(
        context,
        newestFirst.map((entry) => commit(context, entry)),
        { hasLinks: true },
      );
    }),
};

function isEmpty({ unprocessedPushes }: ResponseContext, repository: Repository): boolean {
  return unprocessedPushes.has(repository) || repository.commits.length === 0;
}

function withAccount(context: ResponseContext, name: string, reply: (account: Account) => Reply): Reply {
  const account = context.world.accountByLogin(name);
  return account === undefined || !isShownTo(context, account.id) ? like('user-missing') : reply(account);
}

/**
 * Returns whether an account is visible: `limited` to signed-in callers, `private` to the account itself and to the
 * members of an organization (in this simulator).
 */
function isShownTo({ hidden, viewer, world }: ResponseContext, id: number): boolean {
  const visibility = hidden.get(id) ?? 'public';
  if (visibility === 'public' || viewer?.accountId === id) return true;
  if (world.membership(id, viewer?.accountId ?? 0)?.state === 'active') return true;
  return visibility === 'limited' && typeof viewer?.accountId === 'number';
}

function owned(context: ResponseContext, name: string): Reply {
  return withAccount(context, name, (account) => {
    const { world, viewer } = context;
    const visible = world.owned(account).filter((candidate) => viewer !== undefined && world.canSee(viewer, candidate));
    const byId = visible.toSorted((left, right) => left.id - right.id);
    return paged(
      context,
      byId.map((entry) => describeRepository(context, entry)),
      { hasLinks: true },
    );
  });
}

function within(
  { world, viewer }: ResponseContext,
  [owner = '', name = '']: string[],
  reply: (repository: Repository) => Reply,
): Reply {
  const found = world.repository(owner, name);
  const isShown = found !== undefined && viewer !== undefined && world.canSee(viewer, found);
  return isShown ? reply(found) : like('repo-secret-carol');
}

/** Adds a comment to an issue. Signed-in callers who see an issue may comment on it. */
function addIssueComment(context: ResponseContext, path: string[], body: string): Reply {
  const author = context.world.accountById(context.viewer?.accountId ?? 0);
  if (author === undefined) return like('whoami-no-token');
  return withIssue(context, path, (repository, issue) => {
    const created = addComment(context.world, issue, { author, body });
    return { status: 201, body: comment(context, created, issue, toPath(context, repository)) };
  });
}

/** Returns the refusal for a token that lacks a scope. */
export function lacksScope(scope: string): Reply {
  const { status, body } = like('scope-missing-repo');
  return {
    status,
    body: { ...Object(body), message: `token does not have at least one of required scope(s): [${scope}]` },
  };
}

function withIssue(
  context: ResponseContext,
  path: string[],
  reply: (repository: Repository, issue: Issue) => Reply,
): Reply {
  return within(context, path, (repository) => {
    const issue = repository.issues.find(({ number }) => number === Number(path[2]));
    return issue === undefined ? like('issue-missing') : reply(repository, issue);
  });
}

function withPull(context: ResponseContext, path: string[], reply: (pull: PullRequest) => Reply): Reply {
  return within(context, path, ({ pullRequests }) => {
    const pull = pullRequests.find(({ number }) => number === Number(path[2]));
    return pull === undefined ? like('issue-missing') : reply(pull);
  });
}

function seesMembers({ world, viewer }: ResponseContext, of: Account): boolean {
  return viewer !== undefined && world.canSeeMembers(viewer, of);
}
