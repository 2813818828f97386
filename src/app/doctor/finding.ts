import { type Static, Type } from 'typebox';
import { counted } from '../../model/text.ts';

const sections: readonly (readonly [Finding['severity'], string])[] = [
  ['problem', 'Problems'],
  ['hint', 'Hints'],
  ['fine', 'Fine'],
];

const spans: readonly (readonly [number, string])[] = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
];

const maxQuoted = 300;

/** The codes of findings, for programs. Codes never change their meaning; new ones may be added. */
export const findingCodes = [
  'settings_invalid',
  'check_failed',
  'git_found',
  'git_unfit',
  'disk_space',
  'disk_full',
  'database_reachable',
  'database_unreachable',
  'database_missing',
  'database_too_old',
  'database_too_new',
  'migrations_pending',
  'tables_of_another_version',
  'clock_differs',
  'statement_limit_missing',
  'transaction_blocking',
  'replica_reachable',
  'replica_unreachable',
  'replica_unfit',
  'replica_behind',
  'service_running',
  'service_not_running',
  'host_reachable',
  'host_unreachable',
  'host_unchecked',
  'host_too_old',
  'credential_accepted',
  'credential_refused',
  'credential_lacks_permission',
  'credential_expires',
  'quota_low',
  'quota_used_up',
  'no_credential',
  'webhook_secret_missing',
  'installation_suspended',
  'installation_lacks_permission',
  'administrators_checked',
  'administrators_unchecked',
  'administrators_unanswered',
  'delivery_received',
  'delivery_overdue',
  'deliveries_pending',
  'deliveries_failed',
  'deliveries_rejected',
  'streams_read',
  'stream_failing',
  'repositories_read',
  'repositories_waiting',
  'items_stored',
  'items_skipped',
  'commits_counted',
  'commits_uncounted',
  'data_agrees',
  'drift',
  'jobs_done',
  'jobs_failing',
  'polls_done',
  'polls_overdue',
  'lookups_prompt',
  'lookups_delayed',
] as const;
export type FindingCode = (typeof findingCodes)[number];

/** The parts of the service that the doctor checks, in the order of a report. */
const areas = ['settings', 'machine', 'database', 'hosts', 'deliveries', 'collecting', 'jobs'] as const;
export type Area = (typeof areas)[number];

/** One result of a check. */
export const Finding = Type.Object({
  severity: Type.Enum(['problem', 'hint', 'fine'], {
    description: '`problem`: data is missing or will be. `hint`: worth knowing. `fine`: nothing to do.',
  }),
  area: Type.Enum([...areas]),
  code: Type.Enum([...findingCodes]),
  subject: Type.String({ description: 'The host, credential, repository or task that it is about; may be empty.' }),
  message: Type.String({ description: 'The finding and its cause, for people.' }),
  remedy: Type.Union([Type.Null(), Type.String()], { description: 'The way out, for people.' }),
  since: Type.Union([Type.Null(), Type.String({ format: 'date-time' })], {
    description: 'When it began, or when it last happened.',
  }),
  count: Type.Union([Type.Null(), Type.Integer({ minimum: 0 })], {
    description: 'How many repositories, items, deliveries or jobs it is about.',
  }),
});
export type Finding = Static<typeof Finding>;

/** The output of `plaudit doctor --json`. */
export const DoctorReport = Type.Object({
  report: Type.Literal('plaudit doctor'),
  format: Type.Literal(1, { description: 'Grows when a reader of this shape could not read the new one.' }),
  checked_dttm: Type.String({ format: 'date-time' }),
  healthy: Type.Boolean({ description: 'Whether there is no problem.' }),
  problems: Type.Integer({ minimum: 0 }),
  hints: Type.Integer({ minimum: 0 }),
  findings: Type.Array(Finding),
});
export type DoctorReport = Static<typeof DoctorReport>;

interface FindingFacts {
  severity: Finding['severity'];
  code: FindingCode;
  subject?: string;
  message: string;
  remedy?: string | undefined;
  since?: Date | null;
  count?: number;
}

/** Returns a finding about an area. */
export function found(area: Area, facts: FindingFacts): Finding {
  const { severity, code, subject = '', message, remedy = null, since, count = null } = facts;
  return { severity, area, code, subject, message, remedy, since: since?.toISOString() ?? null, count };
}

/** Orders findings: problems first, and within each severity by area. */
function inOrder(findings: readonly Finding[]): Finding[] {
  const severities: Finding['severity'][] = ['problem', 'hint', 'fine'];
  const rank = ({ severity, area }: Finding): number =>
    severities.indexOf(severity) * areas.length + areas.indexOf(area);
  return findings.toSorted((left, right) => rank(left) - rank(right));
}

export function toReport(findings: readonly Finding[], checkedAt: Date): DoctorReport {
  const ofSeverity = (severity: Finding['severity']): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const problems = ofSeverity('problem');
  return {
    report: 'plaudit doctor',
    format: 1,
    checked_dttm: checkedAt.toISOString(),
    healthy: problems === 0,
    problems,
    hints: ofSeverity('hint'),
    findings: inOrder(findings),
  };
}

/** Returns a time to the minute: `2026-11-21 14:05 UTC`. */
export function utc(time: Date): string {
  return `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Returns a length of time in its largest unit, rounded down: `3 hours`. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [size, unit] = spans.find(([least]) => seconds >= least) ?? [1, 'second'];
  return counted(Math.floor(seconds / size), unit);
}

/** Returns the time since a moment: `3 hours ago`. */
export function ago(time: Date, now: Date): string {
  return `${lasting(now.getTime() - time.getTime())} ago`;
}

/** Joins words: `a, b and c`. */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** Returns the first line of a text from a host, without characters that could move a terminal's cursor. */
export function quoted(text: string): string {
  const [line = ''] = text.trim().split(/[\r\n]/, 1);
  const plain = line.replaceAll(/\p{Cc}|\p{Cf}/gu, ' ').trim();
  return plain.length > maxQuoted ? `${plain.slice(0, maxQuoted)}…` : plain;
}

/** Returns a report as lines for people: problems first, one line for each finding. */
export function renderReport(report: DoctorReport): string[] {
  const { problems, hints, findings } = report;
  const verdict = problems === 0 ? 'Nothing is wrong.' : `${counted(problems, 'problem')} found.`;
  const lines = [hints === 0 ? verdict : `${verdict} ${counted(hints, 'hint')}, too.`];
  for (const [severity, title] of sections) {
    const ofSeverity = findings.filter((finding) => finding.severity === severity);
    if (ofSeverity.length > 0) lines.push('', title, ...ofSeverity.map(renderFinding));
  }
  return lines;
}

function renderFinding({ area, subject, message, remedy }: Finding): string {
  const place = subject === '' ? area : `${area}, ${subject}`;
  const words = [`${place}: ${message}`, ...(remedy === null ? [] : [remedy])];
  return `  ${words.map((text) => plain(text)).join(' ')}`;
}

/** Replaces control characters, because texts of hosts must not control the terminal. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}|\p{Cf}/gu, ' ');
}
