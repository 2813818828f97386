import { startGitLabSimulator } from '../../../../simulators/gitlab/simulator.ts';
import { plainHost } from '../../../contract/host.ts';
import { providerContract } from '../../../contract/provider-contract.ts';
import { gitlabProvider } from './gitlab-provider.ts';

for (const maxPerPage of [100, 2]) {
  providerContract({
    ...plainHost,
    name: `GitLab, ${maxPerPage} a page`,
    // GitLab does not report why an issue was closed. Tests of their own cover how large a merge request is.
    unreported: ['reason', 'additions', 'deletions', 'changedFiles', 'commits'],
    reportsStars: true,
    externalIdOf: ({ id, type }) => (type === 'Organization' ? `group:${id}` : String(id)),
    reviewStates: ['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'],
    unreportedOfOrganizations: ['website'],
    start: async ({ world, now }) => {
      const simulator = await startGitLabSimulator({ world, maxPerPage });
      const { tokens } = simulator;
      return {
        tokens,
        provider: (names) => gitlabProvider(simulator, { tokens: names.map((name) => tokens[name]), now }),
        [Symbol.asyncDispose]: () => simulator.close(),
      };
    },
  });
}
