import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { readConfigFile } from '../achievements/config-file.ts';
import type { ExplainedTerm } from '../achievements/evaluation/explain-store.ts';
import { type Preview, preview } from '../achievements/evaluation/preview-store.ts';
import { formatReport } from '../achievements/report.ts';
import { type Config, readConfig } from '../config/config.ts';
import type { ProviderConfig } from '../config/hosts.ts';
import { openDatabase } from '../database/open.ts';
import { AppError } from '../errors.ts';
import { unreportedBy } from '../providers/index.ts';
import type { Io } from './io.ts';
import { readBytes } from './read-bytes.ts';
import { type NamedTarget, readRepositoryTarget } from './target.ts';

const usage =
  'achievements preview needs FILE PROVIDER/OWNER/NAME, or FILE --repository [PROVIDER/]OWNER/NAME, and maybe --provider NAME, --person LOGIN, --json';

/**
 * `plaudit achievements preview`: prints the accounts that would earn each achievement by the stored data, and for one
 * person why or why not. Faulty parts of the file are reported on standard error and left out.
 */
export async function previewAchievements(io: Io, args: readonly string[]): Promise<void> {
  const { file, target, person, json } = readArguments(args);
  const { provider, name, repository } = target;
  const settings = readConfig(io.environment, (path) => readFileSync(path, 'utf8'));
  const { kind, tokens, app } = hostCalled(provider, settings);
  const unreported = unreportedBy(kind, tokens.length > 0 || app !== undefined);
  const { config, reports, text } = readConfigFile(await readBytes(io, file), unreported);
  for (const report of reports) io.warn(formatReport(file, text, report));
  if (config.achievements.length === 0)
    throw new AppError('invalid_input', `${file} has no achievement without a fault`);
  const database = await openDatabase({ ...settings, log: io.warn });
  try {
    const query = { provider, repository: `${name}/${repository}`, person };
    const previews = await preview(database.connection, config, query);
    if (json) io.print(JSON.stringify(previews));
    else for (const line of previews.flatMap(describe)) io.print(line);
  } finally {
    await database.close();
  }
}

/**
 * Returns the settings of a host.
 * @throws AppError `invalid_input` when no host of this name is configured.
 */
function hostCalled(name: string, { providers }: Config): ProviderConfig {
  const config = providers.find((one) => one.name === name);
  if (config !== undefined) return config;
  const known = providers.map((one) => one.name).join(', ');
  throw new AppError('invalid_input', `${name} is not a provider here; those that are: ${known}`);
}

interface Arguments {
  file: string;
  target: NamedTarget & { repository: string };
  person: string | undefined;
  json: boolean;
}

function readArguments(args: readonly string[]): Arguments {
  const string = { type: 'string' } as const;
  const options = { repository: string, provider: string, person: string, json: { type: 'boolean' } } as const;
  const parsed = parseOrRefuse(() => parseArgs({ args: [...args], options, allowPositionals: true }));
  const [file, named, ...rest] = parsed.positionals;
  const { repository, provider, person, json = false } = parsed.values;
  const isOnce = (named === undefined) !== (repository === undefined);
  const target = isOnce ? readRepositoryTarget(named ?? repository ?? '', provider) : undefined;
  if (file === undefined || rest.length > 0 || target === undefined) throw new AppError('invalid_input', usage);
  return { file, target, person, json };
}

function parseOrRefuse<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (cause) {
    throw new AppError('invalid_input', usage, { cause });
  }
}

const maxNames = 20;

function describe({ achievement, evaluateAt, earned, person }: Preview): string[] {
  const when = evaluateAt === null ? '' : `, evaluated once at ${evaluateAt.toISOString()}`;
  const lines = [`${achievement}: ${earned.length} would earn it${when}`];
  if (person === null) {
    for (const { name, earnedAt } of earned.slice(0, maxNames)) lines.push(`  ${name} ${earnedAt.toISOString()}`);
    if (earned.length > maxNames) lines.push(`  and ${earned.length - maxNames} more`);
    return lines;
  }
  lines.push(`  ${person.name}: ${person.earnedAt === null ? 'no' : `yes, since ${person.earnedAt.toISOString()}`}`);
  for (const { actor, action, condition, holdsSince, terms } of person.triggers) {
    lines.push(`    ${mark(holdsSince !== null)} ${actor} ${action}: ${condition.replaceAll(/\s+/g, ' ')}`);
    for (const term of terms) lines.push(`      ${mark(term.holds)} ${describeTerm(term)}`);
  }
  return lines;
}

function describeTerm({ term, present, missing }: ExplainedTerm): string {
  const now = present === null ? '' : `: now ${present}`;
  return `${term.replaceAll(/\s+/g, ' ')}${now}${missing === null ? '' : `, ${missing > 0 ? `${missing} missing` : `${-missing} too many`}`}`;
}

function mark(holds: boolean): string {
  return holds ? 'yes' : 'no ';
}
