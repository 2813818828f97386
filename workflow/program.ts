import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { info } from '@actions/core';
import { restore, save } from './caches.ts';
import { requireRun, run } from './run.ts';

/** The first release of Node that runs the program, as `bin/plaudit.js` says. */
const needed = { major: 24, minor: 5 };
/** No package needs its install script. */
const quietly = ['--ignore-scripts', '--no-audit', '--no-fund'];
const platform = `${process.platform}-${process.arch}`;

export interface Program {
  /** The path of a Node that runs the program. */
  node: string;
  /** Keeps the packages for the next run, with what Node compiled in this one. */
  keep: () => Promise<void>;
}

/**
 * Installs the packages that the lock file of the action names with their digests, unless a cache has them.
 * @param root the folder that the runner fetched the action to.
 */
export async function installProgram(root: string): Promise<Program> {
  const lock = await readFile(join(root, 'package-lock.json'), 'utf8');
  const packages = join(root, 'node_modules');
  const hash = createHash('sha256').update(lock).digest('hex');
  const mark = join(packages, '.plaudit-program');
  const isThere = async (): Promise<boolean> => (await readFile(mark, 'utf8').catch(() => '')) === hash;
  const key = `plaudit-program-${hash}-${platform}`;
  const isInstalled = (await isThere()) || ((await restore(packages, key)) && (await isThere()));
  if (!isInstalled) {
    info('Installing Plaudit');
    await requireRun('npm', ['ci', '--omit=dev', ...quietly], { cwd: root });
  }
  const node = (await findNode(root)) ?? (await installNode(lock, packages));
  if (!isInstalled) await writeFile(mark, hash);
  return { node, keep: async () => (isInstalled ? undefined : save(packages, key)) };
}

/** Finds a Node that is new enough: the one that runs this action, one that the runner has, or an installed one. */
async function findNode(root: string): Promise<string | undefined> {
  for (const path of [process.execPath, 'node', toNodePath(nodeFolder(join(root, 'node_modules')))]) {
    const { output } = await run(path, ['--version'], { cwd: root }).catch(() => ({ output: '' }));
    const [, major = 0, minor = 0] = (/^v(\d+)\.(\d+)/.exec(output) ?? []).map(Number);
    if (major > needed.major || (major === needed.major && minor >= needed.minor)) return path;
  }
  return undefined;
}

function nodeFolder(packages: string): string {
  return join(packages, '.plaudit-node');
}

function toNodePath(folder: string): string {
  return join(folder, 'node_modules', `node-${platform}`, 'bin', 'node');
}

/** Installs the Node that the lock file names for this machine, and nothing else of it. */
async function installNode(lock: string, packages: string): Promise<string> {
  const path = `node_modules/node-${platform}`;
  const { packages: locked }: { packages: Record<string, { version: string } | undefined> } = JSON.parse(lock);
  const entry = locked[path];
  if (entry === undefined) throw new Error(`Node ${needed.major}.${needed.minor} or later is needed on ${platform}`);
  const folder = nodeFolder(packages);
  const own = { name: 'node', version: '0.0.0', dependencies: { [`node-${platform}`]: entry.version } };
  // A development package of this repository is a dependency of the folder.
  const needs = { ...entry, dev: undefined, optional: undefined };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify(own));
  await writeFile(
    join(folder, 'package-lock.json'),
    JSON.stringify({ ...own, lockfileVersion: 3, requires: true, packages: { '': own, [path]: needs } }),
  );
  info('Installing Node');
  await requireRun('npm', ['ci', ...quietly], { cwd: folder });
  return toNodePath(folder);
}
