import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { hostKindsInWords } from '../../hosts/config/host-settings.ts';
import { unreportedBy } from '../../hosts/index.ts';
import type { UnreportedKind } from '../../hosts/interface/provider.ts';
import { AppError } from '../../model/errors.ts';
import { counted, nearest } from '../../model/text.ts';
import { configPaths, readConfigFile } from '../../recognition/achievements/config-file.ts';
import { boardsPaths, readBoardsFile } from '../../recognition/boards/file/read-file.ts';
import { explainDemand, explainFile } from '../../recognition/rules/file/explain-file.ts';
import { formatReport, type Report } from '../../recognition/rules/file/report.ts';
import { findInRepository, findStartFolder, readBytes } from './files.ts';
import { type Io, parseOrRefuse, UsageError } from './io.ts';
import { unreportedByHosts } from './unreported-at.ts';

/** A checked file, with its errors and warnings. */
interface ReportedFile {
  file: string;
  text: string;
  reports: readonly Report[];
  /** Lines to print after the reports, such as a summary; not part of the JSON. */
  lines: readonly string[];
}

/** The result of checking the bytes of a file. */
type CheckResult = Omit<ReportedFile, 'file'>;

const boardsUsage = `boards check needs FILE..., optionally with --host ${hostKindsInWords}, and --json`;

const usage = `achievements check needs FILE..., optionally with --host ${hostKindsInWords}, and --explain or --json`;

/** `plaudit achievements check|preview`: checks or previews files of achievements before they are live. */
export async function achievements(io: Io, args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (name === 'check') await checkAchievements(io, rest);
  else if (name === 'preview') await (await import('./preview-achievements.ts')).previewAchievements(io, rest);
  else {
    const needed = 'achievements needs check FILE..., or preview FILE PROVIDER/OWNER/REPOSITORY';
    throw new UsageError(`${needed}${meant(name)}`);
  }
}

async function checkAchievements(io: Io, args: readonly string[]): Promise<void> {
  const parsed = readArguments(io, args);
  await checkFiles(io, parsed, ({ name, bytes, unreported }) => {
    const { config, reports, text } = readConfigFile(bytes, unreported);
    const explained = parsed.isExplained ? [...explainFile(config), ...explainDemand(config)] : [];
    const summary = `${name}: ${counted(config.achievements.length, 'achievement')}, no fault`;
    return { text, reports, lines: reports.length === 0 ? [...explained, summary] : explained };
  });
}

interface Arguments {
  paths: string[];
  host: string | undefined;
  /** True to print in English what each achievement requires. */
  isExplained: boolean;
  json: boolean;
}

function readArguments(io: Io, args: readonly string[]): Arguments {
  const options = { host: { type: 'string' }, explain: { type: 'boolean' }, json: { type: 'boolean' } } as const;
  const { values, positionals } = parseOrRefuse(usage, () =>
    parseArgs({ args: [...args], options, allowPositionals: true }),
  );
  const { host, explain: isExplained = false, json = false } = values;
  if (isExplained && json) throw new UsageError('achievements check takes --explain or --json, not both');
  return { paths: choosePaths(io, positionals, configPaths, usage), host, isExplained, json };
}

/** `plaudit boards check|preview`: checks or previews files of boards before they are live. */
export async function boards(io: Io, args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (name === 'check') await checkBoards(io, rest);
  else if (name === 'preview') await (await import('./preview-boards.ts')).previewBoards(io, rest);
  else throw new UsageError(`boards needs check FILE..., or preview FILE PROVIDER/OWNER${meant(name)}`);
}

async function checkBoards(io: Io, args: readonly string[]): Promise<void> {
  const parsed = readBoardsArguments(io, args);
  await checkFiles(io, parsed, ({ name, bytes, unreported }) => {
    const provider = parsed.host ?? 'github';
    const unreportedBy = unreportedByHosts(io, provider, unreported);
    const { boards: found, reports, text } = readBoardsFile(bytes, { provider, unreportedBy });
    const lines = reports.length === 0 ? [`${name}: ${counted(found.length, 'board')}, no fault`] : [];
    return { text, reports, lines };
  });
}

function readBoardsArguments(
  io: Io,
  args: readonly string[],
): { paths: string[]; host: string | undefined; json: boolean } {
  const options = { host: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values, positionals } = parseOrRefuse(boardsUsage, () =>
    parseArgs({ args: [...args], options, allowPositionals: true }),
  );
  return {
    paths: choosePaths(io, positionals, boardsPaths, boardsUsage),
    host: values.host,
    json: values.json ?? false,
  };
}

/**
 * Reads and checks files, `-` for standard input, and prints their errors and warnings. With a kind of host, `check`
 * also gets the data that such a host does not report, to warn of it.
 * @throws AppError `invalid_input` when a file has an error, after all errors and warnings are printed.
 */
async function checkFiles(
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
function choosePaths(io: Io, named: readonly string[], paths: readonly string[], usage: string): string[] {
  if (named.length > 0) return [...named];
  const found = findInRepository(io, paths);
  if (found !== undefined) return [relative(findStartFolder(io), found)];
  throw new UsageError(`${usage}; there is no ${paths[0]} in this folder or one above it`);
}

/** Returns the end of a message about a part of a command that is misspelled; nothing when none is close. */
function meant(name: string | undefined): string {
  const part = nearest(name ?? '', ['check', 'preview']);
  return part === undefined ? '' : `; did you mean ${part}?`;
}
