import { AppError } from '../../errors.ts';
import type { AccountReport, Call } from '../provider.ts';
import { anonymousAccess } from './budget.ts';
import { isAboutIpAddress } from './graphql-errors.ts';

/**
 * An organization with an IP allow list refuses credentials from other addresses, for public resources, too. Without a
 * credential it serves them ("Public resources, when accessed anonymously":
 * https://docs.github.com/organizations/keeping-your-organization-secure/managing-allowed-ip-addresses-for-your-organization).
 */
export function withoutCredential(call: Call): Call {
  return { ...call, access: anonymousAccess };
}

/** Returns the result of a request, or where the caller's address is refused that of the same request without a credential. */
export async function orAnonymously<Result>(
  result: Promise<Result>,
  anonymously: () => Promise<Result>,
): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    if (!isRefusedAddress(error)) throw error;
    return anonymously();
  }
}

/** The same for reports on an account. */
export async function* reportOrAnonymously(
  reports: AsyncGenerator<AccountReport, void, undefined>,
  anonymously: () => AsyncGenerator<AccountReport, void, undefined>,
): AsyncGenerator<AccountReport, void, undefined> {
  try {
    yield* reports;
  } catch (error) {
    if (!isRefusedAddress(error)) throw error;
    yield* anonymously();
  }
}

function isRefusedAddress(error: unknown): boolean {
  return error instanceof AppError && error.code === 'provider_denied' && isAboutIpAddress(error.reason ?? '');
}
