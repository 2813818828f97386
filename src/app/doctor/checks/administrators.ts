import { unansweredForMs, uncheckedForMs } from '../../../accounts/access/administrators/holding.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { counted } from '../../../model/text/counted.ts';
import { type Finding, found, lasting } from '../finding.ts';
import { findHeldAdministrations, type HeldAdministrations } from '../store.ts';

/** The age, in ms, at which a confirmation is overdue: hosts are called once a day, and may fail for another one. */
const overdueMs = 2 * 86_400_000;

/** Checks that the administrators who hold keys or embed links are confirmed by their hosts. */
export async function checkAdministrators(connection: Connection, now: Date): Promise<Finding[]> {
  const held = await findHeldAdministrations(connection, new Date(now.getTime() - overdueMs));
  return held.flatMap((ofProvider) => assess(ofProvider, now));
}

function assess(held: HeldAdministrations, now: Date): Finding[] {
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
