import type { Account, Issue, PullRequest, Repository } from '../world/model.ts';
import { isMemberOf, isPartShown, isVisible, type Reply, type ResponseContext, type Shape } from './responses.ts';
import { issue, mergeRequest } from './threads.ts';

/** Lists as GitLab filters, orders and pages them. */

export const ok = (body: unknown, headers: Record<string, string> = {}): Reply => ({ status: 200, body, headers });

interface ListReply {
  item: Issue | PullRequest;
  shape: Shape;
}

/**
 * Returns the issues of a project. Confidential ones are for members. Each word of a search must occur in the title, in
 * upper or lower case.
 */
export function issuesIn(context: ResponseContext, repository: Repository): ListReply[] {
  const confidential = context.query.get('confidential');
  const words = (context.query.get('search') ?? '').toLowerCase().split(/\s+/);
  const isSearched = ({ title }: Issue): boolean => words.every((word) => title.toLowerCase().includes(word));
  return repository.issues
    .filter(isSearched)
    .filter(({ id }) => !context.hidden.issues.has(id) || (isMemberOf(context, repository) && confidential !== 'false'))
    .map((item) => ({ item, shape: issue(context, repository, item) }));
}

export function everywhere(context: ResponseContext, itemsIn: (repository: Repository) => ListReply[]): Shape[] {
  const { world, query } = context;
  const state = query.get('state') ?? 'all';
  return world.repositories
    .filter((repository) => isVisible(context, repository))
    .flatMap(itemsIn)
    .filter(
      ({ item, shape }) => item.authorId === Number(query.get('author_id')) && [shape['state'], 'all'].includes(state),
    )
    .map(({ shape }) => shape);
}

export function mergeRequestsIn(context: ResponseContext, repository: Repository): ListReply[] {
  return repository.pullRequests.map((pullRequest) => ({
    item: pullRequest,
    shape: mergeRequest(context, repository, pullRequest),
  }));
}

/** Returns the items in a group and its subgroups. */
export function ofGroup(
  context: ResponseContext,
  group: Account,
  itemsIn: (context: ResponseContext, repository: Repository) => ListReply[],
): Reply {
  const { world } = context;
  const isWithin = ({ ownerId }: Repository): boolean =>
    `${world.accountById(ownerId)?.login ?? ''}/`.startsWith(`${group.login}/`);
  const part = itemsIn === issuesIn ? 'issues' : 'merge_requests';
  const visible = world.repositories.filter(
    (repository) => isWithin(repository) && isVisible(context, repository) && isPartShown(context, repository, part),
  );
  return inTime(
    context,
    visible.flatMap((project) => itemsIn(context, project)),
  );
}

/** Orders and filters a list by time, as the query says. */
export function inTime(context: ResponseContext, all: readonly ListReply[]): Reply {
  const { query } = context;
  const state = query.get('state') ?? 'all';
  const by = query.get('order_by') === 'updated_at' ? 'updatedAt' : 'createdAt';
  const bound = (name: string): number => Date.parse(query.get(name) ?? '');
  const isWithin = ({ item }: ListReply): boolean =>
    !(item.createdAt.getTime() < bound('created_after')) &&
    !(item.updatedAt.getTime() < bound('updated_after')) &&
    !(item.updatedAt.getTime() > bound('updated_before'));
  const ordered = all
    .filter((entry) => isWithin(entry) && [entry.shape['state'], 'all'].includes(state))
    .toSorted((left, right) => left.item[by].getTime() - right.item[by].getTime() || left.item.id - right.item.id);
  const shapes = ordered.map((entry) => entry.shape);
  return paged(context, query.get('sort') === 'asc' ? shapes : shapes.toReversed());
}

/** Returns a page of a list. GitLab cuts pages to its maximum silently, and counts null entries but leaves them out. */
export function paged({ query, maxPerPage, totalsUpTo, url }: ResponseContext, all: readonly (Shape | null)[]): Reply {
  const size = Math.min(Number(query.get('per_page') ?? 20), maxPerPage);
  const page = Number(query.get('page') ?? 1);
  const last = Math.max(1, Math.ceil(all.length / size));
  const link = (rel: string, number: number): string => {
    const parameters = new URLSearchParams(query);
    parameters.set('page', String(number));
    return `<${url}/api/v4/somewhere?${parameters.toString()}>; rel="${rel}"`;
  };
  const isCounted = all.length <= totalsUpTo;
  const links = [
    ...(page > 1 ? [link('prev', page - 1)] : []),
    ...(page < last ? [link('next', page + 1)] : []),
    link('first', 1),
    ...(isCounted ? [link('last', last)] : []),
  ];
  return ok(
    all.slice((page - 1) * size, page * size).filter((shape) => shape !== null),
    {
      link: links.join(', '),
      'x-next-page': page < last ? String(page + 1) : '',
      'x-page': String(page),
      'x-per-page': String(size),
      ...(isCounted && { 'x-total': String(all.length), 'x-total-pages': String(last) }),
    },
  );
}
