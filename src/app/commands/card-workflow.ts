import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { runGit } from '../../hosts/history/git.ts';
import { AppError } from '../../model/errors.ts';
import type { Io } from './io.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The file by which a package knows the repository that it is made of (scripts/build.ts). */
const packagedSource = new URL('../../source.json', import.meta.url);

/**
 * `plaudit card-workflow`: prints a workflow for GitHub Actions that writes cards with the action of this copy. A tag or a
 * branch can be moved, so the workflow names the commit.
 */
export async function cardWorkflow(io: Io): Promise<void> {
  io.print(formatWorkflow(await findOwnSource(io.signal)));
}

/** The place that a copy of the project comes from. */
const Source = Type.Object({
  host: Type.String(),
  repository: Type.String({ description: '`owner/name` of the repository there' }),
  commit: Type.String({ description: 'the id of the commit that is checked out' }),
});
export type Source = Static<typeof Source>;

/**
 * Finds the repository and the commit that this copy of the program comes from: a clone, or a package of one.
 * @throws AppError `misconfigured` when it is neither, or when the host does not have the commit.
 */
export async function findOwnSource(signal: AbortSignal): Promise<Source> {
  if (existsSync(packagedSource)) return Value.Parse(Source, JSON.parse(readFileSync(packagedSource, 'utf8')));
  return findSource(join(root, '.git'), signal);
}

/**
 * Finds the repository that a clone comes from, and the commit that is checked out in it.
 * @param gitDirectory its folder `.git`.
 * @throws AppError `misconfigured` when it is no clone, or when its remote `origin` does not have the commit.
 */
export async function findSource(gitDirectory: string, signal: AbortSignal): Promise<Source> {
  const source = await readSource(gitDirectory, signal);
  if (source === undefined) {
    throw new AppError(
      'misconfigured',
      'This copy of Plaudit is no clone of a repository at a code host, so no workflow can name it. Clone the repository, and run the command there.',
    );
  }
  const { host, repository, commit } = source;
  if ((await readLine(gitDirectory, signal, ['branch', '--remotes', '--contains', commit])) === undefined) {
    throw new AppError(
      'misconfigured',
      `No branch of ${host}/${repository} has the commit ${commit}. Push it first, so that workflows can fetch it.`,
    );
  }
  return source;
}

/** Reads the repository that a clone comes from, and the commit that is checked out in it; undefined for no clone. */
export async function readSource(gitDirectory: string, signal: AbortSignal): Promise<Source | undefined> {
  const commit = await readLine(gitDirectory, signal, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  const origin = readRemote((await readLine(gitDirectory, signal, ['config', '--get', 'remote.origin.url'])) ?? '');
  return commit === undefined || origin === undefined ? undefined : { ...origin, commit };
}

/** Returns the first line that git prints; undefined where it fails or prints none. */
async function readLine(
  gitDirectory: string,
  signal: AbortSignal,
  parameters: readonly string[],
): Promise<string | undefined> {
  const { code, output } = await runGit(gitDirectory, parameters, { signal });
  const [line = ''] = output.split('\n');
  return code === 0 && line !== '' ? line : undefined;
}

/** Reads the address of a remote, by HTTP or by SSH: `https://HOST/OWNER/NAME.git` or `git@HOST:OWNER/NAME.git`. */
function readRemote(address: string): Pick<Source, 'host' | 'repository'> | undefined {
  const url = URL.parse(address.replace(/^([\w.-]+@[\w.-]+):/, 'ssh://$1/'));
  const [, repository] = /^\/([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(url?.pathname ?? '') ?? [];
  if (url === null || url.hostname === '' || repository === undefined) return undefined;
  return { host: url.hostname, repository };
}

/**
 * Returns the text of the workflow, without a line break at its end.
 * @param hostOfWorkflow runners of another host than that of the action need its whole address; undefined: the same host.
 */
export function formatWorkflow({ host, repository, commit }: Source, hostOfWorkflow = host): string {
  const address = hostOfWorkflow === host ? repository : `https://${host}/${repository}`;
  return `name: cards
on:
  schedule: [{ cron: '17 4 * * *' }]
  workflow_dispatch:
permissions:
  contents: write
  issues: read
  pull-requests: read
  discussions: read
jobs:
  cards:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
      # The id of a commit of ${host}/${repository} always means the same files.
      - uses: ${address}@${commit}`;
}
