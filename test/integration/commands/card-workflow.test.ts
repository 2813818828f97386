import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { findSource, formatWorkflow } from '../../../src/app/commands/card-workflow.ts';

const run = promisify(execFile);
const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example'];
const { signal } = new AbortController();

interface Clone extends AsyncDisposable {
  gitDirectory: string;
  git: (...args: string[]) => Promise<string>;
}

/** Makes a clone with one commit, as `git clone` leaves it: the remote's branch has the commit. */
async function makeClone(origin: string): Promise<Clone> {
  const directory = await makeTemporaryDirectory();
  const environment = { PATH: process.env['PATH'] ?? '', HOME: directory.path };
  const git: Clone['git'] = async (...args) =>
    (await run('git', args, { cwd: directory.path, env: environment })).stdout.trim();
  await git('init', '--quiet', '--initial-branch=main');
  await git(...identity, 'commit', '--quiet', '--allow-empty', '-m', 'first');
  await git('remote', 'add', 'origin', origin);
  await git('update-ref', 'refs/remotes/origin/main', 'HEAD');
  return {
    gitDirectory: directory.pathOf('.git'),
    git,
    [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose](),
  };
}

describe('the workflow that writes cards', () => {
  it('names the repository and the commit of the clone, by any address of the remote, without its credential', async () => {
    for (const origin of [
      'https://github.com/engines/plaudit.git',
      'https://github.com/engines/plaudit',
      'https://ada:secret@github.com/engines/plaudit.git',
      'git@github.com:engines/plaudit.git',
      'ssh://git@github.com:22/engines/plaudit.git',
    ]) {
      await using clone = await makeClone(origin);
      const source = await findSource(clone.gitDirectory, signal);
      const commit = await clone.git('rev-parse', 'HEAD');
      assert.deepEqual(source, { host: 'github.com', repository: 'engines/plaudit', commit }, origin);
      const text = formatWorkflow(source);
      assert.doesNotMatch(text, /secret/);
      const { jobs } = parse(text) as { jobs: { cards: { steps: { uses: string }[] } } };
      assert.deepEqual(
        jobs.cards.steps.map(({ uses }) => uses),
        ['actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8', `engines/plaudit@${commit}`],
      );
    }
  });

  it('names the whole address of the action for runners of another host', () => {
    const source = { host: 'github.com', repository: 'engines/plaudit', commit: 'a'.repeat(40) };
    const uses = `https://github.com/engines/plaudit@${source.commit}`;
    assert.ok(formatWorkflow(source, 'codeberg.org').endsWith(`- uses: ${uses}`));
    assert.ok(formatWorkflow(source, 'github.com').endsWith(`- uses: engines/plaudit@${source.commit}`));
  });

  it('takes the inputs that the documentation adds below it', async () => {
    const workflow = formatWorkflow({ host: 'github.com', repository: 'engines/plaudit', commit: 'a'.repeat(40) });
    const documentation = await readFile('docs/action.md', 'utf8');
    const examples = [...documentation.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, example = '']) => example);
    assert.equal(examples.length, 3);
    for (const example of examples) {
      const { jobs } = parse(`${workflow}\n${example}`) as { jobs: { cards: { steps: { with?: object }[] } } };
      assert.ok(Object.keys(jobs.cards.steps.at(-1)?.with ?? {}).length > 0, example);
    }
  });

  it('is refused for a commit that the remote does not have, and outside of a clone', async () => {
    await using clone = await makeClone('https://github.com/engines/plaudit.git');
    await clone.git(...identity, 'commit', '--quiet', '--allow-empty', '-m', 'second');
    await assert.rejects(findSource(clone.gitDirectory, signal), /No branch of github\.com\/engines\/plaudit has/);
    for (const origin of ['/srv/plaudit.git', 'file:///srv/a/plaudit.git', 'https://github.com/plaudit']) {
      await clone.git('remote', 'set-url', 'origin', origin);
      await assert.rejects(
        findSource(clone.gitDirectory, signal),
        /is no clone of a repository at a code host/,
        origin,
      );
    }
    await using directory = await makeTemporaryDirectory();
    await assert.rejects(findSource(directory.pathOf('.git'), signal), /is no clone of a repository at a code host/);
  });
});
