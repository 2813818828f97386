import type { Issue, PullRequest, Repository } from '../world/model.ts';
import { comment, item, type Place, type Reply } from './responses.ts';

/** Lists as Gitea filters, orders and pages them. */

export const ok = (body: unknown, headers: Record<string, string> = {}): Reply => ({ status: 200, body, headers });

export function pathOf({ world }: Place, { ownerId, name }: Repository): string {
  return `/${world.accountById(ownerId)?.login ?? ''}/${name}`;
}

/** Returns issues or pull requests, ordered by creation, newest first. */
export function items(place: Place, { issues, pullRequests }: Repository): Reply {
  const { query } = place;
  const state = query.get('state');
  if (state !== 'all' && state !== 'open') throw new Error(`${state} issues are not simulated`);
  const type = query.get('type');
  const all: (Issue | PullRequest)[] = [
    ...(type === 'pulls' ? [] : issues),
    ...(type === 'issues' ? [] : pullRequests),
  ];
  const wanted = all
    .filter((one) => isWithin(query, one) && (state === 'all' || one.closedAt === null))
    .toSorted((one, other) => other.createdAt.getTime() - one.createdAt.getTime() || other.id - one.id);
  return paged(
    place,
    wanted.map((one) => item(place, one)),
    { hasLinks: true },
  );
}

/** Returns the issues and pull requests in all repositories of an owner that the viewer sees, newest first. */
export function search(place: Place): Reply {
  const { query, world, viewer } = place;
  if (query.get('state') !== 'all' || query.has('type')) throw new Error('only a search for everything is simulated');
  const owner = world.accountByLogin(query.get('owner') ?? '');
  if (owner === undefined) return { status: 400, body: { message: 'user does not exist' } };
  const shown = world.owned(owner).filter((one) => viewer !== undefined && world.canSee(viewer, one));
  const found = shown
    .flatMap((one) =>
      [...one.issues, ...one.pullRequests].map((thread) => ({ source: thread, id: one.id, name: one.name })),
    )
    .filter(({ source: thread }) => isWithin(query, thread))
    .toSorted((one, other) => other.source.createdAt.getTime() - one.source.createdAt.getTime());
  const results = found.map(({ source: thread, id, name }) =>
    Object.assign(item(place, thread), {
      repository: { id, name, owner: owner.login, full_name: `${owner.login}/${name}` },
    }),
  );
  return paged(place, results, {});
}

/** Returns the comments of a repository, oldest first. */
export function comments(place: Place, shown: Repository): Reply {
  const wanted = commented(shown)
    .filter(({ source }) => isWithin(place.query, source))
    .toSorted(
      (one, other) =>
        one.source.createdAt.getTime() - other.source.createdAt.getTime() || one.source.id - other.source.id,
    );
  return paged(
    place,
    wanted.map(({ source, below }) => comment(place, source, below, pathOf(place, shown))),
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
  { query, maxPerPage, url }: Place,
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
