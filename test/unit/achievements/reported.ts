import { readFileSync } from 'node:fs';
import { type ReadConfigFile, readConfigFile } from '../../../src/recognition/achievements/config-file.ts';
import { describeReport } from '../../../src/recognition/rules/file/report.ts';

/** Returns the bytes of a file that a public repository has. */
export function corpusFile(name: string): Buffer {
  return readFileSync(new URL(`corpus/${name}.yaml`, import.meta.url));
}

export function readText(text: string): ReadConfigFile {
  return readConfigFile(Buffer.from(text));
}

/** Returns the reports on a file: `line:column severity: message; expected ...; did you mean ...?`. */
export function reported(file: string | Uint8Array): string[] {
  const { reports } = readConfigFile(typeof file === 'string' ? Buffer.from(file) : file);
  return reports.map((report) => `${report.line}:${report.column} ${report.severity}: ${describeReport(report)}`);
}

/** Returns a file with one achievement of one trigger. */
export function fileWith(trigger: string, achievement = ''): string {
  return `version: 0.0.1
achievements:
  - achievement:
      name: Hero
${achievement}      triggers:
        - trigger: ${trigger}
`;
}
