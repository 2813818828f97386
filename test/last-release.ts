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

/** The last release, or why there is none. */
export type LastRelease = Released | { reason: string };

/**
 * Finds the last release before this commit: the last commit that set the version of the package to one from 1.0 on that is no
 * pre-release. Clones may lack tags.
 */
export function findLastRelease(): LastRelease {
  const commits = git(['log', '--format=%H', '-G"version":', 'HEAD~1', '--', 'package.json']);
  if (commits === undefined) return { reason: 'this checkout lacks the history (git fetch --unshallow)' };
  for (const commit of commits.split('\n').filter((line) => line !== '')) {
    const { version } = JSON.parse(git(['show', `${commit}:package.json`]) ?? '{}') as { version?: string };
    if (version !== undefined && isRelease(version)) return { commit, version };
  }
  return { reason: 'there is no earlier release: the first one is 1.0.0' };
}

/** Returns whether nodes of a version have to work with those of the next one: releases from 1.0 on (docs/decisions/0040). */
export function isRelease(version: string): boolean {
  return /^[1-9]\d*\.\d+\.\d+$/.test(version);
}

function git(parameters: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', parameters, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
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
