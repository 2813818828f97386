import type { Account, Issue, PullRequest, Repository } from '../world/model.ts';
import { isPartShown, isVisible, type Reply, type ResponseContext } from './responses.ts';

/** Finds the subject of a request, and refuses requests about subjects that the caller does not see. */

export const refusal = (status: number, message: string): Reply => ({ status, body: { message } });
export const unauthorized = refusal(401, '401 Unauthorized');
export const notFound = (kind: string): Reply => refusal(404, `404 ${kind} Not Found`);

export function withGroup(context: ResponseContext, id: string, reply: (found: Account) => Reply): Reply {
  const found = context.world.accountByLogin(id) ?? context.world.accountById(Number(id));
  if (found?.type !== 'Organization') return notFound('Group');
  const isMember = context.world.membership(found.id, context.viewer?.accountId ?? 0)?.state === 'active';
  return context.hidden.groups.get(found.id) === 'private' && !isMember ? notFound('Group') : reply(found);
}

/** Finds a membership in a group or in one above it: members of a group are members of its subgroups. */
export function findMembership({ world }: ResponseContext, { login }: Account, userId: number) {
  const parts = login.split('/');
  const above = parts.map((_, index) => world.accountByLogin(parts.slice(0, index + 1).join('/'))?.id ?? 0);
  const memberships = above.map((id) => world.membership(id, userId)).filter((membership) => membership !== undefined);
  return memberships.find(({ role }) => role === 'admin') ?? memberships.at(-1);
}

/** Finds a project by its id or its path, and redirects from a former path. */
export function within(context: ResponseContext, [id = '']: string[], reply: (repository: Repository) => Reply): Reply {
  const cut = id.lastIndexOf('/');
  const { world } = context;
  const found = cut < 0 ? world.repositoryById(Number(id)) : world.repository(id.slice(0, cut), id.slice(cut + 1));
  const moved = cut < 0 ? undefined : world.repositoryByFormerName(id.slice(0, cut), id.slice(cut + 1));
  // GitLab redirects only callers who see the project: gitlabhq/gitlabhq, lib/api/helpers.rb, `find_project!`.
  if (moved !== undefined && isVisible(context, moved)) {
    return { status: 301, body: '', headers: { location: `${context.url}/api/v4/projects/${moved.id}` } };
  }
  return found !== undefined && isVisible(context, found) ? reply(found) : notFound('Project');
}

export function withRepository(
  context: ResponseContext,
  path: string[],
  reply: (repository: Repository) => Reply,
): Reply {
  return within(context, path, (repository) =>
    isPartShown(context, repository, 'repository') ? reply(repository) : refusal(403, '403 Forbidden'),
  );
}

export function withIssue(
  context: ResponseContext,
  path: string[],
  reply: (repository: Repository, found: Issue) => Reply,
): Reply {
  return within(context, path, (repository) => {
    const found = isPartShown(context, repository, 'issues')
      ? repository.issues.find(({ number }) => number === Number(path[1]))
      : undefined;
    return found === undefined ? notFound('Issue') : reply(repository, found);
  });
}

export function withMergeRequest(
  context: ResponseContext,
  path: string[],
  reply: (repository: Repository, found: PullRequest) => Reply,
): Reply {
  return within(context, path, (repository) => {
    const found = isPartShown(context, repository, 'merge_requests')
      ? repository.pullRequests.find(({ number }) => number === Number(path[1]))
      : undefined;
    return found === undefined ? notFound('Merge request') : reply(repository, found);
  });
}
