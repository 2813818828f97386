import type { Account, Issue, PullRequest, Repository } from '../world/model.ts';
import { isMemberOf, isPartShown, isVisible, type Place, type Reply, type Shape } from './responses.ts';
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
export function issuesIn(place: Place, shown: Repository): ListReply[] {
  const wanted = place.query.get('confidential');
  const words = (place.query.get('search') ?? '').toLowerCase().split(/\s+/);
  const isSearched = ({ title }: Issue): boolean => words.every((word) => title.toLowerCase().includes(word));
  return shown.issues
    .filter(isSearched)
    .filter(({ id }) => !place.hidden.issues.has(id) || (isMemberOf(place, shown) && wanted !== 'false'))
    .map((one) => ({ item: one, shape: issue(place, shown, one) }));
}

export function everywhere(place: Place, itemsIn: (shown: Repository) => ListReply[]): Shape[] {
  const { world, query } = place;
  const state = query.get('state') ?? 'all';
  return world.repositories
    .filter((shown) => isVisible(place, shown))
    .flatMap(itemsIn)
    .filter(
      ({ item, shape }) => item.authorId === Number(query.get('author_id')) && [shape['state'], 'all'].includes(state),
    )
    .map(({ shape }) => shape);
}

export function mergeRequestsIn(place: Place, shown: Repository): ListReply[] {
  return shown.pullRequests.map((one) => ({ item: one, shape: mergeRequest(place, shown, one) }));
}

/** Returns the items in a group and its subgroups. */
export function ofGroup(
  place: Place,
  group: Account,
  itemsIn: (place: Place, shown: Repository) => ListReply[],
): Reply {
  const { world } = place;
  const isWithin = ({ ownerId }: Repository): boolean =>
    `${world.accountById(ownerId)?.login ?? ''}/`.startsWith(`${group.login}/`);
  const part = itemsIn === issuesIn ? 'issues' : 'merge_requests';
  const shown = world.repositories.filter(
    (one) => isWithin(one) && isVisible(place, one) && isPartShown(place, one, part),
  );
  return inTime(
    place,
    shown.flatMap((one) => itemsIn(place, one)),
  );
}

/** Orders and filters a list by time, as the query says. */
export function inTime(place: Place, all: readonly ListReply[]): Reply {
  const { query } = place;
  const state = query.get('state') ?? 'all';
  const by = query.get('order_by') === 'updated_at' ? 'updatedAt' : 'createdAt';
  const bound = (name: string): number => Date.parse(query.get(name) ?? '');
  const isWithin = ({ item }: ListReply): boolean =>
    !(item.createdAt.getTime() < bound('created_after')) &&
    !(item.updatedAt.getTime() < bound('updated_after')) &&
    !(item.updatedAt.getTime() > bound('updated_before'));
  const ordered = all
    .filter((one) => isWithin(one) && [one.shape['state'], 'all'].includes(state))
    .toSorted((one, other) => one.item[by].getTime() - other.item[by].getTime() || one.item.id - other.item.id);
  const shapes = ordered.map((one) => one.shape);
  return paged(place, query.get('sort') === 'asc' ? shapes : shapes.toReversed());
}

/** Returns a page of a list. GitLab cuts pages to its maximum silently, and counts null entries but leaves them out. */
export function paged({ query, maxPerPage, totalsUpTo, url }: Place, all: readonly (Shape | null)[]): Reply {
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
    all.slice((page - 1) * size, page * size).filter((one) => one !== null),
    {
      link: links.join(', '),
      'x-next-page': page < last ? String(page + 1) : '',
      'x-page': String(page),
      'x-per-page': String(size),
      ...(isCounted && { 'x-total': String(all.length), 'x-total-pages': String(last) }),
    },
  );
}
