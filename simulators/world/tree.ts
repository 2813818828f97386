import { createHash } from 'node:crypto';
import { gitId } from '../git/git-id.ts';

/** The file changes of a commit: texts by path, null for a removed file. Paths are in git's order. */
export type Changes = ReadonlyMap<string, string | null>;

/** The files after a commit. */
export interface Tree {
  oid: string;
  /** One digit for each of `paths`: the version of the file; 0: the file is absent. */
  versions: string;
}

/** Every path that a commit may change, in git's order. */
const paths = [
  'Makefile',
  'README.md',
  'docs/Räder & Wellen.md',
  'docs/engines.md',
  'package.json',
  'src/engine.ts',
  'src/wheel.ts',
  'test/engine.test.ts',
];
const trees = new Map<string, Tree>();

export const emptyTree = toTree('0'.repeat(paths.length));

/** Changes up to eight files, sometimes none; the same seed gives the same changes. */
export function changeTree(before: Tree, seed: string): { tree: Tree; changes: Changes } {
  const [mask = 0, otherMask = 0, steps = 0] = createHash('sha1').update(seed).digest();
  const changes = new Map<string, string | null>();
  const versions = paths.map((path, index) => {
    const version = Number(before.versions[index]);
    if (((mask & otherMask) >> index) % 2 === 0) return version;
    const next = (version + 1 + ((steps >> index) % 2)) % 3;
    changes.set(path, next === 0 ? null : toText(next));
    return next;
  });
  return { tree: toTree(versions.join('')), changes };
}

function toTree(versions: string): Tree {
  const cached = trees.get(versions);
  if (cached !== undefined) return cached;
  const files = paths.flatMap((path, index) => {
    const version = Number(versions[index]);
    return version === 0 ? [] : [{ path, oid: gitId('blob', Buffer.from(toText(version))) }];
  });
  const tree = { oid: idOfFolder(files), versions };
  trees.set(versions, tree);
  return tree;
}

function toText(version: number): string {
  return `${version}\n`;
}

/** Returns the id that git gives to a folder. */
function idOfFolder(files: readonly { path: string; oid: string }[]): string {
  const names = new Set(files.map(({ path }) => path.split('/', 1)[0] ?? ''));
  const entries = [...names].map((name) => {
    const file = files.find(({ path }) => path === name);
    if (file !== undefined) return [Buffer.from(`100644 ${name}\0`), Buffer.from(file.oid, 'hex')];
    const inside = files.filter(({ path }) => path.startsWith(`${name}/`));
    const oid = idOfFolder(inside.map((file) => ({ oid: file.oid, path: file.path.slice(name.length + 1) })));
    return [Buffer.from(`40000 ${name}\0`), Buffer.from(oid, 'hex')];
  });
  return gitId('tree', Buffer.concat(entries.flat()));
}
