import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { makeTemporaryDirectory } from '../simulators/git/temporary-directory.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A released state of this project. */
export interface Released {
  commit: string;
  /** The version of the release, such as `0.3.0`. */
  version: string;
}

/** The files of a release with its packages, in a temporary directory. */
export interface Release extends AsyncDisposable {
  /** The path of its command line. */
  program: string;
}

/**
 * Finds the last release before this commit: the commit that set the version of the package. Clones may lack tags.
 * @returns undefined in a shallow clone, or where this is no repository.
 */
export function findLastRelease(): Released | undefined {
  const parameters = ['log', '--max-count=1', '--format=%H', '-G"version":', 'HEAD~1', '--', 'package.json'];
  const commit = git(parameters)?.trim();
  const file = commit && git(['show', `${commit}:package.json`]);
  return commit && file ? { commit, version: (JSON.parse(file) as { version: string }).version } : undefined;
}

function git(parameters: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', parameters, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}

/** Returns whether nodes of a release have to work beside nodes of the next one: from 1.0 on (docs/decisions/0044). */
export function worksBesideNext({ version }: Released): boolean {
  return Number.parseInt(version, 10) >= 1;
}

/** Writes the files of a release into a temporary directory, and installs the packages that it names. */
export async function unpackRelease({ commit, version }: Released): Promise<Release> {
  const directory = await makeTemporaryDirectory();
  const archive = spawnSync('git', ['archive', commit], { cwd: root, maxBuffer: 1024 ** 3 });
  const unpacked = spawnSync('tar', ['-x', '-C', directory.path], { input: archive.stdout });
  const installed = spawnSync('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: directory.path,
  });
  const failed = [archive, unpacked, installed].find(({ status }) => status !== 0);
  if (failed !== undefined) {
    await directory[Symbol.asyncDispose]();
    throw new Error(`release ${version} cannot be unpacked: ${String(failed.stderr)}`);
  }
  return { program: directory.pathOf('bin/plaudit.js'), [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}
