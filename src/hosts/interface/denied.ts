import { AppError } from '../../model/errors.ts';

/** Returns whether an error says that the host refused a request, for example because the token is revoked. */
export function isDenied(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'provider_denied';
}

/** Returns a handler that turns a refusal into a value, and throws other errors. */
export function unlessDenied<const Value>(value: Value): (error: unknown) => Value {
  return (error) => {
    if (isDenied(error)) return value;
    throw error;
  };
}

/**
 * Searches in one view after the other. A view that the host refuses does not keep the others from being searched, but
 * then nothing is known to be absent.
 * @throws the refusal when no other view shows anything.
 */
export async function findFirst<View, Found>(
  views: readonly View[],
  find: (view: View) => Promise<Found | undefined>,
): Promise<Found | undefined> {
  let refusal: AppError | undefined;
  for (const view of views) {
    try {
      const found = await find(view);
      if (found !== undefined) return found;
    } catch (error) {
      if (!isDenied(error)) throw error;
      refusal ??= error;
    }
  }
  if (refusal !== undefined) throw refusal;
  return undefined;
}

/**
 * Checks accounts one by one and collects the results by id. An account whose check fails for a reason of its own is
 * left out, because nothing is known about it.
 * @throws the failure when no account could be checked.
 */
export async function checkEach<Account, Result>(
  accounts: readonly Account[],
  checked: Map<string, Result>,
  check: (account: Account) => Promise<void>,
): Promise<Map<string, Result>> {
  let failure: AppError | undefined;
  for (const account of accounts) {
    try {
      await check(account);
    } catch (error) {
      const isOfOne = error instanceof AppError && isAboutOne(error);
      if (!isOfOne) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined && checked.size === 0) throw failure;
  return checked;
}

function isAboutOne({ code }: AppError): boolean {
  return code === 'provider_denied' || code === 'provider_invalid_response';
}
