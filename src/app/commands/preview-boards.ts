import { parseArgs } from 'node:util';
import { findByName } from '../../accounts/store.ts';
import { openDatabase } from '../../database/connections/open.ts';
import { AppError } from '../../model/errors.ts';
import { counted } from '../../model/text.ts';
import { readBoardsFile } from '../../recognition/boards/file/read-file.ts';
import { toItem } from '../../recognition/boards/preview/preview-json.ts';
import { previewBoard } from '../../recognition/boards/preview/preview-store.ts';
import { formatReport } from '../../recognition/rules/file/report.ts';
import { readDatabaseSettings } from '../config/config.ts';
import { readBytes } from './files.ts';
import { type Io, parseOrRefuse, UsageError } from './io.ts';
import { readTarget } from './target.ts';
import { unreportedAt, unreportedByHosts } from './unreported-at.ts';

const usage = 'boards preview needs FILE PROVIDER/OWNER, optionally with --json';

type Item = ReturnType<typeof toItem>;

/**
 * `plaudit boards preview FILE PROVIDER/OWNER`: prints the ranking that each board of a file would have by the stored
 * data, and the points that each rule gives. Reports errors in the file on standard error. Sends no request.
 */
export async function previewBoards(io: Io, args: readonly string[]): Promise<void> {
  const { file, provider, name, json } = readArguments(args);
  const unreportedBy = unreportedByHosts(io, provider, unreportedAt(io, provider));
  const { boards, reports, text } = readBoardsFile(await readBytes(io, file), { provider, owner: name, unreportedBy });
  for (const report of reports) io.warn(formatReport(file, text, report));
  if (boards.length === 0) throw new AppError('invalid_input', `${file} has no board without a fault`);
  await using database = await openDatabase({ ...readDatabaseSettings(io.environment), log: io.warn });
  const { connection } = database;
  const owner = await findByName(connection, provider, name);
  if (owner === undefined) throw new AppError('not_found', `no account ${provider}/${name} is stored`);
  const items: Item[] = [];
  for (const board of boards)
    items.push(toItem(await previewBoard(connection, board, { ownerId: owner.account.id, now: new Date() })));
  if (json) io.print(JSON.stringify(items));
  else for (const line of items.flatMap(describe)) io.print(line);
}

function readArguments(args: readonly string[]): { file: string; provider: string; name: string; json: boolean } {
  const { values, positionals } = parseOrRefuse(usage, () =>
    parseArgs({ args: [...args], options: { json: { type: 'boolean' } }, allowPositionals: true }),
  );
  const [file, owner, ...rest] = positionals;
  const target = readTarget(owner);
  if (file === undefined || target === undefined || target.repository !== undefined || rest.length > 0) {
    throw new UsageError(usage);
  }
  return { file, provider: target.provider, name: target.name, json: values.json ?? false };
}

function describe({
  name,
  repositories,
  window,
  people,
  ranking,
  warnings,
  points_by_rule: points,
  rules,
}: Item): string[] {
  const { total, complete } = repositories;
  return [
    `${name}: ${complete} of ${counted(total, 'repository', 'repositories')} complete; from ${window.since ?? 'the beginning'} until ${window.until ?? 'now'}`,
    ...rules.map(({ number, text }) => {
      const given = points.find(({ rule }) => rule === number)?.points ?? 0;
      return `  rule ${number}: ${text}: ${given} in all`;
    }),
    ...warnings.map((warning) => `  warning: ${warning}`),
    ...ranking.map(({ rank, login, points: total, eligible }) =>
      [`  ${rank}. ${login}`, total, ...(eligible === true ? ['eligible'] : [])].join(' '),
    ),
    ...(people > ranking.length ? [`  and ${people - ranking.length} more`] : []),
  ];
}
