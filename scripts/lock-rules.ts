import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';

const Lock = Type.Object({
  packages: Type.Record(
    Type.String(),
    Type.Object({
      name: Type.Optional(Type.String()),
      integrity: Type.Optional(Type.String()),
      resolved: Type.Optional(Type.String()),
      link: Type.Optional(Type.Boolean()),
      hasInstallScript: Type.Optional(Type.Boolean()),
      dev: Type.Optional(Type.Boolean()),
      optional: Type.Optional(Type.Boolean()),
      os: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
      cpu: Type.Optional(Type.Union([Type.String(), Type.Array(Type.String())])),
      libc: Type.Optional(Type.Array(Type.String())),
    }),
  ),
});
type Entry = Static<typeof Lock>['packages'][string];
const Manifest = Type.Object({ allowScripts: Type.Record(Type.String(), Type.Boolean()) });

const registry = 'https://registry.npmjs.org/';
const installed = 'node_modules/';

/**
 * Returns the problems of a lock file: packages without a hash of their content, from elsewhere than the registry, or
 * with an install script that `allowScripts` of the manifest neither permits nor forbids. Such a script could fetch files that no
 * hash covers.
 */
export function problemsOfLock(lock: unknown, manifest: unknown): string[] {
  const { packages } = Value.Parse(Lock, lock);
  const { allowScripts } = Value.Parse(Manifest, manifest);
  return Object.entries(packages).flatMap(([path, entry]) => {
    // The project itself and its own folders are no packages of the registry.
    if (!path.includes(installed) || entry.link === true) return [];
    const name = entry.name ?? path.slice(path.lastIndexOf(installed) + installed.length);
    const problems: string[] = [];
    if (!entry.integrity?.startsWith('sha512-') && !isToolElsewhere(entry)) problems.push(`${path} has no sha512 hash`);
    if (entry.resolved !== undefined && !entry.resolved.startsWith(registry)) {
      problems.push(`${path} comes from ${entry.resolved}`);
    }
    if (entry.hasInstallScript === true && allowScripts[name] === undefined) {
      problems.push(`${path} has an install script that allowScripts in package.json does not name`);
    }
    return problems;
  });
}

/**
 * Returns whether a package is a program for development on a platform on which the checks do not run. npm writes no
 * hash for such a package when its registry does not have it at the time.
 */
function isToolElsewhere({ dev, optional, os = [], cpu = [], libc = ['glibc'] }: Entry): boolean {
  if (dev !== true || optional !== true) return false;
  const isHere = os.includes('linux') && (cpu.includes('x64') || cpu.includes('arm64')) && libc.includes('glibc');
  return !isHere;
}
