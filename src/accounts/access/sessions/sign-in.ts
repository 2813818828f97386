import { createHash } from 'node:crypto';
import type { Provider, ProviderWith } from '../../../hosts/interface/provider.ts';
import { AppError } from '../../../model/errors.ts';
import { findProvider } from '../../resolve.ts';
import { recordAction } from '../actor.ts';
import { type Proven, proveOwner } from '../prove-owner.ts';
import type { AccessServices } from '../services.ts';
import { saveSession, saveSignIn, takeSignIn } from './store.ts';

const base = 'http://service.invalid';

/** The time, in ms, that a person may take at the host. */
export const signInLifeMs = 600_000;
export const sessionLifeMs = 8 * 3_600_000;
const secretBytes = 32;
const hostTimeoutMs = 10_000;

/** Finds a provider with which people sign in. @throws AppError `not_found` when there is none of this name. */
function signInProvider(
  { providers }: Pick<AccessServices, 'providers'>,
  name: string,
): ProviderWith<'signIn' | 'ownership'> {
  const provider = findProvider(providers, name);
  if (!canSignIn(provider)) throw new AppError('not_found', 'No one can sign in with this provider.');
  return provider;
}

export function canSignIn(provider: Provider): provider is ProviderWith<'signIn' | 'ownership'> {
  return provider.signIn !== undefined && provider.ownership !== undefined;
}

/** Returns the hash under which a secret is stored. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/**
 * Begins a sign-in.
 * @param wanted.organization an organization whose administration is proven as well.
 * @returns the address at the host, and the state for a cookie of the browser.
 */
export async function beginSignIn(
  services: AccessServices,
  wanted: { provider: string; returnTo: string; organization: string | null },
): Promise<{ url: string; state: string }> {
  const { signIn, name: provider } = signInProvider(services, wanted.provider);
  const [state, nonce, codeVerifier] = [newSecret(services), newSecret(services), newSecret(services)];
  const { returnTo, organization } = wanted;
  await saveSignIn(services.connection, {
    stateHash: hashSecret(state),
    provider,
    nonce,
    codeVerifier,
    returnTo,
    organization,
    expiresAt: new Date(services.now().getTime() + signInLifeMs),
  });
  const begun = { redirectUrl: toRedirectUrl(services, provider), state, nonce, codeVerifier };
  return { url: await signIn.begin(begun), state };
}

interface FinishedSignIn {
  /** The secret of the new session, for a cookie of the browser. */
  secret: string;
  returnTo: string;
  /** The organization that the person named and does not administer; null where there is none. */
  refused: string | null;
}

/**
 * Ends a sign-in: the host's token proves the person's own account, and the organization that they named. The token is
 * not stored.
 * @param response the parameters with which the browser came back.
 * @param state the state in the browser's cookie.
 * @throws AppError `invalid_input` when this browser has not begun the sign-in, or it has expired; the errors of
 * `SignIn.finish` and `proveOwner`.
 */
export async function finishSignIn(
  services: AccessServices,
  { provider: name, response, state }: { provider: string; response: URLSearchParams; state: string | undefined },
): Promise<FinishedSignIn> {
  const provider = signInProvider(services, name);
  const { connection, now } = services;
  const begun = state === undefined ? undefined : await takeSignIn(connection, hashSecret(state), now());
  if (state === undefined || begun?.provider !== provider.name) {
    throw new AppError('invalid_input', 'This sign-in has expired, or began in another browser. Begin it again.');
  }
  const signal = AbortSignal.timeout(hostTimeoutMs);
  const redirectUrl = toRedirectUrl(services, provider.name);
  const token = await provider.signIn.finish({ ...begun, redirectUrl, state }, response, signal);
  const { account } = await proveSelf(services, provider, token, signal);
  const isConfirmed = await confirmOrganization(services, provider, begun.organization, token);
  const secret = newSecret(services);
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + sessionLifeMs);
  await saveSession(connection, { secretHash: hashSecret(secret), accountId: account.id, createdAt, expiresAt });
  const actor = `${account.provider}/${account.name}`;
  const action = { action: 'signed_in', subject: account.id, actor, tokenId: null } as const;
  await recordAction(services, connection, account.id, action);
  return { secret, returnTo: begun.returnTo, refused: isConfirmed ? null : begun.organization };
}

async function proveSelf(
  services: AccessServices,
  provider: ProviderWith<'ownership'>,
  token: string,
  signal: AbortSignal,
): Promise<Proven> {
  const { bearer } = await provider.ownership.prove(token, '', signal);
  return proveOwner(services, { provider, name: bearer.name }, token);
}

async function confirmOrganization(
  services: AccessServices,
  provider: Provider,
  name: string | null,
  token: string,
): Promise<boolean> {
  if (name === null) return true;
  try {
    await proveOwner(services, { provider, name }, token);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'forbidden') return false;
    throw error;
  }
}

function toRedirectUrl({ publicUrl }: AccessServices, provider: string): string {
  return `${publicUrl()}/sign-in/${provider}/callback`;
}

function newSecret({ randomBytes }: AccessServices): string {
  return randomBytes(secretBytes).toString('base64url');
}

/** Returns the text if it is a path of this service; returns `otherwise` when it would lead to another site. */
export function localPath(text: string | undefined, otherwise: string): string {
  // Browsers read `\` as `/`, and leave out tabs and line breaks.
  const isPath = text !== undefined && /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text) && URL.canParse(text, base);
  if (!isPath) return otherwise;
  const { origin, pathname, search } = new URL(text, base);
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}` : otherwise;
}
