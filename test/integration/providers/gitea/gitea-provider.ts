import { createGiteaProvider } from '../../../../src/providers/gitea/provider.ts';
import type { KnownAccount, KnownRepository } from '../../../../src/providers/provider.ts';
import type { RestHostOptions } from '../../../../src/providers/rest/client.ts';

/** Calls a simulated Gitea through the provider, as the service does. */

export const deliverySecret = 'a secret for deliveries';

export function giteaProvider(
  { url, apiUrl }: { url: string; apiUrl: string },
  options: Partial<RestHostOptions> = {},
): ReturnType<typeof createGiteaProvider> & AsyncDisposable {
  const provider = createGiteaProvider({
    name: 'gitea',
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

export const acme: KnownAccount = { externalId: '5', handle: '', type: 'organization', name: 'acme', memory: null };
export const handbook: KnownRepository = {
  owner: 'acme',
  name: 'handbook',
  handle: '1',
  defaultBranch: 'main',
  access: null,
};
