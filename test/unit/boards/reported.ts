import { type ReadBoardsFile, readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import type { FileHost } from '../../../src/recognition/boards/file/schema.ts';
import { describeReport } from '../../../src/recognition/rules/file/report.ts';

export function readText(text: string, host: Partial<FileHost> = {}): ReadBoardsFile {
  return readBoardsFile(Buffer.from(text), { provider: 'github', ...host });
}

/** Returns the reports on a file: `line:column severity: message; expected ...; did you mean ...?`. */
export function reported(text: string, host: Partial<FileHost> = {}): string[] {
  return readText(text, host).reports.map(
    (report) => `${report.line}:${report.column} ${report.severity}: ${describeReport(report)}`,
  );
}

/** Returns a file with one board: the required keys, and those that `lines` adds. */
export function boardWith(
  lines: string,
  { repositories = '[acme/*]', points = '[{ action: commit, points: 1 }]' } = {},
): string {
  const indented = lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => `      ${line}\n`);
  return `version: 1
boards:
  - board:
      name: Sprint
      slug: sprint
      repositories: ${repositories}
      points: ${points}
${indented.join('')}`;
}
