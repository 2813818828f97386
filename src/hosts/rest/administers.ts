import { unlessDenied } from '../interface/denied.ts';
import type { Administers, Call } from '../interface/provider.ts';
import type { RestClient } from './client.ts';
import { tokenCalls } from './views.ts';

/**
 * Checks with one configured token after the other until one of them can see whether a person administers an
 * organization.
 */
export async function withEachToken(
  client: RestClient,
  call: Call,
  check: (call: Call) => Promise<Administers>,
): Promise<Administers> {
  for (const tokenCall of tokenCalls(client, call)) {
    // The token may lack a scope, or the host refuse it.
    const response = await check(tokenCall).catch(unlessDenied('cannot_check'));
    if (response !== 'cannot_check') return response;
  }
  return 'cannot_check';
}
