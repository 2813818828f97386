import { startGiteaSimulator } from '../../simulators/gitea/simulator.ts';
import { responseSchema } from '../../simulators/gitea/swagger.ts';
import type { MutationHost } from './host.ts';
import { jsonCandidates } from './json-schema.ts';
import { createMutationWorld } from './mutation-world.ts';

/**
 * Gitea's description names neither required nor nullable properties; its Go program sends missing values as null or
 * not at all.
 */
export const giteaHost: MutationHost = {
  name: 'gitea',
  provider: 'gitea',
  createWorld: () => createMutationWorld({ withDiscussions: false }),
  start: async ({ world, hidden }, rewrite) => {
    const simulator = await startGiteaSimulator({ world, maxPerPage: 4, rewrite });
    simulator.hidden.set(hidden.id, 'private');
    const { url, tokens } = simulator;
    return {
      settings: { GITEA_URL: url, GITEA_TOKEN: tokens.organization_member },
      [Symbol.asyncDispose]: () => simulator.close(),
    };
  },
  candidates: ({ operation, body }) => {
    const { schema, resolve } = responseSchema(operation);
    return jsonCandidates({ resolve, isSilent: true }, schema, body);
  },
};
