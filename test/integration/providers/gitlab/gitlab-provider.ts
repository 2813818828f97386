import { deliverySecret } from '../../../../simulators/gitlab/deliveries.ts';
import { createGitLabProvider } from '../../../../src/providers/gitlab/provider.ts';
import type { KnownAccount } from '../../../../src/providers/provider.ts';
import type { RestHostOptions } from '../../../../src/providers/rest/client.ts';
import type { ContractWorld } from '../../../contract/world.ts';

/** Calls a simulated GitLab through the provider, as the service does. */

export function gitlabProvider(
  { url, apiUrl }: { url: string; apiUrl: string },
  options: Partial<RestHostOptions> = {},
): ReturnType<typeof createGitLabProvider> & AsyncDisposable {
  const provider = createGitLabProvider({
    name: 'gitlab',
    url,
    apiUrl,
    tokens: [],
    webhookSecret: deliverySecret,
    connectTimeoutMs: 2000,
    now: () => new Date(),
    ...options,
  });
  return { ...provider, [Symbol.asyncDispose]: () => provider.close() };
}

/** Returns the group of the world, as it is stored. */
export function groupOf({ organization: { id, login } }: ContractWorld): KnownAccount {
  return { externalId: `group:${id}`, handle: '', type: 'organization', name: login, memory: null };
}
