import { startGiteaSimulator } from '../../../../simulators/gitea/simulator.ts';
import { plainHost } from '../../../contract/host.ts';
import { providerContract } from '../../../contract/provider-contract.ts';
import { giteaProvider } from './gitea-provider.ts';

for (const maxPerPage of [50, 2]) {
  providerContract({
    ...plainHost,
    draftPrefix: 'WIP: ',
    reviewMoment: 'createdAt',
    countsCommentsOfReviews: true,
    name: `Gitea, ${maxPerPage} a page`,
    // Gitea does not report why an issue was closed, and only later versions report how large a pull request is.
    unreported: ['reason', 'additions', 'deletions', 'changedFiles', 'commits'],
    reportsStars: false,
    start: async ({ world, now }) => {
      const simulator = await startGiteaSimulator({ world, maxPerPage });
      const { tokens } = simulator;
      return {
        tokens,
        provider: (names) => giteaProvider(simulator, { tokens: names.map((name) => tokens[name]), now }),
        [Symbol.asyncDispose]: () => simulator.close(),
      };
    },
  });
}
