import { createPrivateKey } from 'node:crypto';
import type { Simulator } from '../../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../../simulators/github/tokens.ts';
import { createGitHubProvider, type GitHubProvider } from '../../../../src/hosts/github/provider.ts';

/** Creates a provider that is the simulator's App, without a token unless some are named. */
export function createAppProvider(
  { app, url, apiUrl, tokens }: Simulator,
  { now, tokenNames = [] }: { now: () => Date; tokenNames?: readonly TokenName[] },
): GitHubProvider {
  return createGitHubProvider({
    name: 'github',
    url,
    apiUrl,
    tokens: tokenNames.map((name) => tokens[name]),
    webhookSecret: undefined,
    app: { id: String(app.id), privateKey: createPrivateKey(app.privateKey) },
    connectTimeoutMs: 2000,
    now,
  });
}
