import { test } from 'node:test';
import { accountRules } from './accounts.ts';
import { contributionRules } from './contributions.ts';
import type { ContractHost } from './host.ts';
import { repositoryRules } from './repositories.ts';
import { createContractWorld } from './world.ts';

/**
 * Tests the rules of the contract: for the same small world, served in its own wire format, every provider must return
 * the same domain objects. Rules about optional parts are skipped where the provider does not have them. A new provider is tested by a file that calls this with its simulator.
 */
export function providerContract(host: ContractHost): void {
  for (const rule of [...accountRules, ...repositoryRules, ...contributionRules]) {
    test(`${host.name}: ${rule.title}`, async (context) => {
      const world = createContractWorld();
      await using server = await host.start(world);
      const provider = server.provider(rule.tokens);
      try {
        if (rule.appliesTo?.(provider, host) === false) context.skip('the provider or its host does not have this');
        else await rule.check({ ...world, server, provider }, host);
      } finally {
        await provider.close();
      }
    });
  }
}
