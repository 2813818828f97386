import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Records the files that passed a check, so that its next run reads again only those that have changed since. The records
 * lie in node_modules/.cache/check, which `npm ci` empties.
 */

/** Hashes of files, by their paths. */
export type Hashes = Readonly<Record<string, string>>;

const importPattern = /(?:\bfrom|\bimport\(?)\s*'([^']+)'/g;

export function hashFiles(files: readonly string[]): Hashes {
  return Object.fromEntries(files.map((file) => [file, hash('sha1', readFileSync(file))]));
}

/** Returns the files that passed a check the last time; none where the rules of the checks were others. */
export function readPassed(check: string, rules: string): Hashes {
  try {
    const record: { rules: string; files: Hashes } = JSON.parse(readFileSync(toRecordPath(check), 'utf8'));
    return record.rules === rules ? record.files : {};
  } catch {
    return {};
  }
}

export function savePassed(check: string, rules: string, files: Hashes): void {
  mkdirSync(dirname(toRecordPath(check)), { recursive: true });
  writeFileSync(toRecordPath(check), JSON.stringify({ rules, files }));
}

function toRecordPath(check: string): string {
  return `node_modules/.cache/check/${check}.json`;
}

/** Returns the files that differ from those that passed, also those that were deleted. */
export function differing(files: Hashes, passed: Hashes): string[] {
  return [...new Set([...Object.keys(files), ...Object.keys(passed)])].filter((file) => files[file] !== passed[file]);
}

/** Returns the names of the modules that a file imports. */
export function importLines(text: string): string {
  return [...text.matchAll(importPattern)].map(([, specifier]) => specifier).join('\n');
}

/**
 * Returns files and all that import them, at any distance: the types in a file follow from its imports. A file that
 * declares types for others concerns all.
 * @param textOf returns the text of a file.
 */
export function withImporters(
  changed: readonly string[],
  files: readonly string[],
  textOf: (file: string) => string,
): string[] {
  const importers = new Map<string, string[]>();
  for (const file of files) {
    const text = textOf(file);
    if (changed.includes(file) && (file.endsWith('.d.ts') || /^declare (?:module|global)/m.test(text)))
      return [...files];
    for (const [, specifier = ''] of text.matchAll(importPattern)) {
      if (!specifier.startsWith('.')) continue;
      const imported = join(dirname(file), specifier);
      importers.set(imported, [...(importers.get(imported) ?? []), file]);
    }
  }
  const found = new Set(changed);
  // A set is read in the order of its additions, so that the loop reaches the files that it adds.
  for (const file of found) for (const importer of importers.get(file) ?? []) found.add(importer);
  return files.filter((file) => found.has(file));
}
