import { parseArgs } from 'node:util';
import { readBoardsFile } from '../boards/file/read-file.ts';
import { AppError } from '../errors.ts';
import { unreportedBy } from '../providers/index.ts';
import type { Io } from './io.ts';
import { readBytes } from './read-bytes.ts';
import { counted, type ReportedFile, reportFiles } from './report-files.ts';

const usage = 'boards check needs FILE..., and maybe --host github, gitea, forgejo or gitlab, and --json';

/** `plaudit boards check|preview`: checks or previews files of boards before they are live. */
export async function boards(io: Io, args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (name === 'check') await checkFiles(io, rest);
  else if (name === 'preview') await (await import('./preview-boards.ts')).previewBoards(io, rest);
  else throw new AppError('invalid_input', 'boards needs check FILE..., or preview FILE PROVIDER/OWNER');
}

/**
 * Reports the faults of files of boards; `-` is standard input. With `--host` it also warns of data that such a host
 * does not provide.
 * @throws AppError `invalid_input` when any file has an error, after all faults were reported.
 */
async function checkFiles(io: Io, args: readonly string[]): Promise<void> {
  const { paths, host, json } = readArguments(args);
  const unreported = host === undefined ? [] : unreportedBy(host, true);
  const files: ReportedFile[] = [];
  for (const file of paths) {
    const bytes = await readBytes(io, file);
    const { boards: found, reports, text } = readBoardsFile(bytes, { provider: host ?? 'github', unreported });
    const lines = reports.length === 0 ? [`${file}: ${counted(found.length, 'board')}, no fault`] : [];
    files.push({ file, text, reports, lines });
  }
  reportFiles(io, files, { json });
}

function readArguments(args: readonly string[]): { paths: string[]; host: string | undefined; json: boolean } {
  try {
    const options = { host: { type: 'string' }, json: { type: 'boolean' } } as const;
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (positionals.length > 0) return { paths: positionals, host: values.host, json: values.json ?? false };
  } catch (cause) {
    throw new AppError('invalid_input', usage, { cause });
  }
  throw new AppError('invalid_input', usage);
}
