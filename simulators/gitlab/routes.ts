import { createHash } from 'node:crypto';
import { gitId } from '../git/git-id.ts';
import { addComment } from '../world/comments.ts';
import type { Account, Reactable, Repository } from '../world/model.ts';
import {
  findMembership,
  notFound,
  refusal,
  unauthorized,
  withGroup,
  withIssue,
  within,
  withMergeRequest,
  withRepository,
} from './find.ts';
import type { Described, EndpointName } from './interface.ts';
import { everywhere, inTime, issuesIn, mergeRequestsIn, ofGroup, ok, paged } from './lists.ts';
import { membersOfTeam, toMember } from './members.ts';
import {
  commit,
  diff,
  group,
  isMemberOf,
  isPartShown,
  isVisible,
  profile,
  project,
  type Reply,
  type ResponseContext,
  type Shape,
  starrer,
  time,
  user,
} from './responses.ts';
import { award, issue, mergeRequest, notes } from './threads.ts';

type Route = (context: ResponseContext, parameters: string[]) => Reply;

/** Wraps a route that GitLab refuses to callers who are not signed in. */
const forSignedIn =
  (route: Route): Route =>
  (context, parameters) =>
    context.viewer?.accountId === null ? unauthorized : route(context, parameters);

/** Returns the response of the simulated GitLab to a request. */
export function respond(context: ResponseContext, { name, parameters, writtenBody }: Described): Reply {
  if (context.viewer === undefined) return unauthorized;
  return writtenBody === undefined ? routes[name](context, parameters) : addNote(context, parameters, writtenBody.body);
}

/** Adds a note to an issue. Signed-in callers who see an issue may comment on it. */
function addNote(context: ResponseContext, path: string[], body: string): Reply {
  if (context.viewer?.accountId === null) return unauthorized;
  return withIssue(context, path, (repository, issue) => {
    const { id } = addComment(context.world, issue, { author: bearer(context), body });
    return { status: 201, body: notes(context, repository, issue).find((note) => note['id'] === id) };
  });
}

