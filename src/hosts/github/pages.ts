import type { CounterName } from '../../model/counters.ts';
import type { KnownRepository, RepositoryItem } from '../interface/provider.ts';

const itemPaths = { issue: 'issues', pull_request: 'pull', discussion: 'discussions' } as const;

/** Returns the URL of the page of a repository, or of one of its items. */
export function pageUrl(
  url: string,
  { owner, name }: Pick<KnownRepository, 'owner' | 'name'>,
  item: RepositoryItem | undefined,
): string {
  const page = `${url}/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
  if (item === undefined) return page;
  return item.kind === 'commit' ? `${page}/commit/${item.oid}` : `${page}/${itemPaths[item.kind]}/${item.number}`;
}

/**
 * The type and the terms of the search for each counter. https://docs.github.com/en/search-github/searching-on-github
 */
const searches: Partial<Record<CounterName, readonly [type: string, terms: string]>> = {
  commits: ['commits', 'author:'],
  issues: ['issues', 'is:issue author:'],
  pull_requests: ['pullrequests', 'is:pr author:'],
  reviews: ['pullrequests', 'is:pr reviewed-by:'],
  issues_closed: ['issues', 'is:issue is:closed author:'],
  pull_requests_merged: ['pullrequests', 'is:pr is:merged author:'],
  discussions: ['discussions', 'author:'],
  discussions_answered: ['discussions', 'is:answered answered-by:'],
};

/** Returns the URL of the page that searches for the items of a user's counter; undefined when there is none. */
export function searchUrl(url: string, login: string, counter: CounterName): string | undefined {
  const search = searches[counter];
  if (search === undefined) return undefined;
  return `${url}/search?${new URLSearchParams({ type: search[0], q: `${search[1]}${login}` }).toString()}`;
}
