import { createHash } from 'node:crypto';
import { gitId } from '../git/git-id.ts';
import { addComment } from '../world/comments.ts';
import type { Account, Issue, PullRequest, Reactable, Repository } from '../world/model.ts';
import type { Described, EndpointName } from './interface.ts';
import { everywhere, inTime, issuesIn, mergeRequestsIn, ofGroup, ok, paged } from './lists.ts';
import { membersOfTeam } from './members.ts';
import {
  commit,
  diff,
  group,
  isMemberOf,
  isPartShown,
  isVisible,
  type Place,
  profile,
  project,
  type Reply,
  type Shape,
  starrer,
  time,
  user,
} from './responses.ts';
import { award, issue, mergeRequest, notes } from './threads.ts';

type Route = (place: Place, parameters: string[]) => Reply;

const refusal = (status: number, message: string): Reply => ({ status, body: { message } });
const unauthorized = refusal(401, '401 Unauthorized');
const notFound = (what: string): Reply => refusal(404, `404 ${what} Not Found`);

/** Wraps a route that GitLab refuses to callers who are not signed in. */
const forSignedIn =
  (route: Route): Route =>
  (place, parameters) =>
    place.viewer?.accountId === null ? unauthorized : route(place, parameters);

/** Returns the response of the simulated GitLab to a request. */
export function respond(place: Place, { name, parameters, writtenBody }: Described): Reply {
  if (place.viewer === undefined) return unauthorized;
  return writtenBody === undefined ? routes[name](place, parameters) : say(place, parameters, writtenBody.body);
}

/** Adds a note to an issue. Signed-in callers who see an issue may comment on it. */
function say(place: Place, path: string[], body: string): Reply {
  if (place.viewer?.accountId === null) return unauthorized;
  return withIssue(place, path, (shown, issue) => {
    const { id } = addComment(place.world, issue, { author: bearer(place), body });
    return { status: 201, body: notes(place, shown, issue).find((note) => note['id'] === id) };
  });
}

