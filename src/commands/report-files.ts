import type { Report } from '../achievements/report.ts';
import { formatReport } from '../achievements/report.ts';
import { AppError } from '../errors.ts';
import { unreportedBy } from '../providers/index.ts';
import type { UnreportedKind } from '../providers/unreported.ts';
import type { Io } from './io.ts';
import { readBytes } from './read-bytes.ts';

/** A file that was read, with its faults. */
export interface ReportedFile {
  file: string;
  text: string;
  reports: readonly Report[];
  /** Further lines for people; empty when there is nothing to say. */
  lines: readonly string[];
}

/** A file as it is checked: `lines` says more to people. */
export type Checked = Omit<ReportedFile, 'file'>;

/**
 * Reads and checks files, `-` is standard input, and prints their faults. With a host it also warns of data that such a
 * host does not provide.
 * @throws AppError `invalid_input` when any file has an error, after all faults were reported.
 */
export async function checkFiles(
  io: Io,
  { paths, host, json }: { paths: readonly string[]; host: string | undefined; json: boolean },
  check: (file: { name: string; bytes: Uint8Array; unreported: readonly UnreportedKind[] }) => Checked,
): Promise<void> {
  const unreported = host === undefined ? [] : unreportedBy(host, true);
  const files: ReportedFile[] = [];
  for (const name of paths)
    files.push({ file: name, ...check({ name, bytes: await readBytes(io, name), unreported }) });
  reportFiles(io, files, { json });
}

/**
 * Prints the faults of files, for people or as JSON.
 * @throws AppError `invalid_input` when any file has an error, after all faults were reported.
 */
function reportFiles(io: Io, files: readonly ReportedFile[], { json }: { json: boolean }): void {
  if (json) {
    io.print(JSON.stringify(files.flatMap(({ file, reports }) => reports.map((report) => ({ file, ...report })))));
  } else {
    for (const { file, text, reports, lines } of files) {
      for (const report of reports) io.print(formatReport(file, text, report));
      for (const line of lines) io.print(line);
    }
  }
  const reports = files.flatMap((one) => one.reports);
  const errors = reports.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) {
    const warnings = reports.length - errors;
    throw new AppError('invalid_input', `${counted(errors, 'error')} and ${counted(warnings, 'warning')}`);
  }
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
