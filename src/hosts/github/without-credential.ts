import { isDenied } from '../interface/denied.ts';
import type { AccountReport, Call } from '../interface/provider.ts';
import { anonymousCredentialName } from './credentials.ts';
import { isAboutIpAddress } from './graphql-errors.ts';

/**
 * Returns the call without a credential. An organization with an IP allow list refuses credentials from other addresses
 * even for public resources, but shows these to requests without a credential ("Public resources, when accessed
 * anonymously":
 * https://docs.github.com/organizations/keeping-your-organization-secure/managing-allowed-ip-addresses-for-your-organization).
 */
export function withoutCredential(call: Call): Call {
  return { ...call, credentialName: anonymousCredentialName };
}

/**
 * Returns the result of a request. If an IP allow list refuses it, returns the result of the request without a
 * credential.
 */
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

/** Yields reports on an account. If an IP allow list refuses the lookup, yields those of one without a credential. */
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
  return isDenied(error) && isAboutIpAddress(error.reason ?? '');
}