const routes: Readonly<Record<EndpointName, Route>> = {
  '/metadata': forSignedIn(() => ok({ version: '17.5.1-ee', revision: '0d6a9a2e8f5', enterprise: true })),
  '/user': forSignedIn((place) => ok(profile(place, bearer(place)))),
  '/personal_access_tokens/self': forSignedIn((place) => ok(personalToken(place))),
  '/users': (place) => {
    const found = userOf(place, place.query.get('username') ?? '');
    return paged(place, found === undefined ? [] : [user(place, found.id)]);
  },
  '/users/:id': forSignedIn((place, [id]) => {
    const found = place.world.accountById(Number(id));
    return found === undefined || found.type === 'Organization' ? notFound('User') : ok(profile(place, found));
  }),
  '/users/:user_id/projects': (place, [id = '']) => {
    const found = userOf(place, id) ?? place.world.accountById(Number(id));
    return found === undefined ? notFound('User') : owned(place, found);
  },
  '/groups/:id': (place, [id = '']) => withGroup(place, id, (found) => ok(group(place, found))),
  '/groups/:id/projects': (place, [id = '']) =>
    withGroup(place, id, (found) => {
      // Without this parameter, GitLab includes the shared projects of other groups.
      if (place.query.get('with_shared') !== 'false') throw new Error('only what a group owns is simulated');
      return owned(place, found);
    }),
  '/groups/:id/issues': (place, [id = '']) => withGroup(place, id, (found) => ofGroup(place, found, issuesIn)),
  '/groups/:id/merge_requests': (place, [id = '']) =>
    withGroup(place, id, (found) => ofGroup(place, found, mergeRequestsIn)),
  '/groups/:id/members': forSignedIn((place, [id = '']) => membersOfTeam(place, id) ?? notFound('Group')),
  '/groups/:id/members/all/:user_id': forSignedIn((place, [id = '', userId]) =>
    withGroup(place, id, (found) => {
      const membership = inherited(place, found, Number(userId));
      if (membership === undefined) return notFound('Not');
      return ok({
        ...user(place, Number(userId)),
        access_level: membership.role === 'admin' ? 50 : 30,
        expires_at: null,
        created_at: time(found.createdAt),
        membership_state: membership.state === 'active' ? 'active' : 'awaiting',
      });
    }),
  ),
  '/issues': (place) =>
    paged(
      place,
      everywhere(place, (shown) => (isPartShown(place, shown, 'issues') ? issuesIn(place, shown) : [])),
    ),
  '/merge_requests': (place) =>
    paged(
      place,
      everywhere(place, (shown) => (isPartShown(place, shown, 'merge_requests') ? mergeRequestsIn(place, shown) : [])),
    ),
  '/projects/:id': (place, path) => within(place, path, (shown) => ok(project(place, shown))),
  '/projects/:id/issues': (place, path) =>
    within(place, path, (shown) => {
      if (!isPartShown(place, shown, 'issues')) return paged(place, []);
      return inTime(place, issuesIn(place, shown));
    }),
  '/projects/:id/issues/:iid': (place, path) =>
    withIssue(place, path, (shown, found) => ok(issue(place, shown, found))),
  '/projects/:id/merge_requests': (place, path) =>
    within(place, path, (shown) => {
      if (!isPartShown(place, shown, 'merge_requests')) return refusal(403, '403 Forbidden');
      return inTime(place, mergeRequestsIn(place, shown));
    }),
  '/projects/:id/issues/:iid/closed_by': (place, path) =>
    withIssue(place, path, (shown, { closings }) => {
      const { closer = null } = closings.at(-1) ?? {};
      const by = closer !== null && 'pullRequestId' in closer ? closer.pullRequestId : undefined;
      return paged(
        place,
        shown.pullRequests.filter(({ id }) => id === by).map((one) => mergeRequest(place, shown, one)),
      );
    }),
  '/projects/:id/issues/:iid/notes': forSignedIn((place, path) =>
    withIssue(place, path, (shown, found) => paged(place, readable(place, shown, notes(place, shown, found)))),
  ),
  '/projects/:id/merge_requests/:iid/notes': forSignedIn((place, path) =>
    withMergeRequest(place, path, (shown, found) => paged(place, readable(place, shown, notes(place, shown, found)))),
  ),
  '/projects/:id/issues/:iid/award_emoji': forSignedIn((place, path) =>
    withIssue(place, path, (_shown, found) => awards(place, found, 'Issue')),
  ),
  '/projects/:id/merge_requests/:iid/award_emoji': forSignedIn((place, path) =>
    withMergeRequest(place, path, (_shown, found) => awards(place, found, 'MergeRequest')),
  ),
  '/projects/:id/issues/:iid/notes/:note_id/award_emoji': forSignedIn((place, path) =>
    withIssue(place, path, (_shown, { comments }) => awardsOfNote(place, comments, path)),
  ),
  '/projects/:id/merge_requests/:iid/notes/:note_id/award_emoji': forSignedIn((place, path) =>
    withMergeRequest(place, path, (_shown, { comments, reviewComments }) =>
      awardsOfNote(place, [...comments, ...reviewComments], path),
    ),
  ),
  '/projects/:id/merge_requests/:iid/diffs': (place, path) =>
    withMergeRequest(place, path, (_shown, { files }) =>
      // GitLab before 17.11 fails for larger pages.
      Number(place.query.get('per_page') ?? 20) > 30
        ? refusal(500, '500 Internal Server Error')
        : paged(place, files.map(diff)),
    ),
  '/projects/:id/starrers': (place, path) =>
    within(place, path, (shown) => {
      const shownStars = place.world.starsOf(shown).filter(({ accountId }) => !place.hidden.profiles.has(accountId));
      return paged(
        place,
        shownStars.map((one) => starrer(place, one)),
      );
    }),
  '/projects/:id/repository/commits/:sha': (place, path) =>
    withRepository(place, path, ({ commits }) => {
      const found = commits.find(({ oid }) => oid === path[1]);
      return found === undefined ? notFound('Commit') : ok(commit(found));
    }),
  '/projects/:id/repository/commits/:sha/diff': (place, path) =>
    withRepository(place, path, ({ commits }) => {
      const found = commits.find(({ oid }) => oid === path[1]);
      if (found === undefined) return notFound('Commit');
      return paged(
        place,
        [...found.changes.keys()].map((changed) => diff({ path: changed })),
      );
    }),
  '/projects/:id/repository/branches/:branch': (place, path) =>
    withRepository(place, path, ({ defaultBranch, commits }) => {
      const newest = commits.at(-1);
      if (defaultBranch !== path[1] || newest === undefined) return notFound('Branch');
      return ok({ name: defaultBranch, default: true, commit: { id: newest.oid, title: newest.message } });
    }),
  '/projects/:id/repository/files/:path': (place, path) =>
    withRepository(place, path, ({ files, commits }) => {
      const [, file = ''] = path;
      const text = files.get(file);
      const ref = place.query.get('ref');
      if (ref !== commits.at(-1)?.oid) throw new Error('files are simulated at the newest commit only');
      if (text === undefined) return notFound('File');
      const content = Buffer.from(text);
      return ok({
        file_name: file.split('/').at(-1),
        file_path: file,
        size: content.length,
        encoding: 'base64',
        content: content.toString('base64'),
        ref,
        blob_id: gitId('blob', content),
        commit_id: createHash('sha1').update(ref).digest('hex'),
      });
    }),
};

