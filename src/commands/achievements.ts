import { parseArgs } from 'node:util';
import { readConfigFile } from '../achievements/config-file.ts';
import { explainDemand, explainFile } from '../achievements/explain-file.ts';
import { AppError } from '../errors.ts';
import { unreportedBy } from '../providers/index.ts';
import type { Io } from './io.ts';
import { readBytes } from './read-bytes.ts';
import { counted, type ReportedFile, reportFiles } from './report-files.ts';

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
  const files: ReportedFile[] = [];
  for (const file of paths) {
    const { config, reports, text } = readConfigFile(await readBytes(io, file), unreported);
    const explained = isExplained ? [...explainFile(config), ...explainDemand(config)] : [];
    const summary = `${file}: ${counted(config.achievements.length, 'achievement')}, no fault`;
    files.push({ file, text, reports, lines: reports.length === 0 ? [...explained, summary] : explained });
  }
  reportFiles(io, files, { json });
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