const routes: Readonly<Record<EndpointName, Route>> = {
  '/metadata': forSignedIn(() => ok({ version: '17.5.1-ee', revision: '0d6a9a2e8f5', enterprise: true })),
  '/user': forSignedIn((context) => ok(profile(context, bearer(context)))),
  '/personal_access_tokens/self': forSignedIn((context) => ok(personalToken(context))),
  '/users': (context) => {
    const found = findUser(context, context.query.get('username') ?? '');
    return paged(context, found === undefined ? [] : [user(context, found.id)]);
  },
  '/users/:id': forSignedIn((context, [id]) => {
    const found = context.world.accountById(Number(id));
    return found === undefined || found.type === 'Organization' ? notFound('User') : ok(profile(context, found));
  }),
  '/users/:user_id/projects': (context, [id = '']) => {
    const found = findUser(context, id) ?? context.world.accountById(Number(id));
    return found === undefined ? notFound('User') : owned(context, found);
  },
  '/groups/:id': (context, [id = '']) => withGroup(context, id, (found) => ok(group(context, found))),
  '/groups/:id/projects': (context, [id = '']) =>
    withGroup(context, id, (found) => {
      // Without this parameter, GitLab includes the shared projects of other groups.
      if (context.query.get('with_shared') !== 'false') throw new Error('only what a group owns is simulated');
      return owned(context, found);
    }),
  '/groups/:id/issues': (context, [id = '']) => withGroup(context, id, (found) => ofGroup(context, found, issuesIn)),
  '/groups/:id/merge_requests': (context, [id = '']) =>
    withGroup(context, id, (found) => ofGroup(context, found, mergeRequestsIn)),
  '/groups/:id/members': forSignedIn((context, [id = '']) => membersOfTeam(context, id) ?? notFound('Group')),
  '/groups/:id/members/all/:user_id': forSignedIn((context, [id = '', userId]) =>
    withGroup(context, id, (found) => {
      const membership = findMembership(context, found, Number(userId));
      if (membership === undefined) return notFound('Not');
      return ok({
        ...user(context, Number(userId)),
        access_level: membership.role === 'admin' ? 50 : 30,
        expires_at: null,
        created_at: time(found.createdAt),
        membership_state: membership.state === 'active' ? 'active' : 'awaiting',
      });
    }),
  ),
  '/projects/:id/members/all/:user_id': forSignedIn((context, [id = '', userId]) =>
    within(context, [id], (repository) => {
      const member = context.world.accountById(Number(userId));
      const { visibility: _any, ...closed } = repository;
      const isMember =
        member !== undefined &&
        context.world.canSee({ accountId: member.id, seesPrivate: true }, { ...closed, visibility: 'private' });
      return isMember ? ok(toMember(context, member)) : notFound('Not');
    }),
  ),
  '/issues': (context) =>
    paged(
      context,
      everywhere(context, (repository) =>
        isPartShown(context, repository, 'issues') ? issuesIn(context, repository) : [],
      ),
    ),
  '/merge_requests': (context) =>
    paged(
      context,
      everywhere(context, (repository) =>
        isPartShown(context, repository, 'merge_requests') ? mergeRequestsIn(context, repository) : [],
      ),
    ),
  '/projects/:id': (context, path) => within(context, path, (repository) => ok(project(context, repository))),
  '/projects/:id/issues': (context, path) =>
    within(context, path, (repository) => {
      if (!isPartShown(context, repository, 'issues')) return paged(context, []);
      return inTime(context, issuesIn(context, repository));
    }),
  '/projects/:id/issues/:iid': (context, path) =>
    withIssue(context, path, (repository, found) => ok(issue(context, repository, found))),
  '/projects/:id/merge_requests': (context, path) =>
    within(context, path, (repository) => {
      if (!isPartShown(context, repository, 'merge_requests')) return refusal(403, '403 Forbidden');
      return inTime(context, mergeRequestsIn(context, repository));
    }),
  '/projects/:id/issues/:iid/closed_by': (context, path) =>
    withIssue(context, path, (repository, { closings }) => {
      const { closer = null } = closings.at(-1) ?? {};
      const by = closer !== null && 'pullRequestId' in closer ? closer.pullRequestId : undefined;
      return paged(
        context,
        repository.pullRequests
          .filter(({ id }) => id === by)
          .map((pullRequest) => mergeRequest(context, repository, pullRequest)),
      );
    }),
  '/projects/:id/issues/:iid/notes': forSignedIn((context, path) =>
    withIssue(context, path, (repository, found) =>
      paged(context, readable(context, repository, notes(context, repository, found))),
    ),
  ),
  '/projects/:id/merge_requests/:iid/notes': forSignedIn((context, path) =>
    withMergeRequest(context, path, (repository, found) =>
      paged(context, readable(context, repository, notes(context, repository, found))),
    ),
  ),
  '/projects/:id/issues/:iid/award_emoji': forSignedIn((context, path) =>
    withIssue(context, path, (_repository, found) => awards(context, found, 'Issue')),
  ),
  '/projects/:id/merge_requests/:iid/award_emoji': forSignedIn((context, path) =>
    withMergeRequest(context, path, (_repository, found) => awards(context, found, 'MergeRequest')),
  ),
  '/projects/:id/issues/:iid/notes/:note_id/award_emoji': forSignedIn((context, path) =>
    withIssue(context, path, (_repository, { comments }) => awardsOfNote(context, comments, path)),
  ),
  '/projects/:id/merge_requests/:iid/notes/:note_id/award_emoji': forSignedIn((context, path) =>
    withMergeRequest(context, path, (_repository, { comments, reviewComments }) =>
      awardsOfNote(context, [...comments, ...reviewComments], path),
    ),
  ),
  '/projects/:id/merge_requests/:iid/diffs': (context, path) =>
    withMergeRequest(context, path, (_repository, { files }) =>
      // GitLab before 17.11 fails for larger pages.
      Number(context.query.get('per_page') ?? 20) > 30
        ? refusal(500, '500 Internal Server Error')
        : paged(context, files.map(diff)),
    ),
  '/projects/:id/starrers': (context, path) =>
    within(context, path, (repository) => {
      const shownStars = context.world
        .starsOf(repository)
        .filter(({ accountId }) => !context.hidden.profiles.has(accountId));
      return paged(
        context,
        shownStars.map((star) => starrer(context, star)),
      );
    }),
  '/projects/:id/repository/commits/:sha': (context, path) =>
    withRepository(context, path, ({ commits }) => {
      const found = commits.find(({ oid }) => oid === path[1]);
      return found === undefined ? notFound('Commit') : ok(commit(found));
    }),
  '/projects/:id/repository/commits/:sha/diff': (context, path) =>
    withRepository(context, path, ({ commits }) => {
      const found = commits.find(({ oid }) => oid === path[1]);
      if (found === undefined) return notFound('Commit');
      return paged(
        context,
        [...found.changes.keys()].map((changed) => diff({ path: changed })),
      );
    }),
  '/projects/:id/repository/branches/:branch': (context, path) =>
    withRepository(context, path, ({ defaultBranch, commits }) => {
      const newest = commits.at(-1);
      if (defaultBranch !== path[1] || newest === undefined) return notFound('Branch');
      return ok({ name: defaultBranch, default: true, commit: { id: newest.oid, title: newest.message } });
    }),
  '/projects/:id/repository/files/:path': (context, path) =>
    withRepository(context, path, ({ files, commits }) => {
      const [, file = ''] = path;
      const text = files.get(file);
      const ref = context.query.get('ref');
      if (!commits.some(({ oid }) => oid === ref)) return notFound('Commit');
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

function personalToken(context: ResponseContext): Shape {
  const { scopes, lastDay } = context.token;
  const at = time(bearer(context).createdAt);
  const state = { active: true, revoked: false, created_at: at, last_used_at: at, expires_at: lastDay };
  return { id: 1, name: 'plaudit', user_id: bearer(context).id, scopes, ...state };
}

function bearer({ world, viewer }: ResponseContext): Account {
  const account = world.accountById(viewer?.accountId ?? 0);
  if (account === undefined) throw new Error('the bearer of the token does not exist');
  return account;
}

function findUser({ world }: ResponseContext, username: string): Account | undefined {
  const found = world.accountByLogin(username);
  return found?.type === 'Organization' ? undefined : found;
}

/** Returns notes, newest first by default. GitLab leaves internal notes out for non-members after cutting a page. */
function readable(context: ResponseContext, repository: Repository, all: readonly Shape[]): (Shape | null)[] {
  const inOrder = context.query.get('sort') === 'asc' ? all : all.toReversed();
  return inOrder.map((note) => (note['internal'] === true && !isMemberOf(context, repository) ? null : note));
}

const awards = (
  context: ResponseContext,
  { id, reactions }: Reactable & { id: number },
  type: 'Issue' | 'MergeRequest' | 'Note',
): Reply =>
  paged(
    context,
    reactions.map((reaction) => award(context, reaction, { id, type })),
  );

function awardsOfNote(context: ResponseContext, all: readonly (Reactable & { id: number })[], path: string[]): Reply {
  const found = all.find(({ id }) => id === Number(path[2]));
  return found === undefined ? notFound('Note') : awards(context, found, 'Note');
}

function owned(context: ResponseContext, account: Account): Reply {
  const visible = context.world.owned(account).filter((candidate) => isVisible(context, candidate));
  const projects = visible.toSorted((left, right) => left.id - right.id).map((entry) => project(context, entry));
  return paged(context, projects);
}