function personalToken(place: Place): Shape {
  const { scopes, lastDay } = place.token;
  const at = time(bearer(place).createdAt);
  const state = { active: true, revoked: false, created_at: at, last_used_at: at, expires_at: lastDay };
  return { id: 1, name: 'plaudit', user_id: bearer(place).id, scopes, ...state };
}

function bearer({ world, viewer }: Place): Account {
  const account = world.accountById(viewer?.accountId ?? 0);
  if (account === undefined) throw new Error('the bearer of the token is gone');
  return account;
}

function userOf({ world }: Place, username: string): Account | undefined {
  const found = world.accountByLogin(username);
  return found?.type === 'Organization' ? undefined : found;
}

function withGroup(place: Place, id: string, reply: (found: Account) => Reply): Reply {
  const found = place.world.accountByLogin(id) ?? place.world.accountById(Number(id));
  if (found?.type !== 'Organization') return notFound('Group');
  const isMember = place.world.membership(found.id, place.viewer?.accountId ?? 0)?.state === 'active';
  return place.hidden.groups.get(found.id) === 'private' && !isMember ? notFound('Group') : reply(found);
}

/** Finds a membership in a group or in one above it: members of a group are members of its subgroups. */
function inherited({ world }: Place, { login }: Account, userId: number) {
  const parts = login.split('/');
  const above = parts.map((_, index) => world.accountByLogin(parts.slice(0, index + 1).join('/'))?.id ?? 0);
  const memberships = above.map((id) => world.membership(id, userId)).filter((one) => one !== undefined);
  return memberships.find(({ role }) => role === 'admin') ?? memberships.at(-1);
}

/** Finds a project by its id or its path, and redirects from a former path. */
function within(place: Place, [id = '']: string[], reply: (shown: Repository) => Reply): Reply {
  const cut = id.lastIndexOf('/');
  const { world } = place;
  const found = cut < 0 ? world.repositoryById(Number(id)) : world.repository(id.slice(0, cut), id.slice(cut + 1));
  const moved = cut < 0 ? undefined : world.formerly(id.slice(0, cut), id.slice(cut + 1));
  // GitLab redirects only callers who see the project: gitlabhq/gitlabhq, lib/api/helpers.rb, `find_project!`.
  if (moved !== undefined && isVisible(place, moved)) {
    return { status: 301, body: '', headers: { location: `${place.url}/api/v4/projects/${moved.id}` } };
  }
  return found !== undefined && isVisible(place, found) ? reply(found) : notFound('Project');
}

function withRepository(place: Place, path: string[], reply: (shown: Repository) => Reply): Reply {
  return within(place, path, (shown) =>
    isPartShown(place, shown, 'repository') ? reply(shown) : refusal(403, '403 Forbidden'),
  );
}

function withIssue(place: Place, path: string[], reply: (shown: Repository, found: Issue) => Reply): Reply {
  return within(place, path, (shown) => {
    const found = isPartShown(place, shown, 'issues')
      ? shown.issues.find(({ number }) => number === Number(path[1]))
      : undefined;
    return found === undefined ? notFound('Issue') : reply(shown, found);
  });
}

function withMergeRequest(
  place: Place,
  path: string[],
  reply: (shown: Repository, found: PullRequest) => Reply,
): Reply {
  return within(place, path, (shown) => {
    const found = isPartShown(place, shown, 'merge_requests')
      ? shown.pullRequests.find(({ number }) => number === Number(path[1]))
      : undefined;
    return found === undefined ? notFound('Merge request') : reply(shown, found);
  });
}

/** Returns notes, newest first by default. GitLab leaves internal notes out for non-members after cutting a page. */
function readable(place: Place, shown: Repository, all: readonly Shape[]): (Shape | null)[] {
  const inOrder = place.query.get('sort') === 'asc' ? all : all.toReversed();
  return inOrder.map((note) => (note['internal'] === true && !isMemberOf(place, shown) ? null : note));
}

const awards = (
  place: Place,
  { id, reactions }: Reactable & { id: number },
  type: 'Issue' | 'MergeRequest' | 'Note',
): Reply =>
  paged(
    place,
    reactions.map((one) => award(place, one, { id, type })),
  );

function awardsOfNote(place: Place, all: readonly (Reactable & { id: number })[], path: string[]): Reply {
  const found = all.find(({ id }) => id === Number(path[2]));
  return found === undefined ? notFound('Note') : awards(place, found, 'Note');
}

function owned(place: Place, account: Account): Reply {
  const shown = place.world.owned(account).filter((one) => isVisible(place, one));
  const projects = shown.toSorted((one, other) => one.id - other.id).map((one) => project(place, one));
  return paged(place, projects);
}
