import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { AppError } from '../../errors.ts';
import type { Call, KnownAccount, KnownRepository, ListedRepository, RepositoryPage } from '../provider.ts';
import { invalid } from './checks.ts';
import type { GiteaClient } from './client.ts';
import { type Step, stepFromOldest } from './lists.ts';
import { RepositoriesPayload, RepositoryPayload } from './payloads.ts';

/** Where a listing stands: in the public view, or in that of a token. */
const Place = Type.Object({
  access: Type.Union([Type.Null(), Type.String()]),
  after: Type.Union([Type.Null(), Type.String()]),
});
type Place = Static<typeof Place>;

const refused = { items: [], total: null, nextCursor: null };

/** Whether everybody who is let in may see it; a public repository of a hidden owner is not. */
export function isPublic({ private: isPrivate, internal, owner }: RepositoryPayload): boolean {
  return !isPrivate && !internal && owner.visibility === 'public';
}

/** Repositories of an account: public ones, then what each token shows besides. */
export async function listRepositories(
  client: GiteaClient,
  owner: KnownAccount,
  cursor: string | null,
  call: Call,
): Promise<RepositoryPage> {
  const place = readPlace(cursor);
  const { access } = place;
  let isRefused = false;
  const step = await listView(client, owner, place, call).catch((error: unknown) => {
    // A token that was taken back shows nothing any more.
    if (access === null || !(error instanceof AppError) || error.code !== 'provider_denied') throw error;
    isRefused = true;
    return refused;
  });
  const next = step.nextCursor === null ? nextView(client, access) : { access, after: step.nextCursor };
  return {
    repositories: step.items
      .filter((repository) => isPublic(repository) === (access === null))
      .map((repository) => toListed(repository, access)),
    access,
    // Gitea counts what it does not show too.
    total: null,
    endsView: step.nextCursor === null,
    isRefused,
    nextCursor: next === undefined ? null : JSON.stringify(next),
  };
}

async function listView(
  client: GiteaClient,
  { name, type }: KnownAccount,
  { access, after }: Place,
  call: Call,
): Promise<Step<RepositoryPayload>> {
  const kind = type === 'organization' ? 'orgs' : 'users';
  const list = { path: `/${kind}/${encodeURIComponent(name)}/repos`, items: RepositoriesPayload };
  const asked = access === null ? call : { ...call, access };
  const step = await stepFromOldest(client, list, { cursor: after, since: null }, asked);
  if (step === null) throw new AppError('not_found', 'The code host does not know this account any more.');
  return step;
}

function readPlace(cursor: string | null): Place {
  if (cursor === null) return { access: null, after: null };
  try {
    return Value.Parse(Place, JSON.parse(cursor));
  } catch {
    throw invalid('a listing cannot be gone on with');
  }
}

function nextView(client: GiteaClient, access: string | null): Place | undefined {
  const accesses = accessesOf(client);
  if (access !== null && !accesses.includes(access)) return undefined;
  const next = accesses[access === null ? 0 : accesses.indexOf(access) + 1];
  return next === undefined ? undefined : { access: next, after: null };
}

/** Names of the tokens; any of them may show what is private. */
export function accessesOf(client: GiteaClient): string[] {
  return client.pace.tokens.map(({ access }) => access);
}

export function repositoryPath({ owner, name }: Pick<KnownRepository, 'owner' | 'name'>): string {
  return `/repos/${encodeURIComponent(owner)}/${encodeURIComponent(name)}`;
}

/** One repository; null when there is none of the name, or it is private and was not asked for. */
export async function findRepository(
  client: GiteaClient,
  owner: KnownAccount,
  name: string,
  { withPrivate }: { withPrivate: boolean },
  call: Call,
): Promise<ListedRepository | null> {
  const views = withPrivate ? accessesOf(client) : [];
  for (const access of [null, ...views]) {
    const asked = access === null ? call : { ...call, access };
    const path = repositoryPath({ owner: owner.name, name });
    const repository = (await client.get(path, RepositoryPayload, asked))?.data;
    if (repository === undefined || isPublic(repository) !== (access === null)) continue;
    // What was given away leads on to its new owner.
    if (String(repository.owner.id) !== owner.externalId) return null;
    return toListed(repository, access);
  }
  return null;
}

/** A stored repository as it is now; null when it is another one by now, or not the same to us as it was. */
export async function readUnchanged(
  client: GiteaClient,
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
    stars: payload.stars_count,
    forks: payload.forks_count,
    openIssues: payload.open_issues_count,
    sizeKib: payload.size,
    // Of issues and pull requests nothing tells which changed last.
    tips: { commits: { total: null, changedAt: new Date(payload.updated_at), revision: null } },
  };
}
