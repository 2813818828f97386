import { spawnSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { makeTemporaryDirectory } from '../simulators/git/temporary-directory.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The files of a release in a temporary directory, with the packages of this one. */
export interface Release extends AsyncDisposable {
  /** The path of its command line. */
  program: string;
}

/** Returns the tag of the last release before this commit; undefined: this checkout has no tags, or is no repository. */
export function findLastRelease(): string | undefined {
  const parameters = ['tag', '--list', 'v[0-9]*', '--sort=-v:refname', '--merged', 'HEAD', '--no-contains', 'HEAD'];
  const { status, stdout } = spawnSync('git', parameters, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.split('\n').find((tag) => /^v\d+\.\d+\.\d+$/.test(tag)) : undefined;
}

/** Returns whether nodes of a release have to work beside nodes of the next one: from 1.0 on (docs/decisions/0044). */
export function worksBesideNext(tag: string): boolean {
  return Number.parseInt(tag.slice(1), 10) >= 1;
}

/** Writes the files of a release into a temporary directory. */
export async function unpackRelease(tag: string): Promise<Release> {
  const directory = await makeTemporaryDirectory();
  const archive = spawnSync('git', ['archive', tag], { cwd: root, maxBuffer: 1024 ** 3 });
  const unpacked = spawnSync('tar', ['-x', '-C', directory.path], { input: archive.stdout });
  if (archive.status !== 0 || unpacked.status !== 0) {
    await directory[Symbol.asyncDispose]();
    throw new Error(`${tag} cannot be unpacked: ${String(archive.stderr)} ${String(unpacked.stderr)}`);
  }
  await symlink(fileURLToPath(new URL('../node_modules', import.meta.url)), directory.at('node_modules'));
  return { program: directory.at('bin/plaudit.js'), [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}
