import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { listProblems } from './commit-rules.ts';

/**
 * Checks the messages of commits: `npm run check:commits`. The rules are in commit-rules.ts. Merges are exempt. A
 * shallow clone is checked as far as it goes; where there is no history, nothing is checked.
 */

/** The newest commit that is not checked: the messages up to it were written before there were rules. */
const lastUnchecked = '08f95b0246241adc6bb34a61d92d8573bb628769';
const root = fileURLToPath(new URL('..', import.meta.url));

const range = checkedRange();
if (range === undefined) {
  console.log('There are no commits to check here.');
} else {
  const separator = '\u001e';
  const log = git('log', '--no-merges', `--format=%h %B${separator}`, range) ?? '';
  const commits = log.split(separator).flatMap((text) => {
    const [, hash = '', message] = /^\s*(\S+) ([\s\S]*)$/.exec(text) ?? [];
    return message === undefined ? [] : [{ hash, message }];
  });
  for (const { hash, message } of commits) {
    for (const problem of listProblems(message)) {
      console.log(`${hash} ${message.split('\n')[0]}\n  ${problem}`);
      process.exitCode = 1;
    }
  }
  console.log(`${commits.length} commit messages are checked.`);
}

/** Returns the commits to check, for git; undefined without a history of this project. */
function checkedRange(): string | undefined {
  const top = git('rev-parse', '--show-toplevel');
  // An unpacked archive may lie in the repository of another project.
  if (top === undefined || realpathSync(top) !== realpathSync(root)) return undefined;
  if (git('merge-base', '--is-ancestor', lastUnchecked, 'HEAD') !== undefined) return `${lastUnchecked}..HEAD`;
  return git('rev-parse', '--is-shallow-repository') === 'true' ? 'HEAD' : undefined;
}

/** Returns the output of git; undefined when it fails or is missing. */
function git(...args: string[]): string | undefined {
  try {
    return execFileSync('git', ['-C', root, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return undefined;
  }
}
