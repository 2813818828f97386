import { readFileSync } from 'node:fs';

/**
 * Finds the programming and markup languages of files by their paths alone, with the data and rules of github-linguist
 * (`linguist.tsv`, made by `scripts/linguist.ts`). Its rules that read files are left out: local copies have no
 * contents.
 */

/** The numbers of files by language. */
export type FilesByLanguage = ReadonlyMap<string, number>;

const names = new Map<string, string>();
const colours = new Map<string, string>();
const byExtension = new Map<string, string>();
const byName = new Map<string, string>();
/** Languages that do not count by themselves, and the group of which they are members; empty: they are data or prose. */
const uncounted = new Map<string, { name: string; group: string }>();
const excluded: string[] = [];

for (const line of readFileSync(new URL('linguist.tsv', import.meta.url), 'utf8').split('\n')) {
  const [kind, name = '', detail = '', extensions = '', filenames = ''] = line.split('\t');
  if (kind === 'excluded') excluded.push(name);
  if (kind === 'uncounted') uncounted.set(name.toLowerCase(), { name, group: detail });
  if (kind !== 'language') continue;
  names.set(name.toLowerCase(), name);
  if (detail !== '') colours.set(name, detail);
  for (const extension of extensions.split('|')) if (extension !== '') byExtension.set(extension, name);
  for (const filename of filenames.split('|')) if (filename !== '') byName.set(filename, name);
}

/**
 * The path rules of `generated?` in linguist's generated.rb, without those for lock and data files, which have no
 * counted language.
 */
const generated = [
  '\\.[Dd]esigner\\.(cs|vb)$',
  '\\.feature\\.cs$',
  '(?:^|/)\\.idea/',
  '(^Pods|/Pods)/',
  '(^|/)Carthage/Build/',
  'node_modules/',
  '(^|/)\\.pnp\\..*$',
  'Godeps/',
  '.\\.zep\\.(?:c|h|php)$',
  'ppport\\.h$',
  '__generated__/',
  '(?:^|/)htmlcov/',
  '_tlb\\.pas$',
];
const isExcluded = new RegExp([...excluded, ...generated].map((pattern) => `(?:${pattern})`).join('|'));
/** Longer paths have no language, so that the time for one is limited. */
const maxPathLength = 512;

/** Returns the language of a file; undefined for vendored and generated files, documentation, data and prose. */
export function languageOfPath(path: string): string | undefined {
  if (path.length > maxPathLength) return undefined;
  const language = languageOfName(path.slice(path.lastIndexOf('/') + 1));
  return language === undefined || isExcluded.test(path) ? undefined : language;
}

/** Finds the language of a name, or else of its longest known extension. */
function languageOfName(name: string): string | undefined {
  const known = byName.get(name);
  if (known !== undefined) return known;
  for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
    const language = byExtension.get(name.slice(dot).toLowerCase());
    if (language !== undefined) return language;
  }
  return undefined;
}

/** Counts the files of each language. */
export function countLanguages(paths: readonly string[]): FilesByLanguage {
  const counted = new Map<string, number>();
  for (const path of paths) {
    const language = languageOfPath(path);
    if (language !== undefined) counted.set(language, (counted.get(language) ?? 0) + 1);
  }
  return counted;
}

/** Returns the name of a language as it is counted, from its name in any letter case; undefined for others. */
export function languageNamed(name: string): string | undefined {
  return names.get(name.toLowerCase());
}

/**
 * Returns the name of a language that linguist knows and that does not count by itself, from its name in any letter
 * case, and the language as which it counts, which is empty for data and prose.
 */
export function uncountedNamed(name: string): Readonly<{ name: string; group: string }> | undefined {
  return uncounted.get(name.toLowerCase());
}

/** Returns the names of all languages that count. */
export function languageNames(): Iterable<string> {
  return names.values();
}

/** Returns the colour that linguist gives a language, `#rrggbb`; undefined where it has none. */
export function colourOfLanguage(language: string): string | undefined {
  return colours.get(language);
}
