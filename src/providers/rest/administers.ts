import { AppError } from '../../errors.ts';
import type { Administers, Call } from '../provider.ts';
import type { RestClient } from './client.ts';

/** Checks with one configured token after the other until one of them can see whether a person administers something. */
export async function withEachToken(
  { credentials }: RestClient,
  call: Call,
  check: (call: Call) => Promise<Administers>,
): Promise<Administers> {
  for (const { access } of credentials.tokens) {
    const response = await check({ ...call, access }).catch((error: unknown) => {
      // The token lacks a scope, or the host refuses it.
      if (error instanceof AppError && error.code === 'provider_denied') return 'cannot_check' as const;
      throw error;
    });
    if (response !== 'cannot_check') return response;
  }
  return 'cannot_check';
}
