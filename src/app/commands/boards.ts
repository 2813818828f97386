import { parseArgs } from 'node:util';
import { hostKindsInWords } from '../../hosts/config/host-settings.ts';
import { counted } from '../../model/text/counted.ts';
import { boardsPaths, readBoardsFile } from '../../recognition/boards/file/read-file.ts';
import { type Io, parseOrRefuse, UsageError } from './io.ts';
import { checkFiles, choosePaths, meant } from './report-files.ts';
import { unreportedByHosts } from './unreported-at.ts';

const usage = `boards check needs FILE..., optionally with --host ${hostKindsInWords}, and --json`;

/** `plaudit boards check|preview`: checks or previews files of boards before they are live. */
export async function boards(io: Io, args: readonly string[]): Promise<void> {
  const [name, ...rest] = args;
  if (name === 'check') await checkBoards(io, rest);
  else if (name === 'preview') await (await import('./preview-boards.ts')).previewBoards(io, rest);
  else throw new UsageError(`boards needs check FILE..., or preview FILE PROVIDER/OWNER${meant(name)}`);
}

async function checkBoards(io: Io, args: readonly string[]): Promise<void> {
  const parsed = readArguments(io, args);
  await checkFiles(io, parsed, ({ name, bytes, unreported }) => {
    const provider = parsed.host ?? 'github';
    const unreportedBy = unreportedByHosts(io, provider, unreported);
    const { boards: found, reports, text } = readBoardsFile(bytes, { provider, unreportedBy });
    const lines = reports.length === 0 ? [`${name}: ${counted(found.length, 'board')}, no fault`] : [];
    return { text, reports, lines };
  });
}

function readArguments(io: Io, args: readonly string[]): { paths: string[]; host: string | undefined; json: boolean } {
  const options = { host: { type: 'string' }, json: { type: 'boolean' } } as const;
  const { values, positionals } = parseOrRefuse(usage, () =>
    parseArgs({ args: [...args], options, allowPositionals: true }),
  );
  return { paths: choosePaths(io, positionals, boardsPaths, usage), host: values.host, json: values.json ?? false };
}
