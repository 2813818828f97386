import type { Provider, ProviderWith } from '../interface/provider.ts';
import { type AuthorizationServer, OAuthSignIn } from '../transport/oauth.ts';
import { BearerClient } from './access.ts';
import { type Dialect, RestClient, type RestHostOptions } from './client.ts';
import { listCredentialNames } from './views.ts';

/** The clients of a host. */
interface RestHost {
  client: RestClient;
  /** Sends requests with tokens that people present. */
  bearers: BearerClient;
  /** The parts of the provider that are alike at every host whose credentials are tokens. */
  parts: Pick<Provider, 'name' | 'host' | 'signIn' | 'credentialUses' | 'close'> &
    Pick<ProviderWith<'privateData'>, 'privateData'>;
}

/**
 * Creates the clients of a host. `close` of the parts closes all of them.
 * @param server the server with which people sign in; undefined: the host has none.
 */
export function createRestHost(options: RestHostOptions, dialect: Dialect, server?: AuthorizationServer): RestHost {
  const client = new RestClient(options, dialect);
  const bearers = new BearerClient(options, dialect);
  const signIn = server && options.oauth && new OAuthSignIn({ ...options, ...server, client: options.oauth });
  return {
    client,
    bearers,
    parts: {
      name: options.name,
      host: new URL(options.url).host,
      privateData: { credentialNames: () => listCredentialNames(client) },
      signIn,
      credentialUses: () => client.credentials.uses(client.now()),
      close: async () => {
        await Promise.all([client.close(), bearers.close(), signIn?.close()]);
      },
    },
  };
}
