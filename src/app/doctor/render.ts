import { counted } from '../../model/text/counted.ts';
import type { DoctorReport, Finding } from './finding.ts';

const sections: readonly (readonly [Finding['severity'], string])[] = [
  ['problem', 'Problems'],
  ['hint', 'Hints'],
  ['fine', 'Fine'],
];

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
