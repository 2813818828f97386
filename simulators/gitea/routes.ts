import { addComment } from '../world/comments.ts';
import type { Account, Issue, PullRequest, Repository } from '../world/model.ts';
import { branch, changedFile, contents, wholeCommit } from './files.ts';
import { commented, comments, isWithin, items, ok, paged, pathOf, search } from './lists.ts';
import { movedRepository, renamed } from './moved.ts';
import { recorded } from './recordings.ts';
import {
  accountAsUser,
  comment,
  commit,
  item,
  organization,
  type Place,
  type Reply,
  reactions,
  repository,
  reviewComment,
  reviews,
  timeline,
  wholePull,
} from './responses.ts';
import type { Described } from './swagger.ts';

type Route = (place: Place, parameters: string[]) => Reply;

const like = (name: string): Reply => ({ status: recorded(name).status, body: recorded(name).body });

/** Returns the response of the simulated Gitea to a request. */
export function respond(place: Place, { path, parameters, body }: Described): Reply {
  if (place.viewer === undefined) return like('whoami-bad-token');
  if (body !== undefined) return say(place, parameters, (body as { body: string }).body);
  const route = routes[path];
  if (route === undefined) throw new Error(`${path} is not simulated`);
  return route(place, parameters);
}

const routes: Readonly<Record<string, Route>> = {
  '/version': () => like('version'),
  '/user': (place) => {
    const account = place.world.accountById(place.viewer?.accountId ?? 0);
    return account === undefined ? like('whoami-no-token') : ok(accountAsUser(place, account));
  },
  '/user/orgs': (place) =>
    paged(
      place,
      place.world.accounts
        .filter(({ id, type }) => type === 'Organization' && place.world.membership(id, place.viewer?.accountId ?? 0))
        .map((account) => organization(place, account)),
      {},
    ),
  '/repos/search': (place) => {
    const { world, viewer, query } = place;
    if (query.get('is_private') !== 'true') throw new Error('only private repositories are simulated to be searched');
    const shown = world.repositories.filter(
      (one) => one.visibility !== 'public' && viewer !== undefined && world.canSee(viewer, one),
    );
    const reply = paged(
      place,
      shown.map((one) => repository(place, one)),
      {},
    );
    return { ...reply, body: { ok: true, data: reply.body } };
  },
  // The simulated caller has no issues of its own: the service only checks a credential with this request.
  '/repos/issues/search': (place) => (place.query.get('created') === 'true' ? paged(place, [], {}) : search(place)),
  '/users/{username}': (place, [name = '']) =>
    renamed(place, name) ?? withAccount(place, name, (account) => ok(accountAsUser(place, account))),
  '/orgs/{org}': (place, [name = '']) =>
    withAccount(place, name, (account) =>
      account.type === 'Organization' ? ok(organization(place, account)) : like('org-missing'),
    ),
  '/users/search': (place) => ({
    ...ok({
      ok: true,
      data: place.world.accounts
        .filter(
          ({ id, type, isDeleted }) => id === Number(place.query.get('uid')) && type !== 'Organization' && !isDeleted,
        )
        .filter(({ id }) => isShownTo(place, id))
        .map((account) => accountAsUser(place, account)),
    }),
  }),
  '/users/{username}/repos': (place, [name = '']) => owned(place, name),
  '/orgs/{org}/repos': (place, [name = '']) => owned(place, name),
  '/users/{username}/orgs/{org}/permissions': (place, [name = '', organizationName = '']) => {
    if (place.viewer?.accountId === null) return like('org-perm-anon');
    const member = place.world.accountByLogin(name);
    const group = place.world.accountByLogin(organizationName);
    if (member === undefined || group === undefined) return like('user-missing');
    // The organization has to be visible to the person, not to the caller (go-gitea/gitea, routers/api/v1/org/org.go).
    const asPerson = { ...place, viewer: { accountId: member.id, seesPrivate: true } };
    if (!isShownTo(asPerson, group.id)) return like('user-missing');
    const membership = place.world.membership(group.id, member.id);
    if (membership?.state !== 'active') return like('org-perm-carol');
    return like(membership.role === 'admin' ? 'org-perm-alice' : 'org-perm-bob');
  },
  /** https://github.com/go-gitea/gitea, routers/api/v1/api.go: for members of the organization. */
  '/orgs/{org}/teams': (place, [name = '']) => {
    const of = place.world.accountByLogin(name);
    if (of?.type !== 'Organization' || !seesMembers(place, of)) return like('org-missing');
    return paged(
      place,
      place.world.teamsOf(of).map(({ id, slug }) => ({ id, name: slug, description: '', permission: 'write' })),
      {},
    );
  },
  '/teams/{id}/members': (place, [id = '']) => {
    const team = place.world.teams.find((one) => one.id === Number(id));
    const of = team && place.world.accountById(team.organizationId);
    if (team === undefined || of === undefined || !seesMembers(place, of)) return like('org-missing');
    return paged(
      place,
      place.world.membersOf(team).map((member) => accountAsUser(place, member)),
      {},
    );
  },
  '/repos/{owner}/{repo}': (place, path) =>
    movedRepository(place, path) ?? within(place, path, (shown) => ok(repository(place, shown))),
  '/repos/{owner}/{repo}/issues': (place, path) => within(place, path, (shown) => items(place, shown)),
  '/repos/{owner}/{repo}/issues/{index}': (place, path) =>
    withIssue(place, path, (_shown, issue) => ok(item(place, issue))),
  /** Returns all comments at once, without pages. */
  '/repos/{owner}/{repo}/issues/{index}/comments': (place, path) =>
    withIssue(place, path, (shown, issue) =>
      ok(
        issue.comments
          .filter((one) => isWithin(place.query, one))
          .map((one) => comment(place, one, issue, pathOf(place, shown))),
      ),
    ),
  '/repos/{owner}/{repo}/issues/{index}/reactions': (place, path) =>
    within(place, path, (shown) => {
      const found = [...shown.issues, ...shown.pullRequests].find(({ number }) => number === Number(path[2]));
      return found === undefined ? like('issue-missing') : ok(reactions(place, found.reactions));
    }),
  '/repos/{owner}/{repo}/issues/{index}/timeline': (place, path) =>
    withIssue(place, path, ({ pullRequests }, issue) => {
      const reply = paged(place, timeline(place, issue, pullRequests), {});
      // Gitea sends the number of entries on the page, not of the whole list.
      return { ...reply, headers: { ...reply.headers, 'x-total-count': String((reply.body as unknown[]).length) } };
    }),
  '/repos/{owner}/{repo}/issues/comments': (place, path) => within(place, path, (shown) => comments(place, shown)),
  '/repos/{owner}/{repo}/issues/comments/{id}/reactions': (place, path) =>
    within(place, path, (shown) => {
      const found = commented(shown).find(({ source }) => source.id === Number(path[2]));
      return found === undefined ? like('issue-missing') : ok(reactions(place, found.source.reactions));
    }),
  '/repos/{owner}/{repo}/pulls/{index}': (place, path) => withPull(place, path, (pull) => ok(wholePull(place, pull))),
  '/repos/{owner}/{repo}/pulls/{index}/reviews': (place, path) =>
    withPull(place, path, (pull) => paged(place, reviews(place, pull), {})),
  '/repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments': (place, path) =>
    withPull(place, path, (pull) =>
      ok(
        pull.reviewComments
          .filter(({ reviewId }) => reviewId === Number(path[3]))
          .map((one) => reviewComment(place, one)),
      ),
    ),
  '/repos/{owner}/{repo}/pulls/{index}/files': (place, path) =>
    withPull(place, path, ({ files }) => paged(place, files.map(changedFile), { hasLinks: true })),
  '/repos/{owner}/{repo}/git/commits/{sha}': (place, path) =>
    within(place, path, ({ commits }) => {
      const found = commits.find(({ oid }) => oid === path[2]);
      return found === undefined ? like('issue-missing') : ok(wholeCommit(place, found));
    }),
  '/repos/{owner}/{repo}/branches/{branch}': (place, path) =>
    within(place, path, (shown) =>
      shown.defaultBranch === path[2] && !isEmpty(place, shown) ? ok(branch(shown)) : like('issue-missing'),
    ),
  '/repos/{owner}/{repo}/contents/{filepath}': (place, path) =>
    within(place, path, ({ files, commits }) => {
      const [, , file = ''] = path;
      const text = files.get(file);
      if (place.query.get('ref') !== commits.at(-1)?.oid)
        throw new Error('files are simulated at the newest commit only');
      return text === undefined ? like('issue-missing') : ok(contents(file, text));
    }),
  '/repos/{owner}/{repo}/commits': (place, path) =>
    within(place, path, (shown) => {
      if (isEmpty(place, shown)) return { status: 409, body: { message: 'Git Repository is empty.' } };
      const { commits } = shown;
      const oid = place.query.get('sha');
      const until = oid === null ? commits.length : commits.findIndex((one) => one.oid === oid) + 1;
      if (until === 0) return like('issue-missing');
      const newestFirst = commits.slice(0, until).toReversed();
      return paged(
        place,
        newestFirst.map((one) => commit(place, one)),
        { hasLinks: true },
      );
    }),
};

