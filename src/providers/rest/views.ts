import { type Static, Type } from 'typebox';
import { AppError } from '../../errors.ts';
import type { Call } from '../call.ts';
import type { KnownRepository, ListedRepository, RepositoryPage } from '../provider.ts';
import { readCursor } from './checks.ts';
import type { RestClient } from './client.ts';
import type { Step } from './lists.ts';

/** What everybody sees of what an account owns, and then what each token shows besides. */

const Place = Type.Object({
  access: Type.Union([Type.Null(), Type.String()]),
  after: Type.Union([Type.Null(), Type.String()]),
});
type Place = Static<typeof Place>;

/** How a host tells repositories. */
export interface Views<Payload> {
  /** A page of what an account owns; null: the host does not know the account. */
  list: (after: string | null, call: Call) => Promise<Step<Payload> | null>;
  /** Whether everybody who is let in may see it. */
  isPublic: (payload: Payload) => boolean;
  toListed: (payloads: readonly Payload[], access: string | null, call: Call) => Promise<ListedRepository[]>;
}

const refused = { items: [], total: null, nextCursor: null };

/** A page of the public view, or of that of a token. */
export async function listByViews<Payload>(
  client: RestClient,
  { list, isPublic, toListed }: Views<Payload>,
  cursor: string | null,
  call: Call,
): Promise<RepositoryPage> {
  const { access, after }: Place = cursor === null ? { access: null, after: null } : readCursor(Place, cursor);
  const asked = access === null ? call : { ...call, access };
  let isRefused = false;
  const step = await list(after, asked).catch((error: unknown) => {
    // A token that was taken back shows nothing any more.
    if (access === null || !(error instanceof AppError) || error.code !== 'provider_denied') throw error;
    isRefused = true;
    return refused;
  });
  if (step === null) throw new AppError('not_found', 'The code host does not know this account any more.');
  const next = step.nextCursor === null ? nextView(client, access) : { access, after: step.nextCursor };
  const shown = step.items.filter((repository) => isPublic(repository) === (access === null));
  return {
    repositories: await toListed(shown, access, asked),
    access,
    // Such hosts count what they do not show too.
    total: null,
    endsView: step.nextCursor === null,
    isRefused,
    nextCursor: next === undefined ? null : JSON.stringify(next),
  };
}

/** Looks for one repository in the public view, and in those of the tokens if it may be private. */
export async function findInViews<Payload>(
  client: RestClient,
  find: (call: Call) => Promise<Payload | undefined>,
  isPublic: (payload: Payload) => boolean,
  { withPrivate, call }: { withPrivate: boolean; call: Call },
): Promise<{ payload: Payload; access: string | null } | null> {
  const views = withPrivate ? accessesOf(client) : [];
  for (const access of [null, ...views]) {
    const payload = await find(access === null ? call : { ...call, access });
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

/** Names of the tokens; any of them may show what is private. */
export function accessesOf(client: RestClient): string[] {
  return client.pace.tokens.map(({ access }) => access);
}

/** What is private is asked for with the token that showed it. */
export function seenBy({ access }: Pick<KnownRepository, 'access'>, call: Call): Call {
  return access === null ? call : { ...call, access };
}

/** A token is a password to git, whatever the user's name. The history of what is public is read without. */
export function gitAuthorization(client: RestClient, access: string | null): string | undefined {
  const secret = client.pace.tokens.find((token) => token.access === access)?.secret;
  return secret && `Basic ${Buffer.from(`plaudit:${secret}`).toString('base64')}`;
}
