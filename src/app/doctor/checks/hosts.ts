import { unansweredForMs, uncheckedForMs } from '../../../accounts/access/administrators/holding.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import type { ProviderConfig } from '../../../hosts/config/hosts.ts';
import type { CredentialReport, Diagnosis, MissingPermission, Quota } from '../../../hosts/interface/diagnosis.ts';
import { counted } from '../../../model/text.ts';
import { type Finding, found, lasting, listed, quoted, utc } from '../finding.ts';
import { findHeldAdministrations, type HeldAdministrations } from '../store.ts';

/** The age, in ms, at which a confirmation is overdue: hosts are called once a day, and may fail for another one. */
const overdueMs = 2 * 86_400_000;

/** The stored data that findings about a host need in addition to the host's responses. */
export interface HostContext {
  now: Date;
  /** False when the service accepts no deliveries from hosts of this kind. */
  sendsDeliveries: boolean;
  /** The number of stored private repositories that each credential shows, by the credential's name. */
  shown: ReadonlyMap<string, number>;
  /** Names of accounts that installed the App, by the name of the installation as a credential. */
  installedOn: ReadonlyMap<string, string>;
}

const fileKeys = { token: 'token', webhookSecret: 'webhook_secret', app: 'app_id and app_private_key' } as const;
const variables = { token: ['TOKEN'], webhookSecret: ['WEBHOOK_SECRET'], app: ['APP_ID', 'APP_PRIVATE_KEY'] } as const;

/** The time, in ms, before the end of a token in which the doctor announces it. */
const expiryNoticeMs = 14 * 86_400_000;
/**
 * The share of a quota at which lookups for visitors wait, because it is reserved for refreshes, installed repositories
 * and owners.
 */
const keptFromVisitors = 0.3;

const sight: Record<CredentialReport['sees'], string> = {
  public: 'sees only public data',
  private: 'also sees private data',
  unknown: 'sees what was selected when it was made, which the host does not say',
};

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

/** Turns the report on one credential into findings. */
function examineCredential(host: ProviderConfig, report: CredentialReport, context: HostContext): Finding[] {
  const subject = `${host.name}: ${formatLabel(report, context)}`;
  if (report.state === 'unreachable') return [credentialUnreachable(host, report, subject)];
  if (report.state === 'limited') return [usedUp(subject, report.retryAt)];
  if (report.state === 'refused') return [refused(host, report, subject)];
  return [
    accepted(report, subject, context),
    ...missingPermissions(host, report, subject),
    ...expiring(host, report, subject, context.now),
    ...report.quotas.flatMap((quota) => assessQuota(quota, subject, context.now)),
  ];
}

function credentialUnreachable(host: ProviderConfig, { reason }: CredentialReport, subject: string): Finding {
  return found('hosts', {
    severity: 'problem',
    code: 'host_unreachable',
    subject,
    message: `${host.apiUrl} ${reason ?? 'does not respond'}, though it responds to other credentials.`,
    remedy: 'Run plaudit doctor again in a minute.',
  });
}

function formatLabel({ label, credentialName }: CredentialReport, { installedOn }: HostContext): string {
  const account = credentialName === null ? undefined : installedOn.get(credentialName);
  return account === undefined ? label : `${label} on ${account}`;
}

function refused(host: ProviderConfig, { kind, reason }: CredentialReport, subject: string): Finding {
  const token = formatSetting(host, 'token');
  const words: Record<CredentialReport['kind'], { message: string; remedy: string }> = {
    none: { message: 'The host does not respond without a token.', remedy: `Set ${token}.` },
    token: { message: 'The token is not accepted.', remedy: `Create a new one and set ${token}.` },
    app: {
      message: reason ?? 'The App is not accepted.',
      remedy: `Generate a private key in the settings of the App, and set ${formatSetting(host, 'app')}.`,
    },
    installation: {
      message: 'The installation is not accepted: the account suspended or removed it.',
      remedy:
        'Nothing, unless the account wants its private data collected again: then it unsuspends or installs the App.',
    },
  };
  return found('hosts', { severity: 'problem', code: 'credential_refused', subject, ...words[kind] });
}

function accepted(report: CredentialReport, subject: string, { shown }: HostContext): Finding {
  const { kind, holder, sees, expiresAt, quotas, credentialName } = report;
  const stored = credentialName === null ? 0 : (shown.get(credentialName) ?? 0);
  const facts = [
    kind === 'none' ? 'The host is called without a token' : 'It is accepted',
    ...(holder === null ? [] : [`belongs to ${quoted(holder)}`]),
    ...(kind === 'token' || kind === 'installation' ? [sight[sees]] : []),
    ...(stored === 0 ? [] : [`shows ${counted(stored, 'stored private repository', 'stored private repositories')}`]),
    ...quotas.map(({ resource, unit, limit, remaining }) => `${resource}: ${remaining} of ${limit} ${unit} left`),
    ...(expiresAt === null ? [] : [`expires on ${utc(expiresAt)}`]),
  ];
  return found('hosts', {
    severity: 'fine',
    code: kind === 'none' ? 'no_credential' : 'credential_accepted',
    subject,
    message: `${facts.join('; ')}.`,
  });
}

