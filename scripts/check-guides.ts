import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Checks the documents: each path of a file that they name exists, each of their links leads to a file and to a heading
 * of it, each `npm test` that they recommend runs some test, and the examples of the guides (docs/adding-*.md) fit the
 * present types and add nothing that is there already. An example is a block of TypeScript after a line that holds only the
 * path of its file; a block after "added to" a path is checked as the end of that file.
 */

interface Example {
  guide: string;
  /** The line of the guide on which the code begins. */
  line: number;
  path: string;
  code: string;
  isAppended: boolean;
}

const documents = globSync(['*.md', 'docs/**/*.md']).filter((file) => file !== 'CHANGELOG.md');
const namedPath = /`((?:src|test|simulators|bench|scripts|workflow|docs)\/[\w./-]+\.(?:ts|md|sql|graphql|js))`/g;

const examples = documents.filter((file) => file.startsWith('docs/adding-')).flatMap(listExamples);
const readMes = globSync(['{bench,client}/README.md', '{simulators,src,test}/**/README.md']);
const faults = [
  ...documents.flatMap(listMissingPaths),
  ...[...documents, 'CHANGELOG.md', ...readMes].flatMap(listDeadLinks),
  ...documents.flatMap(listEmptyTestRuns),
  ...examples.flatMap(listClashes),
  ...typeErrors(),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

function listExamples(guide: string): Example[] {
  const text = readFileSync(guide, 'utf8');
  const blocks = text.matchAll(/(?:^|added to\s)`((?:src|test|simulators)\/[\w./-]+\.ts)`:?\n\n```ts\n(.*?)\n```/gms);
  return [...blocks].map((block) => {
    const [, path = '', code = ''] = block;
    const offset = block[0].indexOf('```ts\n') + '```ts\n'.length;
    const line = text.slice(0, block.index + offset).split('\n').length;
    return { guide, line, path, code, isAppended: block[0].startsWith('added to') };
  });
}

/** Returns the paths that a document names and that lead to no file. */
function listMissingPaths(document: string): string[] {
  const added = new Set(examples.filter(({ guide }) => guide === document).map(({ path }) => path));
  return readFileSync(document, 'utf8')
    .split('\n')
    .flatMap((text, index) =>
      [...text.matchAll(namedPath)].flatMap(([, path = '']) =>
        existsSync(path) || added.has(path) || path.includes('NNNN')
          ? []
          : [`${document}:${index + 1}: ${path} does not exist`],
      ),
    );
}

/** Returns the relative links of a document that lead nowhere. Links that begin with `/` are addresses of the service. */
function listDeadLinks(document: string): string[] {
  return withoutCode(readFileSync(document, 'utf8'))
    .split('\n')
    .flatMap((text, index) =>
      [...text.matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, link = '']) => {
        if (/^(?:\/|\w+:)/.test(link)) return [];
        const [path = '', anchor] = link.split('#');
        const target = path === '' ? document : join(dirname(document), path);
        const isFound = existsSync(target) && (anchor === undefined || listAnchors(target).has(anchor));
        return isFound ? [] : [`${document}:${index + 1}: the link ${link} leads nowhere`];
      }),
    );
}

/** Returns the anchors of the headings of a document, as GitHub makes them. */
function listAnchors(document: string): Set<string> {
  const headings = withoutCode(readFileSync(document, 'utf8')).matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

/** Empties the blocks of code of a document, and keeps the numbers of its lines. */
function withoutCode(text: string): string {
  return text.replaceAll(/^```.*?^```$/gms, (block) => block.replaceAll(/[^\n]/g, '')).replaceAll(/^ {4}.*$/gm, '');
}

/** `npm test -- WORD` runs the tests whose path contains the word, and those that a guide adds. */
function listEmptyTestRuns(document: string): string[] {
  const tests = [...globSync('test/**/*.test.ts'), ...examples.map(({ path }) => path)];
  return [...readFileSync(document, 'utf8').matchAll(/npm test -- ([a-z][\w./ -]*)/g)].flatMap(([, words = '']) =>
    words
      .trim()
      .split(/ +/)
      .filter((word) => !tests.some((path) => path.includes(word)))
      .map((word) => `${document}: npm test -- ${word} runs no test`),
  );
}

/**
 * Returns what an example adds although it is there already: its file, the path or the operation id of an endpoint, or a
 * name that a file of the same guide imports from elsewhere.
 */
function listClashes({ guide, line, path, code, isAppended }: Example): string[] {
  const endpoints = [...code.matchAll(/(?:operationId|path): '[^']+'/g)].map(([text]) => text);
  const taken = globSync('src/**/routes.ts').map((file) => ({ file, text: readFileSync(file, 'utf8') }));
  const exported = [...code.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
  const edited = [...readFileSync(guide, 'utf8').matchAll(namedPath)].map(([, file = '']) => file);
  const clashes = [
    ...(isAppended || !existsSync(path) ? [] : [`${path} exists`]),
    ...endpoints.flatMap((text) =>
      taken.filter((routes) => routes.text.includes(text)).map(({ file }) => `${file} has ${text}`),
    ),
    ...[...new Set(edited)]
      .filter((file) => file.endsWith('.ts') && existsSync(file))
      .flatMap((file) => {
        const imported = listImports(readFileSync(file, 'utf8'));
        return exported.filter((name) => imported.has(name)).map((name) => `${file} imports another ${name}`);
      }),
  ];
  return clashes.map((clash) => `${guide}:${line}: ${clash} already; choose a name that no guide has in its example`);
}

/** Returns the names that a file imports, as it calls them. */
function listImports(text: string): Set<string> {
  const lists = text.matchAll(/^import (?:type )?\{([^}]*)\} from/gm);
  return new Set(
    [...lists].flatMap(([, list = '']) => list.split(',').map((entry) => entry.trim().split(' ').at(-1) ?? '')),
  );
}

/** Returns the type errors of the examples, which are checked in a folder that lies over this one. */
function typeErrors(): string[] {
  const folder = 'node_modules/.cache/guides';
  rmSync(folder, { recursive: true, force: true });
  const compilerOptions = { rootDirs: ['.', '../../..'] };
  write(
    `${folder}/tsconfig.json`,
    JSON.stringify({ extends: '../../../tsconfig.json', compilerOptions, include: ['.'] }),
  );
  write(`${folder}/oxlintrc.json`, '{}');
  for (const { path, code, isAppended } of examples)
    write(`${folder}/${path}`, isAppended ? `${readFileSync(path, 'utf8')}\n${code}\n` : `${code}\n`);
  const rules = ['-c', `${folder}/oxlintrc.json`, '-A', 'all', '--type-aware', '--type-check', '--format=unix'];
  const { stdout, stderr, status, error } = spawnSync(
    'oxlint',
    [...rules, ...examples.map(({ path }) => `${folder}/${path}`)],
    {
      encoding: 'utf8',
    },
  );
  if (error !== undefined) throw error;
  const faults = [...stdout.matchAll(/^(?:.*?guides\/)?(\S+\.ts):(\d+):\d+: (.*)$/gm)].map(
    ([, file = '', line, message]) => {
      const example = examples.find(({ path }) => path === file);
      if (example === undefined) return `${file}:${line}: ${message}`;
      const firstLine = example.isAppended ? readFileSync(file, 'utf8').split('\n').length : 0;
      return `${example.guide}:${example.line + Number(line) - 1 - firstLine}: ${message}`;
    },
  );
  if (status !== 0 && faults.length === 0) throw new Error(`the examples could not be checked: ${stdout}${stderr}`);
  return faults;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