function isEmpty({ behind }: Place, shown: Repository): boolean {
  return behind.has(shown) || shown.commits.length === 0;
}

function withAccount(place: Place, name: string, reply: (account: Account) => Reply): Reply {
  const account = place.world.accountByLogin(name);
  return account === undefined || !isShownTo(place, account.id) ? like('user-missing') : reply(account);
}

/**
 * Returns whether an account is visible: `limited` to signed-in callers, `private` to the account itself and to the
 * members of an organization (in this simulator).
 */
function isShownTo({ hidden, viewer, world }: Place, id: number): boolean {
  const visibility = hidden.get(id) ?? 'public';
  if (visibility === 'public' || viewer?.accountId === id) return true;
  if (world.membership(id, viewer?.accountId ?? 0)?.state === 'active') return true;
  return visibility === 'limited' && typeof viewer?.accountId === 'number';
}

function owned(place: Place, name: string): Reply {
  return withAccount(place, name, (account) => {
    const { world, viewer } = place;
    const shown = world.owned(account).filter((one) => viewer !== undefined && world.canSee(viewer, one));
    const byId = shown.toSorted((one, other) => one.id - other.id);
    return paged(
      place,
      byId.map((one) => repository(place, one)),
      { hasLinks: true },
    );
  });
}

function within(
  { world, viewer }: Place,
  [owner = '', name = '']: string[],
  reply: (shown: Repository) => Reply,
): Reply {
  const found = world.repository(owner, name);
  const isShown = found !== undefined && viewer !== undefined && world.canSee(viewer, found);
  return isShown ? reply(found) : like('repo-secret-carol');
}

/** Adds a comment to an issue. Signed-in callers who see an issue may comment on it. */
function say(place: Place, path: string[], body: string): Reply {
  const author = place.world.accountById(place.viewer?.accountId ?? 0);
  if (author === undefined) return like('whoami-no-token');
  return withIssue(place, path, (shown, issue) => {
    const said = addComment(place.world, issue, { author, body });
    return { status: 201, body: comment(place, said, issue, pathOf(place, shown)) };
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

function withIssue(place: Place, path: string[], reply: (shown: Repository, issue: Issue) => Reply): Reply {
  return within(place, path, (shown) => {
    const issue = shown.issues.find(({ number }) => number === Number(path[2]));
    return issue === undefined ? like('issue-missing') : reply(shown, issue);
  });
}

function withPull(place: Place, path: string[], reply: (pull: PullRequest) => Reply): Reply {
  return within(place, path, ({ pullRequests }) => {
    const pull = pullRequests.find(({ number }) => number === Number(path[2]));
    return pull === undefined ? like('issue-missing') : reply(pull);
  });
}

function seesMembers({ world, viewer }: Place, of: Account): boolean {
  return viewer !== undefined && world.canSeeMembers(viewer, of);
}
