import type { ProviderConfig } from '../../hosts/config/hosts.ts';
import type { Provider } from '../../hosts/interface/provider.ts';
import type { Config } from '../config/config.ts';
import { summarize } from './summarize.ts';

/** The longest wait, in ms, for hosts to report the rest of their quota. */
const diagnosisTimeoutMs = 2000;

/** Returns a short description of each configured host, for the line that the service prints at its start. */
export function describeHosts(
  config: Config,
  providers: ReadonlyMap<string, Provider>,
  ending: AbortSignal,
): Promise<string[]> {
  return Promise.all(
    configuredHosts(config).map(async ({ name }) => {
      const signal = AbortSignal.any([ending, AbortSignal.timeout(diagnosisTimeoutMs)]);
      const diagnosis = await providers.get(name)?.diagnose?.(signal);
      return `${name}: ${diagnosis === undefined ? 'not checked' : summarize(diagnosis)}`;
    }),
  );
}

/**
 * Returns the hosts that the operator configured, or the default one when there are none. A network with its own Gitea
 * may not reach github.com, so that a request to it would only delay the start.
 */
export function configuredHosts({ providers }: Config): ProviderConfig[] {
  const configured = providers.filter(({ source }) => source !== 'default');
  return configured.length > 0 ? configured : providers;
}
