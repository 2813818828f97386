import type { Issue, PullRequest, Repository } from '../world/model.ts';
import { comment, item, type Reply, type ResponseContext } from './responses.ts';

/** Lists as Gitea filters, orders and pages them. */

export const ok = (body: unknown, headers: Record<string, string> = {}): Reply => ({ status: 200, body, headers });

export function toPath({ world }: ResponseContext, { ownerId, name }: Repository): string {
  return `/${world.accountById(ownerId)?.login ?? ''}/${name}`;
}

/** Returns issues or pull requests, ordered by creation, newest first. */
export function items(context: ResponseContext, { issues, pullRequests }: Repository): Reply {
  const { query } = context;
  const state = query.get('state');
  if (state !== 'all' && state !== 'open') throw new Error(`${state} issues are not simulated`);
  const type = query.get('type');
  const all: (Issue | PullRequest)[] = [
    ...(type === 'pulls' ? [] : issues),
    ...(type === 'issues' ? [] : pullRequests),
  ];
  const selected = all
    .filter((thread) => isWithin(query, thread) && (state === 'all' || thread.closedAt === null))
    .toSorted((left, right) => right.createdAt.getTime() - left.createdAt.getTime() || right.id - left.id);
  return paged(
    context,
    selected.map((thread) => item(context, thread)),
    { hasLinks: true },
  );
}

/** Returns the issues and pull requests in all repositories of an owner that the viewer sees, newest first. */
export function search(context: ResponseContext): Reply {
  const { query, world, viewer } = context;
  if (query.get('state') !== 'all' || query.has('type')) throw new Error('only a search for everything is simulated');
  const owner = world.accountByLogin(query.get('owner') ?? '');
  if (owner === undefined) return { status: 400, body: { message: 'user does not exist' } };
  const visible = world.owned(owner).filter((repository) => viewer !== undefined && world.canSee(viewer, repository));
  const found = visible
    .flatMap((repository) =>
      [...repository.issues, ...repository.pullRequests].map((thread) => ({
        source: thread,
        id: repository.id,
        name: repository.name,
      })),
    )
    .filter(({ source: thread }) => isWithin(query, thread))
    .toSorted((left, right) => right.source.createdAt.getTime() - left.source.createdAt.getTime());
  const results = found.map(({ source: thread, id, name }) =>
    Object.assign(item(context, thread), {
      repository: { id, name, owner: owner.login, full_name: `${owner.login}/${name}` },
    }),
  );
  return paged(context, results, {});
}

/** Returns the comments of a repository, oldest first. */
export function comments(context: ResponseContext, repository: Repository): Reply {
  const selected = commented(repository)
    .filter(({ source }) => isWithin(context.query, source))
    .toSorted(
      (left, right) =>
        left.source.createdAt.getTime() - right.source.createdAt.getTime() || left.source.id - right.source.id,
    );
  return paged(
    context,
    selected.map(({ source, below }) => comment(context, source, below, toPath(context, repository))),
    {},
  );
}

export function commented({ issues, pullRequests }: Repository) {
  return [...issues, ...pullRequests].flatMap((below) => below.comments.map((source) => ({ source, below })));
}

export function isWithin(query: URLSearchParams, { updatedAt }: { updatedAt: Date }): boolean {
  const [since, before] = [query.get('since'), query.get('before')];
  return (since === null || updatedAt >= new Date(since)) && (before === null || updatedAt <= new Date(before));
}

/** Returns a page of a list. Gitea cuts pages to its maximum silently, and only some lists have links. */
export function paged(
  { query, maxPerPage, url }: ResponseContext,
  all: readonly unknown[],
  { hasLinks = false }: { hasLinks?: boolean },
): Reply {
  const size = Math.min(Number(query.get('limit') ?? 30), maxPerPage);
  const page = Number(query.get('page') ?? 1);
  const last = Math.max(1, Math.ceil(all.length / size));
  const links = [
    ...(page < last ? [link(url, query, page + 1, 'next'), link(url, query, last, 'last')] : []),
    ...(page > 1 ? [link(url, query, 1, 'first'), link(url, query, page - 1, 'prev')] : []),
  ];
  return ok(all.slice((page - 1) * size, page * size), {
    'x-total-count': String(all.length),
    ...(hasLinks && links.length > 0 && { link: links.join(',') }),
  });
}

function link(url: string, query: URLSearchParams, page: number, rel: string): string {
  const parameters = new URLSearchParams(query);
  parameters.set('page', String(page));
  return `<${url}/api/v1/somewhere?${parameters.toString()}>; rel="${rel}"`;
}
