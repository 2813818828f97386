import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type HostKind, hostKinds, hostKindsInWords } from '../../../hosts/config/host-settings.ts';
import { runGit } from '../../../hosts/history/git.ts';
import { type HostAddress, readHostAddress } from '../../../model/host-address.ts';
import { findStartFolder } from '../files.ts';
import { type Io, parseOrRefuse, UsageError } from '../io.ts';

/** The repository that gets its first files. */
export interface NewRepository {
  /** Its folder on this machine. */
  folder: string;
  host: string;
  kind: HostKind;
  /** The path of its owner, which at GitLab has several parts for a group below another. */
  owner: string;
  name: string;
}

const publicHosts: Readonly<Record<string, HostKind>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'codeberg.org': 'forgejo',
  'gitea.com': 'gitea',
};

/** Folders and files that only repositories at one kind of host have. */
const traces: readonly { path: string; kind: HostKind }[] = [
  { path: '.forgejo', kind: 'forgejo' },
  { path: '.gitea', kind: 'gitea' },
  { path: '.gitlab-ci.yml', kind: 'gitlab' },
  { path: '.github', kind: 'github' },
];

const usage = `init takes the address of the repository, and --host ${hostKindsInWords}`;

/**
 * Finds the repository in whose folder a command was typed, by the address of git's remote unless one is given.
 * @throws UsageError that names the missing argument.
 */
export async function findRepository(io: Io, args: readonly string[]): Promise<NewRepository> {
  const { address: given, kind: stated } = readArguments(args);
  const start = findStartFolder(io);
  const folder = findTop(start) ?? start;
  const address = given ?? (await findRemote(join(folder, '.git'), io.signal));
  const read = address === undefined ? undefined : readHostAddress(address);
  if (read === undefined || read.path.length < 2) {
    const missing = given === undefined ? 'git names no remote at a code host here' : `${given} is none`;
    throw new UsageError(`init needs the address of the repository, like https://github.com/OWNER/NAME; ${missing}`);
  }
  const kind = stated ?? findKind(read, folder);
  if (kind === undefined) {
    throw new UsageError(`init needs --host ${hostKindsInWords}, because ${read.host} may run any of them`);
  }
  return { folder, host: read.host, kind, owner: read.path.slice(0, -1).join('/'), name: read.path.at(-1) ?? '' };
}

function readArguments(args: readonly string[]): { address: string | undefined; kind: HostKind | undefined } {
  const { values, positionals } = parseOrRefuse(usage, () =>
    parseArgs({ args: [...args], options: { host: { type: 'string' } }, allowPositionals: true }),
  );
  const kind = hostKinds.find((candidate) => candidate === values.host);
  if (positionals.length > 1 || (values.host !== undefined && kind === undefined)) throw new UsageError(usage);
  return { address: positionals[0], kind };
}

/** Returns the folder of the repository that contains a folder. */
function findTop(start: string): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Returns the address of the remote `origin`, or of another one that leads to a code host. */
async function findRemote(gitDirectory: string, signal: AbortSignal): Promise<string | undefined> {
  if (!existsSync(gitDirectory)) return undefined;
  const { output } = await runGit(gitDirectory, ['config', '--get-regexp', String.raw`^remote\..*\.url$`], { signal });
  const remotes = output.split('\n').flatMap((line) => {
    const [, name = '', address = ''] = /^remote\.(.*)\.url (.*)$/.exec(line) ?? [];
    return (readHostAddress(address)?.path.length ?? 0) < 2 ? [] : [{ name, address }];
  });
  return (remotes.find(({ name }) => name === 'origin') ?? remotes[0])?.address;
}

function findKind({ host }: HostAddress, folder: string): HostKind | undefined {
  const named = publicHosts[host] ?? hostKinds.find((kind) => host.split(/[.-]/).includes(kind));
  return named ?? traces.find(({ path }) => existsSync(join(folder, path)))?.kind;
}
