import { type Static, Type } from 'typebox';
import { AppError } from '../../errors.ts';
import type { Call } from '../call.ts';
import { isDenied } from '../denied.ts';
import { seenBy } from '../known.ts';
import type { ListedRepository, RepositoryPage } from '../provider.ts';
import { readCursor } from './checks.ts';
import type { RestClient } from './client.ts';
import type { Step } from './lists.ts';

/** Lists the repositories of an account: first the public ones, then the private ones that each token shows. */

const Place = Type.Object({
  access: Type.Union([Type.Null(), Type.String()]),
  after: Type.Union([Type.Null(), Type.String()]),
});
type Place = Static<typeof Place>;

/** The requests for repositories of one host. */
export interface Views<Payload> {
  /** Reads a page of the repositories that an account owns; null: the host does not know the account. */
  list: (after: string | null, call: Call) => Promise<Step<Payload> | null>;
  /** True when every visitor whom the host lets in may see the repository. */
  isPublic: (payload: Payload) => boolean;
  toListed: (payloads: readonly Payload[], access: string | null, call: Call) => Promise<ListedRepository[]>;
}

const refused = { items: [], total: null, nextCursor: null };

/** Reads a page of the public view, or of the view of a token. */
export async function listByViews<Payload>(
  client: RestClient,
  { list, isPublic, toListed }: Views<Payload>,
  cursor: string | null,
  call: Call,
): Promise<RepositoryPage> {
  const { access, after }: Place = cursor === null ? { access: null, after: null } : readCursor(Place, cursor);
  const viewCall = seenBy({ access }, call);
  let isRefused = false;
  const step = await list(after, viewCall).catch((error: unknown) => {
    // A revoked token shows nothing any more.
    if (access === null || !isDenied(error)) throw error;
    isRefused = true;
    return refused;
  });
  if (step === null) throw new AppError('not_found', 'The code host does not know this account any more.');
  const next = step.nextCursor === null ? nextView(client, access) : { access, after: step.nextCursor };
  const shown = step.items.filter((repository) => isPublic(repository) === (access === null));
  return {
    repositories: await toListed(shown, access, viewCall),
    access,
    // The totals of these hosts include repositories that they do not show.
    total: null,
    endsView: step.nextCursor === null,
    isRefused,
    nextCursor: next === undefined ? null : JSON.stringify(next),
  };
}

/** Searches for a repository in the public view and, with `withPrivate`, in the views of the tokens. */
export async function findInViews<Payload>(
  client: RestClient,
  find: (call: Call) => Promise<Payload | undefined>,
  isPublic: (payload: Payload) => boolean,
  { withPrivate, call }: { withPrivate: boolean; call: Call },
): Promise<{ payload: Payload; access: string | null } | null> {
  const views = withPrivate ? accessesOf(client) : [];
  for (const access of [null, ...views]) {
    const payload = await find(seenBy({ access }, call));
    if (payload !== undefined && isPublic(payload) === (access === null)) return { payload, access };
  }
  return null;
}

function nextView(client: RestClient, access: string | null): Place | undefined {
  const accesses = accessesOf(client);
  if (access !== null && !accesses.includes(access)) return undefined;
  const next = accesses[access === null ? 0 : accesses.indexOf(access) + 1];
  return next === undefined ? undefined : { access: next, after: null };
}

/** Returns whether requests have a token. */
export function hasTokens(client: RestClient): boolean {
  return client.credentials.tokens.length > 0;
}

/** Returns a call for each token. */
export function tokenCalls(client: RestClient, call: Call): Call[] {
  const callWith = (access: string): Call => ({ ...call, access });
  return accessesOf(client).map(callWith);
}

/** Returns the names of the tokens; each of them may show private repositories. */
export function accessesOf(client: RestClient): string[] {
  return client.credentials.tokens.map(({ access }) => access);
}

/**
 * Returns the HTTP authorization for git, which takes a token as password with any user name; undefined for a public
 * repository, whose history needs no token.
 */
export function gitAuthorization(client: RestClient, access: string | null): string | undefined {
  const token = client.credentials.tokens.find((one) => one.access === access)?.value;
  return token && `Basic ${Buffer.from(`plaudit:${token}`).toString('base64')}`;
}
