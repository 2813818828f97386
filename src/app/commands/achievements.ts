import { parseArgs } from 'node:util';
import { hostKindsInWords } from '../../hosts/config/host-settings.ts';
import { counted } from '../../model/text/counted.ts';
import { configPaths, readConfigFile } from '../../recognition/achievements/config-file.ts';
import { explainDemand, explainFile } from '../../recognition/rules/file/explain-file.ts';
import { type Io, parseOrRefuse, UsageError } from './io.ts';
import { checkFiles, choosePaths, meant } from './report-files.ts';

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
