import type { ProviderConfig } from '../../../hosts/config/hosts.ts';
import type { CredentialReport, MissingPermission, Quota } from '../../../hosts/interface/diagnosis.ts';
import { counted } from '../../../model/text/counted.ts';
import { type Finding, found, listed, quoted, utc } from '../finding.ts';
import { formatSetting, type HostContext } from './host-context.ts';

/** The time, in ms, before the end of a token in which the doctor announces it. */
const expiryNoticeMs = 14 * 86_400_000;
/**
 * The share of a quota at which lookups for visitors wait, because it is reserved for refreshes, installed repositories
 * and owners.
 */
const keptFromVisitors = 0.3;

/** Turns the report on one credential into findings. */
export function examineCredential(host: ProviderConfig, report: CredentialReport, context: HostContext): Finding[] {
  const subject = `${host.name}: ${formatLabel(report, context)}`;
  if (report.state === 'unreachable') return [unreachable(host, report, subject)];
  if (report.state === 'limited') return [usedUp(subject, report.retryAt)];
  if (report.state === 'refused') return [refused(host, report, subject)];
  return [
    accepted(report, subject, context),
    ...missingPermissions(host, report, subject),
    ...expiring(host, report, subject, context.now),
    ...report.quotas.flatMap((quota) => assessQuota(quota, subject, context.now)),
  ];
}

function unreachable(host: ProviderConfig, { reason }: CredentialReport, subject: string): Finding {
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

const sight: Record<CredentialReport['sees'], string> = {
  public: 'sees only public data',
  private: 'also sees private data',
  unknown: 'sees what was selected when it was made, which the host does not say',
};

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
