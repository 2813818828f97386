import { parseArgs } from 'node:util';
import { type ReadConfigFile, readConfigFile } from '../achievements/config-file.ts';
import { explainDemand, explainFile } from '../achievements/explain-file.ts';
import { formatReport } from '../achievements/report.ts';
import { AppError } from '../errors.ts';
import { unreportedBy } from '../providers/index.ts';
import type { Io } from './io.ts';
import { readBytes } from './read-bytes.ts';

const usage =
  'achievements check needs FILE..., and maybe --host github, gitea, forgejo or gitlab, --explain and --json';

/** `plaudit achievements check|preview`: checks or previews files of achievements before they are live. */
export async function achievements(io: Io, args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (name === 'check') await checkFiles(io, rest);
  else if (name === 'preview') await (await import('./preview-achievements.ts')).previewAchievements(io, rest);
  else throw new AppError('invalid_input', 'achievements needs check FILE..., or preview FILE PROVIDER/OWNER/NAME');
}

/**
 * Reports the faults of files of achievements; `-` is standard input. With `--host` it also warns of data that such a
 * host does not provide.
 * @throws AppError `invalid_input` when any file has an error, after all faults were reported.
 */
async function checkFiles(io: Io, args: readonly string[]): Promise<void> {
  const { paths, host, isExplained, json } = readArguments(args);
  const unreported = host === undefined ? [] : unreportedBy(host, true);
  const files: { file: string; read: ReadConfigFile }[] = [];
  for (const file of paths) files.push({ file, read: readConfigFile(await readBytes(io, file), unreported) });
  if (json) {
    io.print(JSON.stringify(files.flatMap(({ file, read }) => read.reports.map((report) => ({ file, ...report })))));
  } else {
    for (const { file, read } of files) {
      for (const report of read.reports) io.print(formatReport(file, read.text, report));
      const { achievements } = read.config;
      const explained = isExplained ? [...explainFile(read.config), ...explainDemand(read.config)] : [];
      for (const sentence of explained) io.print(sentence);
      if (read.reports.length === 0) io.print(`${file}: ${counted(achievements.length, 'achievement')}, no fault`);
    }
  }
  const reports = files.flatMap(({ read }) => read.reports);
  const errors = reports.filter(({ severity }) => severity === 'error').length;
  if (errors > 0) {
    const warnings = reports.length - errors;
    throw new AppError('invalid_input', `${counted(errors, 'error')} and ${counted(warnings, 'warning')}`);
  }
}

interface Arguments {
  paths: string[];
  host: string | undefined;
  /** True to say in English what must be true to earn each achievement. */
  isExplained: boolean;
  json: boolean;
}

function readArguments(args: readonly string[]): Arguments {
  const options = { host: { type: 'string' }, explain: { type: 'boolean' }, json: { type: 'boolean' } } as const;
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    const { host, explain: isExplained = false, json = false } = values;
    if (isExplained && json)
      throw new AppError('invalid_input', 'achievements check takes --explain or --json, not both');
    if (positionals.length > 0) return { paths: positionals, host, isExplained, json };
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    const unknown = args.find(
      (argument) => argument.startsWith('--') && !/^--(?:host|explain|json)(?:=|$)/.test(argument),
    );
    throw new AppError('invalid_input', unknown === undefined ? usage : `${usage}, not ${unknown}`, { cause });
  }
  throw new AppError('invalid_input', usage);
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
