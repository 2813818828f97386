import { toDate } from '../interface/collector.ts';
import type { Call, KnownAccount, KnownRepository, ListedRepository, RepositoryPage } from '../interface/provider.ts';
import type { RestClient } from '../rest/client.ts';
import { stepFromOldest } from '../rest/lists.ts';
import { findInViews, listByViews } from '../rest/views.ts';
import { RepositoriesPayload, RepositoryPayload } from './payloads.ts';

/**
 * Returns whether all visitors of the host may see a repository: it and its owner must be public.
 */
export function isPublic({ private: isPrivate, internal, owner }: RepositoryPayload): boolean {
  return !isPrivate && !internal && owner.visibility === 'public';
}

/** Lists the repositories of an account: first the public ones, then the private ones that each token shows. */
export function listRepositories(
  client: RestClient,
  { name, type, externalId }: KnownAccount,
  cursor: string | null,
  call: Call,
): Promise<RepositoryPage> {
  const kind = type === 'organization' ? 'orgs' : 'users';
  const list = { path: `/${kind}/${encodeURIComponent(name)}/repos`, items: RepositoriesPayload };
  const views = {
    list: async (after: string | null, viewCall: Call) => {
      const step = await stepFromOldest(client, list, { cursor: after, since: null }, viewCall);
      // The request names the account, and another account may have taken its name.
      const isOfOther = step?.items.some(({ owner }) => String(owner.id) !== externalId) ?? false;
      return isOfOther ? null : step;
    },
    isPublic,
    toListed: async (payloads: readonly RepositoryPayload[], credentialName: string | null) =>
      payloads.map((payload) => toListed(payload, credentialName)),
  };
  return listByViews(client, views, cursor, call);
}

export function repositoryPath({ owner, name }: Pick<KnownRepository, 'owner' | 'name'>): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

/** Finds a repository of an account by name; null when there is none, or it is private and `withPrivate` is false. */
export async function findRepository(
  client: RestClient,
  owner: KnownAccount,
  name: string,
  { withPrivate }: { withPrivate: boolean },
  call: Call,
): Promise<ListedRepository | null> {
  const path = repositoryPath({ owner: owner.name, name });
  const find = async (viewCall: Call) => (await client.get(path, RepositoryPayload, viewCall))?.data;
  const found = await findInViews(client, find, isPublic, { withPrivate, call });
  // The host redirects from a transferred repository to the one of its new owner.
  if (found === null || String(found.payload.owner.id) !== owner.externalId) return null;
  return toListed(found.payload, found.credentialName);
}

/** Fetches a stored repository; null when it is absent, another repository has its name, or its visibility changed. */
export async function readUnchanged(
  client: RestClient,
  repository: KnownRepository,
  call: Call,
): Promise<RepositoryPayload | null> {
  const now = (await client.get(repositoryPath(repository), RepositoryPayload, call))?.data;
  const isSame = now !== undefined && String(now.id) === repository.handle;
  return isSame && isPublic(now) === (repository.credentialName === null) ? now : null;
}

export function toListed(payload: RepositoryPayload, credentialName: string | null): ListedRepository {
  return {
    externalId: String(payload.id),
    handle: String(payload.id),
    name: payload.name,
    description: payload.description,
    language: payload.language,
    license: payload.licenses?.[0] ?? '',
    defaultBranch: payload.empty ? '' : payload.default_branch,
    isPrivate: credentialName !== null,
    credentialName,
    isFork: payload.fork,
    stars: counted(payload.stars_count),
    forks: counted(payload.forks_count),
    openIssues: counted(payload.open_issues_count),
    sizeKib: payload.size,
    // Gitea states no time of the last change of issues or pull requests.
    tips: { commits: { total: null, changedAt: toDate(payload.updated_at), revision: null } },
  };
}

/** Returns a count of the host, and 0 for a negative one, which is a fault of the host; null: it could not be read. */
export function counted(number: number | null): number | null {
  return number === null ? null : Math.max(0, number);
}
