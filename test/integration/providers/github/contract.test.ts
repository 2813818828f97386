import { startSimulator } from '../../../../simulators/github/simulator.ts';
import { createGitHubProvider } from '../../../../src/hosts/github/provider.ts';
import { plainHost } from '../../../contract/host.ts';
import { providerContract } from '../../../contract/provider-contract.ts';

providerContract({
  ...plainHost,
  name: 'GitHub',
  // Comments on lines are included in the number of comments; tests of their own cover that number and the size.
  unreported: ['comments', 'additions', 'deletions', 'changedFiles', 'commits'],
  reportsStars: true,
  start: async ({ world, now }) => {
    const simulator = await startSimulator({ world, now });
    const { url, apiUrl, tokens } = simulator;
    return {
      tokens,
      provider: (names) =>
        createGitHubProvider({
          name: 'github',
          url,
          apiUrl,
          tokens: names.map((name) => tokens[name]),
          webhookSecret: 'a secret for deliveries',
          app: undefined,
          connectTimeoutMs: 2000,
          now,
        }),
      [Symbol.asyncDispose]: () => simulator.close(),
    };
  },
});
