import type { ProviderConfig } from '../../hosts/config/hosts.ts';
import type { CredentialReport, Diagnosis } from '../../hosts/interface/diagnosis.ts';
import type { Provider } from '../../hosts/interface/provider.ts';
import type { Config } from '../config/config.ts';

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

/** Describes in a few words how a host can be called, for the line that the service prints at its start. */
export function summarize({ version, credentials }: Diagnosis): string {
  const callers = credentials.filter(({ kind }) => kind !== 'app');
  const accepted = callers.filter(({ state }) => state === 'accepted');
  const [best] = accepted.toSorted((first, second) => toRemaining(second) - toRemaining(first));
  if (best === undefined) return whyNone(callers, credentials);
  const quota = best.quotas[0];
  const several = accepted.length > 1 ? ` on one of ${accepted.length} credentials` : '';
  return [
    ...(version === null ? [] : [`version ${version}`]),
    ...(quota === undefined ? [] : [`${quota.remaining} of ${quota.limit} ${quota.unit} left${several}`]),
    ...(best.kind === 'none' ? ['called without a token'] : quota === undefined ? ['the token is accepted'] : []),
  ].join(', ');
}

function toRemaining({ quotas: [quota] }: CredentialReport): number {
  return quota?.remaining ?? Number.POSITIVE_INFINITY;
}

/** Returns the reason why no credential is accepted. */
function whyNone(callers: readonly CredentialReport[], credentials: readonly CredentialReport[]): string {
  const concerned = callers.length > 0 ? callers : credentials;
  if (concerned.some(({ state }) => state === 'limited')) return 'nothing is left of its quota for now';
  if (concerned.some(({ state }) => state === 'refused')) return 'the credentials are not accepted';
  if (concerned.some(({ state }) => state === 'unreachable')) return 'cannot be reached just now';
  return 'the App is installed nowhere yet';
}
