import { type Static, Type } from 'typebox';
import { AppError } from '../../model/errors.ts';
import { type Call, seenBy } from '../interface/call.ts';
import { findFirst, isDenied } from '../interface/denied.ts';
import type { ListedRepository, RepositoryPage } from '../interface/provider.ts';
import { readCursor } from './checks.ts';
import type { RestClient } from './client.ts';
import type { Step } from './lists.ts';

/** Lists the repositories of an account: first the public ones, then the private ones that each token shows. */

const Place = Type.Object({
  credentialName: Type.Union([Type.Null(), Type.String()]),
  after: Type.Union([Type.Null(), Type.String()]),
});
type Place = Static<typeof Place>;

/** The requests for repositories of one host. */
interface Views<Payload> {
  /** Reads a page of the repositories that an account owns; null: the host does not know the account. */
  list: (after: string | null, call: Call) => Promise<Step<Payload> | null>;
  /** True when every visitor whom the host lets in may see the repository. */
  isPublic: (payload: Payload) => boolean;
  toListed: (payloads: readonly Payload[], credentialName: string | null, call: Call) => Promise<ListedRepository[]>;
}

const refused = { items: [], total: null, nextCursor: null };

/** Reads a page of the public view, or of the view of a token. */
export async function listByViews<Payload>(
  client: RestClient,
  { list, isPublic, toListed }: Views<Payload>,
  cursor: string | null,
  call: Call,
): Promise<RepositoryPage> {
  const { credentialName, after }: Place =
    cursor === null ? { credentialName: null, after: null } : readCursor(Place, cursor);
  const viewCall = seenBy({ credentialName }, call);
  let isRefused = false;
  const step = await list(after, viewCall).catch((error: unknown) => {
    // A revoked token shows nothing any more.
    if (credentialName === null || !isDenied(error)) throw error;
    isRefused = true;
    return refused;
  });
  if (step === null) throw new AppError('not_found', 'The code host does not know this account any more.');
  const next = step.nextCursor === null ? nextView(client, credentialName) : { credentialName, after: step.nextCursor };
  const listed = step.items.filter((repository) => isPublic(repository) === (credentialName === null));
  return {
    repositories: await toListed(listed, credentialName, viewCall),
    credentialName,
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
): Promise<{ payload: Payload; credentialName: string | null } | null> {
  const views = withPrivate ? listCredentialNames(client) : [];
  const found = await findFirst([null, ...views], async (credentialName) => {
    const payload = await find(seenBy({ credentialName }, call));
    const isOfView = payload !== undefined && isPublic(payload) === (credentialName === null);
    return isOfView ? { payload, credentialName } : undefined;
  });
  return found ?? null;
}

function nextView(client: RestClient, credentialName: string | null): Place | undefined {
  const credentialNames = listCredentialNames(client);
  if (credentialName !== null && !credentialNames.includes(credentialName)) return undefined;
  const next = credentialNames[credentialName === null ? 0 : credentialNames.indexOf(credentialName) + 1];
  return next === undefined ? undefined : { credentialName: next, after: null };
}

/** Returns whether requests have a token. */
export function hasTokens(client: RestClient): boolean {
  return client.credentials.tokens.length > 0;
}

/** Returns a call for each token. */
export function tokenCalls(client: RestClient, call: Call): Call[] {
  const callWith = (credentialName: string): Call => ({ ...call, credentialName });
  return listCredentialNames(client).map(callWith);
}

/** Returns the names of the tokens; each of them may show private repositories. */
export function listCredentialNames(client: RestClient): string[] {
  return client.credentials.tokens.map(({ name }) => name);
}

/**
 * Returns the HTTP authorization for git, which takes a token as password with any user name; undefined for a public
 * repository, whose history needs no token.
 */
export function gitAuthorization(client: RestClient, credentialName: string | null): string | undefined {
  const token = client.credentials.tokens.find((token) => token.name === credentialName)?.value;
  return token && `Basic ${Buffer.from(`plaudit:${token}`).toString('base64')}`;
}

/** Decodes the content of a file in a response. @returns null when it is not valid UTF-8 text, or absent. */
export function decodeText(encoding: string | null | undefined, content: string | null | undefined): string | null {
  if (encoding !== 'base64' || content === null || content === undefined) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(content, 'base64'));
  } catch {
    return null;
  }
}
