import { giteaHost } from './gitea.ts';
import { anonymousGitHubHost, githubHost } from './github.ts';
import { gitlabHost } from './gitlab.ts';
import type { MutationHost } from './host.ts';

/** Every code host whose responses are mutated. */
export const hosts: readonly MutationHost[] = [githubHost, anonymousGitHubHost, giteaHost, gitlabHost];
