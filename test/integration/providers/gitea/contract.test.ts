import { startGiteaSimulator } from '../../../../simulators/gitea/simulator.ts';
import { createGiteaProvider } from '../../../../src/providers/gitea/provider.ts';
import { plainHost } from '../../../contract/host.ts';
import { providerContract } from '../../../contract/provider-contract.ts';

for (const maxPerPage of [50, 2]) {
  providerContract({
    ...plainHost,
    name: `Gitea, ${maxPerPage} a page`,
    // Gitea does not report why an issue was closed, and only later versions report how large a pull request is.
    unreported: ['reason', 'additions', 'deletions', 'changedFiles', 'commits'],
    tellsStars: false,
    start: async ({ world, now }) => {
      const simulator = await startGiteaSimulator({ world, maxPerPage });
      const { url, apiUrl, tokens } = simulator;
      return {
        tokens,
        provider: (names) =>
          createGiteaProvider({
            name: 'gitea',
            url,
            apiUrl,
            tokens: names.map((name) => tokens[name]),
            webhookSecret: 'a secret for deliveries',
            connectTimeoutMs: 2000,
            now,
          }),
        [Symbol.asyncDispose]: () => simulator.close(),
      };
    },
  });
}
