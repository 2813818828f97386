import { deliverySecret } from '../../../simulators/host.ts';
import type { Provider } from '../../../src/hosts/interface/provider.ts';
import type { RestHostOptions } from '../../../src/hosts/rest/client.ts';

/** Creates a provider that calls a simulated host as the service does, without tokens unless options name some. */
export function restProvider<Created extends Provider>(
  create: (options: RestHostOptions) => Created,
  { url, apiUrl }: { url: string; apiUrl: string },
  options: Pick<RestHostOptions, 'name'> & Partial<RestHostOptions>,
): Created & AsyncDisposable {
  const provider = create({
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
