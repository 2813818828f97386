import { parseArgs } from 'node:util';
import type { Connection } from '../../database/connections/connection.ts';
import { openDatabase } from '../../database/connections/open.ts';
import { AppError } from '../../model/errors.ts';
import { readConfigFile } from '../../recognition/achievements/config-file.ts';
import type { Config as AchievementsFile } from '../../recognition/rules/config.ts';
import type { ExplainedTerm, ExplainedTrigger } from '../../recognition/rules/evaluation/explain-store.ts';
import { findPreviewed, type Preview, preview } from '../../recognition/rules/evaluation/preview-store.ts';
import type { Unread } from '../../recognition/rules/evaluation/read-state-store.ts';
import { formatReport } from '../../recognition/rules/file/report.ts';
import { readConfig, readDatabaseSettings } from '../config/config.ts';
import { readBytes } from './files.ts';
import { type Io, parseOrRefuse, UsageError } from './io.ts';
import { type NamedTarget, readRepositoryTarget } from './target.ts';
import { unreportedAt } from './unreported-at.ts';

const usage =
  'achievements preview needs FILE PROVIDER/OWNER/REPOSITORY, optionally with --person LOGIN, --read and --json';

/**
 * `plaudit achievements preview`: prints the accounts that would earn each achievement by the stored data, and for one
 * person why or why not. Faulty parts of the file are reported on standard error and left out. Only `--read` sends
 * requests, and only it needs settings of the host.
 */
export async function previewAchievements(io: Io, args: readonly string[]): Promise<void> {
  const { file, target, person, read, json } = readArguments(args);
  const settings = read ? readConfig(io.environment) : undefined;
  const unreported = unreportedAt(io, target.provider, settings?.providers);
  const { config, reports, text } = readConfigFile(await readBytes(io, file), unreported);
  for (const report of reports) io.warn(formatReport(file, text, report));
  if (config.achievements.length === 0)
    throw new AppError('invalid_input', `${file} has no achievement without a fault`);
  if (settings !== undefined) {
    const { readForPreview } = await import('./preview-reading.ts');
    await readForPreview(io, { settings, file: config, target });
  }
  await using database = await openDatabase({ ...readDatabaseSettings(io.environment), log: io.warn });
  const reading = { unreported, wasRead: read };
  const previews = await previewStored(database.connection, config, { target, person, reading });
  if (json) io.print(JSON.stringify(previews));
  else for (const line of previews.flatMap(describe)) io.print(line);
  const canRead = previews.some(({ unread }) => unread.some(({ canBeRead }) => canBeRead));
  if (canRead && !read) io.warn('preview --read fetches the data that is not read yet');
}

interface PreviewRequest {
  target: Arguments['target'];
  person: string | undefined;
  reading: Parameters<typeof preview>[2]['reading'];
}

async function previewStored(
  connection: Connection,
  config: AchievementsFile,
  { target, person, reading }: PreviewRequest,
): Promise<Preview[]> {
  const { provider, name: owner, repository: name } = target;
  const repository = await findPreviewed(connection, { provider, owner, name });
  if (repository !== undefined) return preview(connection, config, { repository, person, reading });
  const why = reading.wasRead
    ? `${provider} has no repository ${owner}/${name}, or no configured credential shows it`
    : `nothing is stored of ${provider}/${owner}/${name}; preview --read fetches the data that is needed`;
  throw new AppError('not_found', why);
}

interface Arguments {
  file: string;
  target: NamedTarget & { repository: string };
  person: string | undefined;
  /** True to fetch the data that is not stored. */
  read: boolean;
  json: boolean;
}

function readArguments(args: readonly string[]): Arguments {
  const boolean = { type: 'boolean' } as const;
  const options = { person: { type: 'string' }, read: boolean, json: boolean } as const;
  const parsed = parseOrRefuse(usage, () => parseArgs({ args: [...args], options, allowPositionals: true }));
  const [file, named = '', ...rest] = parsed.positionals;
  const { person, read = false, json = false } = parsed.values;
  const target = readRepositoryTarget(named);
  if (file === undefined || rest.length > 0 || target === undefined) throw new UsageError(usage);
  return { file, target, person, read, json };
}

const maxNames = 20;

function describe({ achievement, evaluateAt, earned, unread, person }: Preview): string[] {
  const when = evaluateAt === null ? '' : `, evaluated once at ${evaluateAt.toISOString()}`;
  const lines = [`${achievement}: ${describeEarned(earned.length, unread)}${when}`];
  if (person === null) {
    for (const { name, earnedAt } of earned.slice(0, maxNames)) lines.push(`  ${name} ${earnedAt.toISOString()}`);
    if (earned.length > maxNames) lines.push(`  and ${earned.length - maxNames} more`);
    return lines;
  }
  const no = unread.length === 0 ? 'no' : 'not known';
  lines.push(`  ${person.name}: ${person.earnedAt === null ? no : `yes, since ${person.earnedAt.toISOString()}`}`);
  for (const trigger of person.triggers) {
    const { actor, action, condition, terms } = trigger;
    lines.push(`    ${mark(toResult(trigger))} ${actor} ${action}: ${condition.replaceAll(/\s+/g, ' ')}`);
    for (const term of terms) lines.push(`      ${mark(term.holds)} ${describeTerm(term)}`);
  }
  return lines;
}

function describeEarned(count: number, unread: readonly Unread[]): string {
  if (unread.length === 0) return `${count} would earn it`;
  const soFar = count === 0 ? [] : [`${count} would earn it by what is stored`];
  return [...soFar, ...describeUnread(unread)].join('; ');
}

/** Returns the missing data as text: `not read yet: ...` where `--read` fetches it, otherwise `not available: ...`. */
function describeUnread(unread: readonly Unread[]): string[] {
  return [
    { words: 'not read yet', canBeRead: true },
    { words: 'not available', canBeRead: false },
  ].flatMap(({ words, canBeRead }) => {
    const reasons = unread.filter((data) => data.canBeRead === canBeRead).map(({ reason }) => reason);
    return reasons.length === 0 ? [] : [`${words}: ${reasons.join(', ')}`];
  });
}

function describeTerm({ term, present, missing, unread }: ExplainedTerm): string {
  const now = present === null ? '' : `: now ${present}`;
  const lack = missing === null ? '' : `, ${missing > 0 ? `${missing} missing` : `${-missing} too many`}`;
  const unknown = unread.length === 0 ? '' : `; ${describeUnread(unread).join('; ')}`;
  return `${term.replaceAll(/\s+/g, ' ')}${now}${lack}${unknown}`;
}

function toResult({ holdsSince, unread }: ExplainedTrigger): boolean | null {
  if (holdsSince !== null) return true;
  return unread.length === 0 ? false : null;
}

function mark(holds: boolean | null): string {
  if (holds === null) return '?  ';
  return holds ? 'yes' : 'no ';
}
