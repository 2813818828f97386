import type { ProviderConfig } from '../../../hosts/config/hosts.ts';
import type { CredentialReport, Diagnosis } from '../../../hosts/interface/diagnosis.ts';
import { type Finding, found } from '../finding.ts';
import { examineCredential } from './credentials.ts';
import { formatSetting, type HostContext } from './host-context.ts';

/** Turns the diagnosis of a host into findings. */
export function examineHost(host: ProviderConfig, diagnosis: Diagnosis, context: HostContext): Finding[] {
  const { credentials, version, needs } = diagnosis;
  const responding = credentials.filter(({ state }) => state !== 'unreachable');
  if (responding.length === 0) return [unreachable(host, credentials)];
  const fastest = Math.min(...responding.flatMap(({ latencyMs }) => latencyMs ?? []));
  const software = version === null ? '' : ` (version ${version})`;
  const time = Number.isFinite(fastest) ? ` in ${fastest} ms` : '';
  return [
    found('hosts', {
      severity: 'fine',
      code: 'host_reachable',
      subject: host.name,
      message: `${host.apiUrl} responds${time}${software}.`,
    }),
    ...(needs === undefined ? [] : [tooOld(host, version, needs)]),
    ...credentials.flatMap((credential) => examineCredential(host, credential, context)),
    ...assessWebhookSecret(host, context),
  ];
}

function tooOld(host: ProviderConfig, version: string | null, needs: NonNullable<Diagnosis['needs']>): Finding {
  return found('hosts', {
    severity: 'problem',
    code: 'host_too_old',
    subject: host.name,
    message: `${host.url} is version ${version}; the service needs ${needs.version} or later: ${needs.because}.`,
    remedy: 'Upgrade the server of the host. Until then a part of its data is missing.',
  });
}

/** Returns the finding about a host whose provider has no diagnosis. */
export function hostUnchecked({ name, apiUrl }: ProviderConfig): Finding {
  return found('hosts', {
    severity: 'fine',
    code: 'host_unchecked',
    subject: name,
    message: `${apiUrl} was not called: the provider of this host has no diagnosis.`,
  });
}

/** Returns the finding about a host that does not respond. */
function unreachable(host: ProviderConfig, [first]: readonly CredentialReport[]): Finding {
  return found('hosts', {
    severity: 'problem',
    code: 'host_unreachable',
    subject: host.name,
    message: `${host.apiUrl} ${first?.reason ?? 'does not respond'}.`,
    remedy: 'Check the address in the settings, the network, and HTTPS_PROXY if there is a proxy.',
  });
}

function assessWebhookSecret(host: ProviderConfig, { sendsDeliveries }: HostContext): Finding[] {
  if (!sendsDeliveries || host.webhookSecret !== undefined || host.source === 'default') return [];
  return [
    found('hosts', {
      severity: 'hint',
      code: 'webhook_secret_missing',
      subject: host.name,
      message: 'No webhook secret is set, so that changes are found by polling alone, up to a day later.',
      remedy: `Set ${formatSetting(host, 'webhookSecret')}, and add a webhook with it at the host.`,
    }),
  ];
}
