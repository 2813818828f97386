import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { HostKind } from '../../../hosts/config/host-settings.ts';
import { AppError } from '../../../model/errors.ts';
import { configPaths } from '../../../recognition/achievements/config-file.ts';
import { boardsPaths } from '../../../recognition/boards/file/read-file.ts';
import { findOwnSource, formatWorkflow } from '../card-workflow.ts';
import type { Io } from '../io.ts';
import { findRepository, type NewRepository } from './repository.ts';

const starter = fileURLToPath(new URL('./starter/', import.meta.url));
const iconPixels = 128;
/** The card that the workflow draws unless it is changed. */
const readmeLine = '![Contributors](cards/contributors.svg)';

/** The folders of workflows; GitLab has none. */
const workflowFolders: Readonly<Partial<Record<HostKind, string>>> = {
  github: '.github/workflows',
  gitea: '.gitea/workflows',
  forgejo: '.forgejo/workflows',
};

/** `plaudit init`: writes the first files of a repository, and changes none that exists. */
export async function init(io: Io, args: readonly string[]): Promise<void> {
  const repository = await findRepository(io, args);
  const { folder, kind, owner, name, host } = repository;
  io.print(`${owner}/${name} at ${host}`);
  if (await writeFirst(io, folder, configPaths, () => readFile(`${starter}config.yaml`))) await writeIcons(io, folder);
  await writeFirst(io, folder, boardsPaths, async () => {
    const text = await readFile(`${starter}boards.yaml`, 'utf8');
    return text.replace('REPOSITORY', `${owner}/${name}`);
  });
  const workflows = workflowFolders[kind];
  if (workflows === undefined) io.print('GitLab has no workflows: a job can draw cards (docs/action.md)');
  else if (await writeWorkflow(io, repository, `${workflows}/cards.yml`)) await writeReadme(io, repository);
  io.print(
    'look at the files, change what you like, and push them; plaudit achievements check and boards check report faults',
  );
}

/**
 * Writes a file unless one of the paths at which it may be exists, and prints which.
 * @param paths the first one is written.
 * @returns true when it was written.
 */
async function writeFirst(
  io: Io,
  folder: string,
  paths: readonly string[],
  read: () => Promise<string | Buffer>,
): Promise<boolean> {
  const [path = ''] = paths;
  const known = paths.find((candidate) => existsSync(join(folder, candidate)));
  if (known !== undefined) {
    io.print(`${known} exists, and stays as it is`);
    return false;
  }
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), await read(), { flag: 'wx' });
  io.print(`${path} written`);
  return true;
}

/** Writes the icons as PNG, because cards draw no SVG of others. */
async function writeIcons(io: Io, folder: string): Promise<void> {
  const { default: sharp } = await import('sharp');
  for (const file of (await readdir(`${starter}icons`)).toSorted()) {
    const path = `.plaudit/icons/${file.replace(/svg$/, 'png')}`;
    await writeFirst(io, folder, [path], () =>
      sharp(`${starter}icons/${file}`).resize(iconPixels, iconPixels).png({ palette: true }).toBuffer(),
    );
  }
}

/** Writes the workflow that `plaudit card-workflow` prints. @returns false where no workflow can name this copy of the program. */
async function writeWorkflow(io: Io, { folder, kind, host }: NewRepository, path: string): Promise<boolean> {
  try {
    const source = await findOwnSource(io.signal);
    // GitHub's runners take no address of another host, so that the workflow names a copy there.
    const text = formatWorkflow(source, kind === 'github' ? undefined : host);
    await writeFirst(io, folder, [path], async () => `${text}\n`);
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    io.warn(`${path} is not written: ${error.message}`);
    return false;
  }
}

async function writeReadme(io: Io, { folder, name }: NewRepository): Promise<void> {
  const known = readdirSync(folder).find((file) => /^readme(?:\.|$)/i.test(file));
  if (known === undefined) await writeFirst(io, folder, ['README.md'], async () => `# ${name}\n\n${readmeLine}\n`);
  else io.print(`${known} exists, and stays as it is: add this line to it\n\n    ${readmeLine}\n`);
}
