import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';

/**
 * Runs all checks, several at a time: `npm run check`. `-- --changed` is for the time between two commits: it checks the
 * format, the rules and the wording of the files that differ from main alone, and the imports as a whole.
 */

interface Part {
  name: string;
  arguments: readonly string[];
}

const all = ['lint', 'guides', 'imports', 'wording', 'format', 'schema', 'settings', 'lock', 'languages'];
const parts = process.argv.includes('--changed')
  ? partsAbout(findChanged())
  : all.map((name) => ({ name, arguments: [] }));

const waiting = [...parts];
/** Lint uses all cores where it can, so two parts at a time keep them busy, and more would need more memory. */
await Promise.all([runNext(), runNext()]);

async function runNext(): Promise<void> {
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) await run(part);
}

async function run(part: Part): Promise<void> {
  const child = spawn('npm', ['run', '-s', `check:${part.name}`, '--', ...part.arguments], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve, reject) => child.once('close', resolve).once('error', reject));
  const [output, errors, status] = await Promise.all([buffer(child.stdout), buffer(child.stderr), ended]);
  // The check of languages lists missing translations, which are no failure.
  process.stdout.write(output);
  process.stderr.write(errors);
  if (status === 0) return;
  process.stderr.write(`check:${part.name} failed\n`);
  process.exitCode = 1;
}

function partsAbout(changed: readonly string[]): Part[] {
  const sources = changed.filter((file) => file.endsWith('.ts'));
  const worded = changed.filter((file) => /^(?:src|simulators|test|bench|scripts)\/.*\.(?:ts|sql)$/.test(file));
  return [
    { name: 'lint', arguments: sources },
    { name: 'imports', arguments: [] },
    { name: 'wording', arguments: worded },
    { name: 'format', arguments: changed.length > 0 ? ['--no-errors-on-unmatched', ...changed] : [] },
  ].filter(({ name, arguments: files }) => name === 'imports' || files.length > 0);
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
