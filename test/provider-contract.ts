import { test } from 'node:test';
import { accountRules } from './contract/accounts.ts';
import { contributionRules } from './contract/contributions.ts';
import type { ContractHost } from './contract/host.ts';
import { repositoryRules } from './contract/repositories.ts';
import { createContractWorld } from './contract/world.ts';

/**
 * What every provider has to do: the same small world, told in each one's own wire format, gives the same domain objects.
 * A new provider comes in by a file that calls this with a simulator of its own.
 */
export function providerContract(host: ContractHost): void {
  for (const rule of [...accountRules, ...repositoryRules, ...contributionRules]) {
    test(`${host.name}: ${rule.what}`, async () => {
      const world = createContractWorld();
      await using told = await host.start(world);
      const provider = told.provider(rule.tokens);
      try {
        await rule.check({ ...world, told, provider }, host);
      } finally {
        await provider.close();
      }
    });
  }
}
