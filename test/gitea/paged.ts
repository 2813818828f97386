import type { Place, Reply } from './answers.ts';

export const ok = (body: unknown, headers: Record<string, string> = {}): Reply => ({ status: 200, body, headers });

/** Cuts silently; only some lists have links. */
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
