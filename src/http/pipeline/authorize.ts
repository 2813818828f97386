import { AppError } from '../../model/errors.ts';
import type { Caller } from './caller.ts';
import type { AccountName, AccountResolver, KnownResolution, Readers, Resolution } from './endpoint.ts';

/**
 * Finds the account of a service token, for a request of its owner.
 * @throws AppError `unauthenticated` without a token.
 */
export async function resolveOwn(
  resolver: AccountResolver,
  name: AccountName,
  caller: Caller | null,
): Promise<Resolution> {
  return resolver.resolveOwn(name, requireCaller(caller).accountId);
}

/**
 * Checks that a caller may read an account.
 * @throws AppError `not_found`, `unauthenticated` or `forbidden`
 */
export function authorize(
  readers: Readers,
  resolution: Exclude<Resolution, { state: 'pending' }>,
  caller: Caller | null,
): KnownResolution & { isOwner: boolean } {
  return readers === 'public'
    ? authorizeReader(resolution, caller)
    : { ...authorizeOwner(resolution, caller, 'read'), isOwner: true };
}

/** Hides an account that is not public, so that other callers cannot find out whether it exists. */
function authorizeReader(
  resolution: Exclude<Resolution, { state: 'pending' }>,
  caller: Caller | null,
): KnownResolution & { isOwner: boolean } {
  if (resolution.state === 'absent') throw noSuchAccount();
  const isOwner = caller?.accountId === resolution.account.id;
  if (!resolution.isPublic && !isOwner) throw noSuchAccount();
  return { ...resolution, isOwner };
}

/**
 * Checks that the service token of a caller is for an account and has the rights that a request needs. Other callers
 * cannot find out whether the account exists.
 * @throws AppError `unauthenticated` without a token, `forbidden` with one for another account, or too small a scope.
 */
export function authorizeOwner(
  resolution: Resolution,
  caller: Caller | null,
  needs: 'read' | 'manage',
): KnownResolution & { caller: Caller } {
  if (resolution.state === 'absent' || resolution.state === 'pending') throw notForThisAccount();
  const owner = requireCaller(caller);
  if (needs === 'manage' && !owner.mayManage) throw mayOnlyRead();
  if (resolution.state === 'other_name') throw notForThisAccount();
  return { ...resolution, caller: owner };
}

function requireCaller(caller: Caller | null): Caller {
  if (caller !== null) return caller;
  throw new AppError('unauthenticated', 'This address needs a service token of the account: Authorization: Bearer.', {
    explanations: [{ phrase: 'needsToken' }],
  });
}

/** Returns the error for a token that may only read, where a request changes something. */
export function mayOnlyRead(): AppError {
  return new AppError('forbidden', 'This token may only read: its scope lacks "manage".');
}

function notForThisAccount(): AppError {
  return new AppError('forbidden', 'This token is not for this account.', {
    explanations: [{ phrase: 'needsToken' }],
  });
}

function noSuchAccount(): AppError {
  return new AppError('not_found', 'There is no such account on this provider.', {
    explanations: [{ phrase: 'noAccount' }],
  });
}
