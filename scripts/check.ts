import { execFileSync, spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { differing, type Hashes, hashFiles, importLines, readPassed, savePassed, withImporters } from './passed.ts';

/**
 * Runs all checks, several at a time: `npm run check`. A check reads again only what has changed since it passed, and
 * what that concerns; with `-- --all` it reads everything. `-- --changed` is for the time between two commits: it checks
 * the format, the rules and the wording of the files that differ from main alone, and the imports as a whole.
 */

interface Part {
  name: string;
  /** The files to check; absent: all. */
  files?: readonly string[];
  /** The files that have passed once the check succeeds. */
  passes?: Hashes;
}

/** The rules of the checks: when one of these files changes, everything is checked again. */
const rulesFiles = /^(?:scripts\/.*\.ts|\.?[\w.-]+\.(?:js|json))$/;
const worded = /^(?:src|simulators|test|bench|scripts|workflow)\/.*\.(?:ts|sql)$/;
const quick = ['schema', 'settings', 'lock', 'languages', 'action', 'workflows'];
/** A longer list of files would be too long for a command, and all files take hardly longer. */
const mostListed = 1000;

const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));
const tracked = git('ls-files', '--cached', '--others', '--exclude-standard').filter((file) => existsSync(file));
const rules = hash('sha1', JSON.stringify(hashFiles(tracked.filter((file) => rulesFiles.test(file)))));
const waiting = process.argv.includes('--changed') ? partsAbout(findChanged()) : allParts();
/** Lint uses all cores where it can, so two parts at a time keep them busy, and more would need more memory. */
await Promise.all([runNext(), runNext()]);

async function runNext(): Promise<void> {
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) await run(part);
}

async function run({ name, files = [], passes }: Part): Promise<void> {
  // Started without npm, which takes longer than many a check.
  const child = spawn([scripts[`check:${name}`], ...files].join(' '), {
    shell: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    // The linter is written in Go, and spends a quarter of its time on memory that it could keep.
    env: { GOGC: 'off', GOMEMLIMIT: '3GiB', ...process.env },
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  const [output, errors, status] = await Promise.all([buffer(child.stdout), buffer(child.stderr), ended]);
  // The check of languages lists missing translations, which are no failure.
  process.stdout.write(output);
  process.stderr.write(errors);
  if (status === 0) {
    if (passes !== undefined) savePassed(name, rules, passes);
    return;
  }
  process.stderr.write(`check:${name} failed\n`);
  process.exitCode = 1;
}

/** Returns the checks of everything that has changed since each of them passed. */
function allParts(): Part[] {
  const code = tracked.filter((file) => /\.[jt]s$/.test(file));
  const all = hashFiles(tracked);
  const select = (matches: (file: string) => boolean): Hashes =>
    Object.fromEntries(Object.entries(all).filter(([file]) => matches(file)));
  const imports = Object.fromEntries(code.map((file) => [file, hash('sha1', importLines(readFileSync(file, 'utf8')))]));
  const typed = select((file) => /\.(?:[jt]s|json)$/.test(file));
  return [
    ...toPart('lint', typed, (changed) => withImporters(changed, code, (file) => readFileSync(file, 'utf8'))),
    ...toPart(
      'guides',
      select((file) => /\.(?:md|ts)$/.test(file)),
    ),
    ...toPart('imports', { ...imports, ...select((file) => file === 'ARCHITECTURE.md') }),
    ...toPart(
      'wording',
      select((file) => worded.test(file)),
      (changed) => changed.filter(existsSync),
    ),
    ...toPart('format', all, (changed) => ['--no-errors-on-unmatched', ...changed.filter(existsSync)]),
    ...quick.map((name) => ({ name })),
  ];
}

/**
 * Returns a check of what has changed since it passed; none where nothing has.
 * @param concerned returns the files to check, by those that changed or were deleted; absent: all.
 */
function toPart(name: string, files: Hashes, concerned?: (changed: readonly string[]) => readonly string[]): Part[] {
  const passed = process.argv.includes('--all') ? {} : readPassed(name, rules);
  const changed = differing(files, passed);
  const isWhole = concerned === undefined || Object.keys(passed).length === 0;
  const listed = isWhole ? undefined : concerned(changed);
  if (changed.length === 0 || listed?.length === 0) return [];
  return [{ name, passes: files, ...(listed !== undefined && listed.length <= mostListed && { files: listed }) }];
}

function partsAbout(changed: readonly string[]): Part[] {
  const sources = changed.filter((file) => file.endsWith('.ts'));
  return [
    { name: 'lint', files: sources },
    { name: 'imports' },
    { name: 'wording', files: changed.filter((file) => worded.test(file)) },
    { name: 'format', files: changed.length > 0 ? ['--no-errors-on-unmatched', ...changed] : [] },
  ].filter(({ files }) => files === undefined || files.length > 0);
}

/** Returns the files that differ from main, are changed in the working tree or are new, without those that are deleted. */
function findChanged(): string[] {
  const base = git('merge-base', 'HEAD', 'main')[0] ?? 'HEAD';
  const files = [...git('diff', '--name-only', base), ...git('ls-files', '--others', '--exclude-standard')];
  return [...new Set(files)].filter((file) => existsSync(file));
}

function git(...command: readonly string[]): string[] {
  return execFileSync('git', command, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '');
}
