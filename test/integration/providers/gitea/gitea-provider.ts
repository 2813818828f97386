import { createGiteaProvider } from '../../../../src/hosts/gitea/provider.ts';
import type { KnownAccount, KnownRepository } from '../../../../src/hosts/interface/provider.ts';
import type { RestHostOptions } from '../../../../src/hosts/rest/client.ts';
import { restProvider } from '../rest-provider.ts';

/** Calls a simulated Gitea through the provider, as the service does. */

export const giteaProvider = (address: { url: string; apiUrl: string }, options: Partial<RestHostOptions> = {}) =>
  restProvider(createGiteaProvider, address, { name: 'gitea', ...options });

export const acme: KnownAccount = { externalId: '5', handle: '', type: 'organization', name: 'acme', memory: null };
export const handbook: KnownRepository = {
  owner: 'acme',
  name: 'handbook',
  handle: '1',
  defaultBranch: 'main',
  credentialName: null,
};
