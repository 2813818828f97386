import { toDate } from '../collector.ts';
import type { Call, KnownAccount, KnownRepository, ListedRepository, RepositoryPage } from '../provider.ts';
import type { RestClient } from '../rest/client.ts';
import { stepFromOldest } from '../rest/lists.ts';
import { findInViews, listByViews } from '../rest/views.ts';
import { RepositoriesPayload, RepositoryPayload } from './payloads.ts';

/** Whether everybody who is let in may see it; a public repository of a hidden owner is not. */
export function isPublic({ private: isPrivate, internal, owner }: RepositoryPayload): boolean {
  return !isPrivate && !internal && owner.visibility === 'public';
}

/** Repositories of an account: public ones, then what each token shows besides. */
export function listRepositories(
  client: RestClient,
  { name, type, externalId }: KnownAccount,
  cursor: string | null,
  call: Call,
): Promise<RepositoryPage> {
  const kind = type === 'organization' ? 'orgs' : 'users';
  const list = { path: `/${kind}/${encodeURIComponent(name)}/repos`, items: RepositoriesPayload };
  const views = {
    list: async (after: string | null, asked: Call) => {
      const step = await stepFromOldest(client, list, { cursor: after, since: null }, asked);
      // The list goes by the name, which another account may have taken since.
      const isOfOther = step?.items.some(({ owner }) => String(owner.id) !== externalId) ?? false;
      return isOfOther ? null : step;
    },
    isPublic,
    toListed: async (payloads: readonly RepositoryPayload[], access: string | null) =>
      payloads.map((payload) => toListed(payload, access)),
  };
  return listByViews(client, views, cursor, call);
}

export function repositoryPath({ owner, name }: Pick<KnownRepository, 'owner' | 'name'>): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

/** One repository; null when there is none of the name, or it is private and was not asked for. */
export async function findRepository(
  client: RestClient,
  owner: KnownAccount,
  name: string,
  { withPrivate }: { withPrivate: boolean },
  call: Call,
): Promise<ListedRepository | null> {
  const path = repositoryPath({ owner: owner.name, name });
  const find = async (asked: Call) => (await client.get(path, RepositoryPayload, asked))?.data;
  const found = await findInViews(client, find, isPublic, { withPrivate, call });
  // What was given away leads on to its new owner.
  if (found === null || String(found.payload.owner.id) !== owner.externalId) return null;
  return toListed(found.payload, found.access);
}

/** A stored repository as it is now; null when it is another one by now, or not the same to us as it was. */
export async function readUnchanged(
  client: RestClient,
  repository: KnownRepository,
  call: Call,
): Promise<RepositoryPayload | null> {
  const now = (await client.get(repositoryPath(repository), RepositoryPayload, call))?.data;
  const isSame = now !== undefined && String(now.id) === repository.handle;
  return isSame && isPublic(now) === (repository.access === null) ? now : null;
}

export function toListed(payload: RepositoryPayload, access: string | null): ListedRepository {
  return {
    externalId: String(payload.id),
    handle: String(payload.id),
    name: payload.name,
    description: payload.description,
    language: payload.language,
    license: payload.licenses?.[0] ?? '',
    defaultBranch: payload.empty ? '' : payload.default_branch,
    isPrivate: access !== null,
    access,
    isFork: payload.fork,
    stars: counted(payload.stars_count),
    forks: counted(payload.forks_count),
    openIssues: counted(payload.open_issues_count),
    sizeKib: payload.size,
    // Of issues and pull requests nothing tells which changed last.
    tips: { commits: { total: null, changedAt: toDate(payload.updated_at), revision: null } },
  };
}

/** Returns a number that the host may have miscounted; null: it cannot be read. */
export function counted(number: number | null): number | null {
  return number === null ? null : Math.max(0, number);
}
