import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Static, type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { parse } from 'yaml';

/**
 * Makes src/contributions/languages/linguist.tsv from a clone of https://github.com/github-linguist/linguist, whose data
 * has the MIT licence: `node scripts/linguist.ts PATH-OF-CLONE`.
 */

const table = fileURLToPath(new URL('../src/contributions/languages/linguist.tsv', import.meta.url));
const clone = process.argv[2];
if (clone === undefined) throw new Error('Usage: node scripts/linguist.ts PATH-OF-CLONE');

const Languages = Type.Record(
  Type.String(),
  Type.Object({
    type: Type.String(),
    color: Type.Optional(Type.String()),
    group: Type.Optional(Type.String()),
    extensions: Type.Optional(Type.Array(Type.String())),
    filenames: Type.Optional(Type.Array(Type.String())),
  }),
);
const Texts = Type.Array(Type.String());

const git = (...parameters: string[]): string =>
  execFileSync('git', ['-C', clone, ...parameters], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
const read = <Schema extends TSchema>(schema: Schema, name: string): Static<Schema> =>
  Value.Parse(schema, parse(git('show', `HEAD:lib/linguist/${name}.yml`)));

const languages = read(Languages, 'languages');
const popular = new Set(read(Texts, 'popular'));
/** The types of languages that linguist's statistics contain. */
const countedTypes = new Set(['programming', 'markup']);

/** The usual languages of extensions for which the rule below finds an unusual one. */
const usual: Readonly<Record<string, string>> = {
  '.as': 'ActionScript',
  '.cake': 'C#',
  '.cp': 'C++',
  '.frag': 'GLSL',
  '.gs': 'JavaScript',
  '.h': 'C',
  '.inc': 'PHP',
  '.nu': 'Nushell',
  '.odin': 'Odin',
  '.pkl': 'Pkl',
  '.sc': 'Scala',
  '.scd': 'SuperCollider',
  '.srt': 'SubRip Text',
  '.star': 'Starlark',
  '.t': 'Perl',
  '.toc': 'TeX',
  '.trigger': 'Apex',
  '.tsp': 'TypeSpec',
  '.v': 'Verilog',
  '.yaml': 'YAML',
};

/**
 * Returns the language of an extension without looking into files: one whose first extension it is, and a popular one
 * among several; else a popular one; else the one with the most extensions.
 */
function findLanguage(extension: string): string {
  const chosen = usual[extension];
  if (chosen !== undefined) return chosen;
  const rank = (name: string): number[] => {
    const { extensions = [] } = languages[name] ?? {};
    return [Number(extensions[0] === extension), Number(popular.has(name)), extensions.length];
  };
  const candidates = Object.keys(languages).filter((name) => languages[name]?.extensions?.includes(extension));
  const [best = ''] = candidates.toSorted((one, other) => {
    const [a, b] = [rank(one), rank(other)];
    return a.map((value, index) => (b[index] ?? 0) - value).find((difference) => difference !== 0) ?? 0;
  });
  return best;
}

interface Kept {
  colour: string;
  extensions: string[];
  names: string[];
}
const kept = new Map<string, Kept>();
/** Members of a group, such as TSX of TypeScript, count as the group. */
function keep(name: string): Kept | undefined {
  const language = languages[name];
  if (language === undefined || !countedTypes.has(language.type)) return undefined;
  const group = language.group ?? name;
  const entry = kept.get(group) ?? { colour: languages[group]?.color ?? '', extensions: [], names: [] };
  kept.set(group, entry);
  return entry;
}
const lower = (extension: string): string => extension.toLowerCase();
const extensions = new Set(Object.values(languages).flatMap((language) => language.extensions ?? []));
for (const extension of [...extensions].toSorted()) keep(findLanguage(extension))?.extensions.push(lower(extension));
for (const [name, { filenames = [] }] of Object.entries(languages)) keep(name)?.names.push(...filenames);

/** A language that does not count by itself: as the group of which it is a member, or not at all. */
function uncounted([name, { type, group }]: [string, (typeof languages)[string]]): string[] {
  if (kept.has(name)) return [];
  return [['uncounted', name, ...(countedTypes.has(type) && group !== undefined ? [group] : [])].join('\t')];
}

/** Removes the beginning of an expression that matches anything, which only costs time, and quadratic time at that. */
const unanchored = (expression: string): string => expression.replace(/^\((\.\*\?|\[\^\\s\]\*)\)/, '');
const rows = [
  `# From github-linguist ${git('show', 'HEAD:lib/linguist/VERSION').trim()} (${git('rev-parse', 'HEAD').trim()}), MIT licence,`,
  '# Copyright (c) 2017 GitHub, Inc. Made by scripts/linguist.ts.',
  ...[...kept]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { colour, ...of }]) =>
      ['language', name, colour, [...new Set(of.extensions)].join('|'), of.names.join('|')].join('\t'),
    ),
  ...Object.entries(languages).flatMap(uncounted),
  ...['vendor', 'documentation'].flatMap((name) => read(Texts, name).map((one) => `excluded\t${unanchored(one)}`)),
];
writeFileSync(table, `${rows.join('\n')}\n`);
console.log(`${kept.size} languages`);
