import { createGitLabProvider, type GitLabOptions } from '../../src/providers/gitlab/provider.ts';
import type { Provider } from '../../src/providers/provider.ts';

/** Asking a GitLab as the service does. */

export const deliverySecret = 'a secret for deliveries';

export function gitlabProvider(
  { url, apiUrl }: { url: string; apiUrl: string },
  options: Partial<GitLabOptions> = {},
): Provider & AsyncDisposable {
  const provider = createGitLabProvider({
    name: 'gitlab',
    url,
    apiUrl,
    tokens: [],
    webhookSecret: deliverySecret,
    connectTimeoutMs: 2000,
    now: () => new Date(),
    ...options,
  });
  return { ...provider, [Symbol.asyncDispose]: () => provider.close() };
}