function missingPermissions(host: ProviderConfig, { kind, missing }: CredentialReport, subject: string): Finding[] {
  const finding = (severity: 'problem' | 'hint', permissions: readonly MissingPermission[]): Finding[] => {
    if (permissions.length === 0) return [];
    const names = listed(permissions.map(({ name }) => name));
    const neededFor = listed([...new Set(permissions.map((permission) => permission.neededFor))]);
    const message =
      kind === 'none'
        ? `Without ${names} these stay unknown: ${neededFor}.`
        : `It lacks ${names}, needed for ${neededFor}.`;
    return [
      found('hosts', {
        severity,
        code: kind === 'none' ? 'no_credential' : 'credential_lacks_permission',
        subject,
        message,
        remedy: remedyFor(host, kind),
      }),
    ];
  };
  return [
    ...finding(
      'problem',
      missing.filter(({ isRequired }) => isRequired),
    ),
    ...finding(
      'hint',
      missing.filter(({ isRequired }) => !isRequired),
    ),
  ];
}

function remedyFor(host: ProviderConfig, kind: CredentialReport['kind']): string {
  const token = formatSetting(host, 'token');
  if (kind === 'none') return `Set ${token}.`;
  if (kind === 'app') return 'Add it in the settings of the App; accounts are asked to accept new permissions.';
  return `Create a token that has it, and set ${token}.`;
}

function expiring(host: ProviderConfig, { expiresAt }: CredentialReport, subject: string, now: Date): Finding[] {
  if (expiresAt === null || expiresAt.getTime() - now.getTime() > expiryNoticeMs) return [];
  const message = `It expires on ${utc(expiresAt)}.`;
  const remedy = `Create a new one before, and set ${formatSetting(host, 'token')}.`;
  return [found('hosts', { severity: 'hint', code: 'credential_expires', subject, message, remedy, since: expiresAt })];
}

function assessQuota({ resource, unit, limit, remaining, resetAt }: Quota, subject: string, now: Date): Finding[] {
  if (limit === 0 || resetAt <= now) return [];
  if (remaining <= 0) return [usedUp(subject, resetAt, `${resource}, ${limit} ${unit}`)];
  if (remaining > limit * keptFromVisitors) return [];
  const message = `${remaining} of ${limit} ${unit} are left (${resource}); new names wait until ${utc(resetAt)}.`;
  const remedy = 'Nothing, unless that happens often: then set another token.';
  return [found('hosts', { severity: 'hint', code: 'quota_low', subject, message, remedy, since: resetAt })];
}

function usedUp(subject: string, resetAt: Date | null, resource?: string): Finding {
  const until = resetAt === null ? '' : ` until ${utc(resetAt)}`;
  return found('hosts', {
    severity: 'problem',
    code: 'quota_used_up',
    subject,
    message: `The quota is used up${until}${resource === undefined ? '' : ` (${resource})`}.`,
    remedy: 'Wait, or set another token. Collecting goes on by itself.',
    since: resetAt,
  });
}

/** Returns the name of a host's setting in PROVIDERS_FILE, or its environment variables, by where the host is set. */
export function formatSetting({ name, source }: ProviderConfig, setting: keyof typeof fileKeys): string {
  if (source === 'file') return `${fileKeys[setting]} of ${name} in PROVIDERS_FILE`;
  return variables[setting].map((variable) => `${name.toUpperCase()}_${variable}`).join(' and ');
}

/** Checks that the administrators who hold keys or embed links are confirmed by their hosts. */
export async function checkAdministrators(connection: Connection, now: Date): Promise<Finding[]> {
  const held = await findHeldAdministrations(connection, new Date(now.getTime() - overdueMs));
  return held.flatMap((ofProvider) => assessAdministrators(ofProvider, now));
}

function assessAdministrators(held: HeldAdministrations, now: Date): Finding[] {
  const { provider, administrators, unchecked, uncheckedExample, unanswered, unansweredSince } = held;
  const findings: Finding[] = [];
  if (unchecked > 0) {
    findings.push(
      found('hosts', {
        severity: 'hint',
        code: 'administrators_unchecked',
        subject: provider,
        message:
          `No credential can check whether ${counted(unchecked, 'holder')} of keys and embed links still ` +
          `${unchecked === 1 ? 'administers' : 'administer'} their organizations` +
          `${uncheckedExample === null ? '' : `, such as ${uncheckedExample}`}. ` +
          `Their keys and links end ${lasting(uncheckedForMs)} after the last proof.`,
        remedy:
          'Configure a token of an owner of the organization. At GitHub the permission "members" (read) of the App ' +
          'suffices, too.',
        count: unchecked,
      }),
    );
  }
  if (unanswered > 0 && unansweredSince !== null) {
    findings.push(
      found('hosts', {
        severity: 'problem',
        code: 'administrators_unanswered',
        subject: provider,
        message:
          `The host has not confirmed ${counted(unanswered, 'holder')} of keys and embed links, the first for ` +
          `${lasting(now.getTime() - unansweredSince.getTime())}. After ${lasting(unansweredForMs)} their keys and links are suspended.`,
        remedy: 'Check the log of the service for failures of this host.',
        since: unansweredSince,
        count: unanswered,
      }),
    );
  }
  if (findings.length > 0) return findings;
  const message = `The host confirms ${counted(administrators, 'holder')} of keys and embed links.`;
  return [found('hosts', { severity: 'fine', code: 'administrators_checked', subject: provider, message })];
}
