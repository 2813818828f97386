import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runGit } from '../../hosts/history/git.ts';
import { AppError } from '../../model/errors.ts';
import type { Io } from './io.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * `plaudit card-workflow`: prints a workflow for GitHub Actions that writes cards with the action of this copy. A tag or a
 * branch can be moved, so the workflow names the commit.
 */
export async function cardWorkflow(io: Io): Promise<void> {
  io.print(formatWorkflow(await findSource(join(root, '.git'), io.signal)));
}

/** The place that a copy of the project comes from. */
export interface Source {
  host: string;
  /** `owner/name` of the repository there. */
  repository: string;
  /** The id of the commit that is checked out. */
  commit: string;
}

/**
 * Finds the repository that a clone comes from, and the commit that is checked out in it.
 * @param gitDirectory its folder `.git`.
 * @throws AppError `misconfigured` when it is no clone, or when its remote `origin` does not have the commit.
 */
export async function findSource(gitDirectory: string, signal: AbortSignal): Promise<Source> {
  const readLine = async (...parameters: string[]): Promise<string | undefined> => {
    const { code, output } = await runGit(gitDirectory, parameters, { signal });
    const [line = ''] = output.split('\n');
    return code === 0 && line !== '' ? line : undefined;
  };
  const commit = await readLine('rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  const origin = readRemote((await readLine('config', '--get', 'remote.origin.url')) ?? '');
  if (commit === undefined || origin === undefined) {
    throw new AppError(
      'misconfigured',
      'This copy of Plaudit is no clone of a repository at a code host, so no workflow can name it. Clone the repository, and run the command there.',
    );
  }
  if ((await readLine('branch', '--remotes', '--contains', commit)) === undefined) {
    throw new AppError(
      'misconfigured',
      `No branch of ${origin.host}/${origin.repository} has the commit ${commit}. Push it first, so that workflows can fetch it.`,
    );
  }
  return { ...origin, commit };
}

/** Reads the address of a remote, by HTTP or by SSH: `https://HOST/OWNER/NAME.git` or `git@HOST:OWNER/NAME.git`. */
function readRemote(address: string): Pick<Source, 'host' | 'repository'> | undefined {
  const url = URL.parse(address.replace(/^([\w.-]+@[\w.-]+):/, 'ssh://$1/'));
  const [, repository] = /^\/([\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/.exec(url?.pathname ?? '') ?? [];
  if (url === null || url.hostname === '' || repository === undefined) return undefined;
  return { host: url.hostname, repository };
}

/** Returns the text of the workflow, without a line break at its end. */
export function formatWorkflow({ host, repository, commit }: Source): string {
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
      - uses: ${repository}@${commit}`;
}
