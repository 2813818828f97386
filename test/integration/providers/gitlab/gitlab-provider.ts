import { createGitLabProvider } from '../../../../src/hosts/gitlab/provider.ts';
import type { KnownAccount } from '../../../../src/hosts/interface/provider.ts';
import type { RestHostOptions } from '../../../../src/hosts/rest/client.ts';
import { type ContractWorld, toOrganization } from '../../../contract/world.ts';
import { restProvider } from '../rest-provider.ts';

/** Calls a simulated GitLab through the provider, as the service does. */

export const gitlabProvider = (address: { url: string; apiUrl: string }, options: Partial<RestHostOptions> = {}) =>
  restProvider(createGitLabProvider, address, { name: 'gitlab', ...options });

/** Returns the group of the world, as it is stored. */
export function toGroup(fixture: ContractWorld): KnownAccount {
  return { ...toOrganization(fixture), externalId: `group:${fixture.organization.id}` };
}
