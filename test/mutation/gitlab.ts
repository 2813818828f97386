import { gitlabSchema } from '../../simulators/gitlab/graphql.ts';
import { responseSchema } from '../../simulators/gitlab/interface.ts';
import { startGitLabSimulator } from '../../simulators/gitlab/simulator.ts';
import { approveCommented } from '../contract/world.ts';
import type { Candidate } from './candidate.ts';
import { graphqlCandidates } from './graphql.ts';
import type { MutationHost } from './host.ts';
import { jsonCandidates } from './json-schema.ts';
import { createMutationWorld } from './mutation-world.ts';

export const gitlabHost: MutationHost = {
  name: 'gitlab',
  provider: 'gitlab',
  createWorld: () => {
    const world = createMutationWorld({ withDiscussions: false });
    approveCommented(world.world);
    return world;
  },
  start: async ({ world, hidden }, rewrite) => {
    const simulator = await startGitLabSimulator({ world, maxPerPage: 4, rewrite });
    simulator.hidden.profiles.add(hidden.id);
    const { url, tokens } = simulator;
    return {
      settings: { GITLAB_URL: url, GITLAB_TOKEN: tokens.organization_member },
      [Symbol.asyncDispose]: () => simulator.close(),
    };
  },
  candidates: ({ operation, query, body }) => {
    if (query !== undefined) return graphqlCandidates(gitlabSchema, query, body);
    // TypeBox builds plain JSON Schema, without references.
    const schema = responseSchema(operation);
    const candidates = jsonCandidates({ resolve: () => ({}), isSilent: false }, schema ?? {}, body);
    return candidates.filter((candidate) => !makesOrdinaryComment(operation, candidate));
  },
};

/** GitLab writes null as the type of an ordinary comment, so that such a change is another comment and no fault. */
function makesOrdinaryComment(operation: string, { path, change }: Candidate): boolean {
  return operation.endsWith('/notes') && path.at(-1) === 'type' && change === 'null';
}
