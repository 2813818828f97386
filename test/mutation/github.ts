import { readFileSync } from 'node:fs';
import { schema as graphqlSchema } from '../../simulators/github/graphql/schema.ts';
import { documentedLimits } from '../../simulators/github/limits.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import type { Exchange } from '../../simulators/host.ts';
import type { Candidate } from './candidate.ts';
import { graphqlCandidates } from './graphql.ts';
import type { MutationHost } from './host.ts';
import { jsonCandidates, type Schema } from './json-schema.ts';
import { createMutationWorld } from './mutation-world.ts';

const description = JSON.parse(
  readFileSync(new URL('../../simulators/github/generated/openapi.json', import.meta.url), 'utf8'),
) as {
  answers: Record<string, Schema>;
  components: { schemas: Record<string, Schema> };
};

function candidates({ operation, query, body }: Exchange): Candidate[] {
  if (query !== undefined) return graphqlCandidates(graphqlSchema, query, body);
  const resolve = (reference: string): Schema =>
    description.components.schemas[reference.replace('#/components/schemas/', '')] ?? {};
  const schema = description.answers[operation] ?? {};
  return jsonCandidates({ resolve, isSilent: false }, schema, body).filter((candidate) => !hasMeaning(candidate));
}

/** Returns true for an absent `pull_request`, which alone distinguishes an issue from a pull request. */
function hasMeaning({ path, change }: Candidate): boolean {
  return path.at(-1) === 'pull_request' && change === 'absent';
}

/** Limits that no run reaches, so that requests of earlier runs never slow a run down. */
const limits = Object.fromEntries(Object.keys(documentedLimits).map((name) => [name, 1e9]));

function hostWith(name: string, token: 'organization_member' | undefined): MutationHost {
  return {
    name,
    provider: 'github',
    createWorld: () => createMutationWorld({ withDiscussions: true }),
    start: async ({ world, now }, rewrite) => {
      const simulator = await startSimulator({ world, now, limits, rewrite });
      return {
        settings: {
          GITHUB_URL: simulator.url,
          GITHUB_API_URL: simulator.apiUrl,
          ...(token && { GITHUB_TOKEN: simulator.tokens[token] }),
        },
        [Symbol.asyncDispose]: () => simulator.close(),
      };
    },
    candidates,
  };
}

export const githubHost = hostWith('github', 'organization_member');
/** Without a token, GitHub serves only the REST interface. */
export const anonymousGitHubHost = hostWith('github-anonymous', undefined);
