import { relative } from 'node:path';
import { unreportedBy } from '../../hosts/index.ts';
import type { UnreportedKind } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import { counted } from '../../model/text/counted.ts';
import { nearest } from '../../model/text/nearest.ts';
import { formatReport, type Report } from '../../recognition/rules/file/report.ts';
import { findInRepository, findStartFolder, readBytes } from './files.ts';
import { type Io, UsageError } from './io.ts';

/** A checked file, with its errors and warnings. */
export interface ReportedFile {
  file: string;
  text: string;
  reports: readonly Report[];
  /** Lines to print after the reports, such as a summary; not part of the JSON. */
  lines: readonly string[];
}

/** The result of checking the bytes of a file. */
export type CheckResult = Omit<ReportedFile, 'file'>;

/**
 * Reads and checks files, `-` for standard input, and prints their errors and warnings. With a kind of host, `check`
 * also gets the data that such a host does not report, to warn of it.
 * @throws AppError `invalid_input` when a file has an error, after all errors and warnings are printed.
 */
export async function checkFiles(
  io: Io,
  { paths, host, json }: { paths: readonly string[]; host: string | undefined; json: boolean },
  check: (file: { name: string; bytes: Uint8Array; unreported: readonly UnreportedKind[] }) => CheckResult,
): Promise<void> {
  // The file may be for a service with a credential, which is assumed.
  const hasCredential = true;
  const unreported = host === undefined ? [] : findUnreported(host, hasCredential);
  const files: ReportedFile[] = [];
  for (const name of paths)
    files.push({ file: name, ...check({ name, bytes: await readBytes(io, name), unreported }) });
  reportFiles(io, files, { json });
}

/** @throws UsageError for a kind of host that does not exist. */
function findUnreported(host: string, hasCredential: boolean): readonly UnreportedKind[] {
  try {
    return unreportedBy(host, hasCredential);
  } catch (cause) {
    throw cause instanceof AppError ? new UsageError(cause.message, { cause }) : cause;
  }
}

/**
 * Prints the errors and warnings of files, as text or as JSON.
 * @throws AppError `invalid_input` when a file has an error, after all errors and warnings are printed.
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
  const reports = files.flatMap((file) => file.reports);
  const errors = reports.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) {
    const warnings = reports.length - errors;
    throw new AppError('invalid_input', `${counted(errors, 'error')} and ${counted(warnings, 'warning')}`);
  }
}

/**
 * Returns the paths of the files to check: those that were named, otherwise the file of the present repository.
 * @throws UsageError when there is none.
 */
export function choosePaths(io: Io, named: readonly string[], paths: readonly string[], usage: string): string[] {
  if (named.length > 0) return [...named];
  const found = findInRepository(io, paths);
  if (found !== undefined) return [relative(findStartFolder(io), found)];
  throw new UsageError(`${usage}; there is no ${paths[0]} in this folder or one above it`);
}

/** Returns the end of a message about a part of a command that is misspelled; nothing when none is close. */
export function meant(name: string | undefined): string {
  const part = nearest(name ?? '', ['check', 'preview']);
  return part === undefined ? '' : `; did you mean ${part}?`;
}
