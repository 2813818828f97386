import type { Connection } from '../../../database/connections/connection.ts';
import type { ProviderConfig } from '../../../hosts/config/hosts.ts';
import { counted } from '../../../model/text.ts';
import { findRejections, type RejectionCount } from '../../../sync/deliveries/rejection-store.ts';
import { ago, type Finding, found, utc } from '../finding.ts';
import {
  findInstalledActivity,
  findLastDelivery,
  findUnapplied,
  type InstalledActivity,
  type UnappliedDeliveries,
} from '../store.ts';
import { formatSetting } from './hosts.ts';

/** The time, in ms, after a change within which its delivery must come: usually minutes, but hosts may try again. */
const deliveredWithinMs = 3_600_000;
/** The time, in ms, after which a waiting delivery is late; usually it is applied within seconds. */
const appliedWithinMs = 300_000;
/** The age, in ms, above which rejections are not reported. */
const recentMs = 7 * 86_400_000;

/** Checks that deliveries are accepted and applied, and for hosts with a webhook secret that they arrive. */
export async function checkDeliveries(
  connection: Connection,
  hosts: readonly ProviderConfig[],
  now: Date,
): Promise<Finding[]> {
  const rejections = await findRejections(connection);
  const findings: Finding[] = (await findUnapplied(connection)).flatMap((unapplied) => assessUnapplied(unapplied, now));
  for (const host of hosts) {
    const lastAt = await findLastDelivery(connection, host.name);
    const rejected = rejections.filter(({ provider }) => provider === host.name);
    findings.push(...rejected.flatMap((rejection) => assessRejection(host, rejection, lastAt, now)));
    if (host.webhookSecret === undefined) continue;
    findings.push(...assessLastDelivery(host, lastAt, await findInstalledActivity(connection, host.name), now));
  }
  return findings;
}

function assessUnapplied({ provider, pending, failed, oldestAt }: UnappliedDeliveries, now: Date): Finding[] {
  const isLate = now.getTime() - oldestAt.getTime() > appliedWithinMs;
  return [
    ...(pending === 0
      ? []
      : [
          found('deliveries', {
            severity: isLate ? 'problem' : 'fine',
            code: 'deliveries_pending',
            subject: provider,
            message: `${counted(pending, 'delivery', 'deliveries')} wait to be applied, the oldest since ${ago(oldestAt, now)}.`,
            remedy: isLate ? 'Start the service, or look into its log for why it does not apply them.' : undefined,
            since: oldestAt,
            count: pending,
          }),
        ]),
    ...(failed === 0
      ? []
      : [
          found('deliveries', {
            severity: 'problem',
            code: 'deliveries_failed',
            subject: provider,
            message: `${counted(failed, 'delivery', 'deliveries')} could not be applied and are given up.`,
            remedy: 'The log of the service says why. The changes are found by polling, only later.',
            count: failed,
          }),
        ]),
  ];
}

function assessLastDelivery(
  host: ProviderConfig,
  lastAt: Date | null,
  activity: InstalledActivity,
  now: Date,
): Finding[] {
  const { repositories, changedAt, repository } = activity;
  const last =
    lastAt === null ? 'No delivery has come in the last 30 days' : `The last delivery came ${ago(lastAt, now)}`;
  const isMissed =
    changedAt !== null &&
    now.getTime() - changedAt.getTime() > deliveredWithinMs &&
    changedAt.getTime() - (lastAt?.getTime() ?? 0) > deliveredWithinMs;
  const about = { subject: host.name, since: lastAt };
  if (isMissed) {
    const message = `${last}, though ${repository ?? 'an installed repository'} changed at ${utc(changedAt)}.`;
    const remedy =
      'At the host, look at the recent deliveries of the webhook: its address, its secret and its events. Until then changes are found by polling.';
    return [found('deliveries', { ...about, severity: 'problem', code: 'delivery_overdue', message, remedy })];
  }
  if (lastAt === null && repositories > 0) {
    const message = `${last}, and nothing that is known to be delivered has happened.`;
    const remedy = 'If there is no webhook yet, add one at the host.';
    return [found('deliveries', { ...about, severity: 'hint', code: 'delivery_overdue', message, remedy })];
  }
  return [found('deliveries', { ...about, severity: 'fine', code: 'delivery_received', message: `${last}.` })];
}

/** Reasons of rejections that only the host can cause, because the deliveries were signed with its secret. */
const signedReasons = new Set(['headers', 'payload']);
/** Reasons of rejections that lose no data by themselves. */
const harmlessReasons = new Set(['no_secret', 'too_large', 'too_slow']);

/**
 * Turns the rejections of a host for one reason into a finding. If others than the host can cause them, it is only a
 * hint after a later accepted delivery, which shows that the webhook works.
 */
function assessRejection(
  host: ProviderConfig,
  { reason, count, firstAt, lastAt }: RejectionCount,
  acceptedAt: Date | null,
  now: Date,
): Finding[] {
  if (now.getTime() - lastAt.getTime() > recentMs) return [];
  const isResolved = !signedReasons.has(reason) && acceptedAt !== null && acceptedAt > lastAt;
  const number = `${counted(count, 'delivery', 'deliveries')} since ${utc(firstAt)} ${count === 1 ? 'was' : 'were'}`;
  const { cause, remedy } = rejectionWords(host, reason);
  return [
    found('deliveries', {
      severity: isResolved || harmlessReasons.has(reason) ? 'hint' : 'problem',
      code: 'deliveries_rejected',
      subject: host.name,
      message: `${number} rejected, the last one ${ago(lastAt, now)}: ${cause}.`,
      remedy,
      since: lastAt,
      count,
    }),
  ];
}

function rejectionWords(host: ProviderConfig, reason: string): { cause: string; remedy: string } {
  const secret = formatSetting(host, 'webhookSecret');
  switch (reason) {
    case 'signature':
      return {
        cause: 'they are not signed with the configured secret',
        remedy:
          host.kind === 'gitlab'
            ? `Give the webhook at the host the value of ${secret}, as its signing token (GitLab 19 or later) or secret token, and check the clock.`
            : `Give the webhook at the host the secret that ${secret} has.`,
      };
    case 'no_secret':
      return {
        cause: 'no webhook secret is configured',
        remedy: `If the host sends them, set ${secret}; else they come from strangers.`,
      };
    case 'too_large':
      return { cause: 'they are larger than any host sends', remedy: 'Nothing: they come from strangers.' };
    case 'too_slow':
      return {
        cause: 'their bodies did not arrive completely within 10 seconds',
        remedy: 'If this continues, look at the proxy before the service; else they come from strangers.',
      };
    case 'overloaded':
      return {
        cause: 'other deliveries used up the memory for them',
        remedy:
          'Limit the requests of unknown addresses at the proxy before the service. Deliver them again at the host.',
      };
    case 'compressed':
      return { cause: 'they are compressed', remedy: 'Have the proxy before the service pass bodies on as they come.' };
    default:
      return {
        cause: 'they are signed, but not as the host documents them',
        remedy:
          'Set the content type of the webhook to application/json. If it is, report it with the version of the host.',
      };
  }
}
