import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { runAction, type Workflow } from './action-runner.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;

/** Git settings without an identity: each commit must name its author. */
const gitSettings = '[user]\nuseConfigOnly = true\n[init]\ndefaultBranch = main\n';

const installed = 'Install Plaudit';

interface Fixture extends AsyncDisposable {
  workflow: Workflow;
  /** Runs git in a clone. */
  git: (clone: 'workspace' | 'elsewhere', ...args: string[]) => Promise<string>;
  owner: string;
}

/** Prepares a checked-out repository beside the fetched action, on a machine with nothing but the tools of a runner. */
async function prepare(): Promise<Fixture> {
  const stack = new AsyncDisposableStack();
  const { path } = stack.use(await makeTemporaryDirectory());
  const simulator = stack.use(await startSimulator());
  const places = { workspace: join(path, 'workspace'), elsewhere: join(path, 'elsewhere') };
  const fetched = join(path, '_actions/plaudit/plaudit/v1');
  const temporary = join(path, 'temp');
  await mkdir(fetched, { recursive: true });
  await mkdir(temporary);
  for (const name of ['action', 'bin', 'src', 'package.json', 'package-lock.json', 'node_modules'])
    await symlink(join(root, name), join(fetched, name));
  await writeFile(join(path, '.gitconfig'), gitSettings);
  const git: Fixture['git'] = async (clone, ...args) =>
    (await run('git', args, { cwd: places[clone], env: { PATH, HOME: path } })).stdout.trim();
  await mkdir(places.elsewhere);
  const origin = join(path, 'origin.git');
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example'];
  await git('elsewhere', 'init', '--quiet', '--bare', origin);
  await git('elsewhere', 'clone', '--quiet', origin, '.');
  await writeFile(join(places.elsewhere, 'README.md'), 'hello');
  await git('elsewhere', 'add', '.');
  await git('elsewhere', ...identity, 'commit', '--quiet', '-m', 'first');
  await git('elsewhere', 'push', '--quiet', '-u', 'origin', 'main');
  await mkdir(places.workspace);
  await git('workspace', 'clone', '--quiet', '--depth=1', `file://${origin}`, '.');
  return {
    workflow: {
      actionPath: join(fetched, 'action'),
      workspace: places.workspace,
      temporary,
      serverUrl: simulator.url,
      apiUrl: simulator.apiUrl,
      repository: `${simulator.accounts.private_owner}/diary`,
      token: simulator.tokens.private_owner,
      // npm runs all its checks, but does not change the packages that are installed for the tests.
      environment: { PATH, HOME: path, npm_config_dry_run: 'true', NODE_COMPILE_CACHE },
    },
    git,
    owner: simulator.accounts.private_owner,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

describe('writing cards in workflows', () => {
  it('writes cards of a private repository into it, pushes them when they changed, and touches nothing else', async () => {
    await using fixture = await prepare();
    const { workflow, git, owner } = fixture;
    const base = `/v1/github/entities/${owner}`;
    const cards = `
    cards/people.svg ${base}/repositories/diary/contributors?theme=nord

    cards/me.png     ${base}/contributions?private=true&hide=avatar`;
    await writeFile(join(workflow.workspace, 'README.md'), 'changed by another step');
    const written = await runAction(workflow, { cards });
    assert.match(written, /^cards\/people\.svg written$/m);
    assert.match(written, /^cards\/me\.png written$/m);
    assert.doesNotMatch(written, new RegExp(workflow.token));
    assert.match(
      await runAction(workflow, { cards }, installed),
      /cards\/people\.svg is as it was\ncards\/me\.png is as it was/,
    );
    await git('elsewhere', 'pull', '--quiet');
    assert.equal(await git('elsewhere', 'log', '--format=%s %an'), 'Update cards github-actions[bot]\nfirst a');
    assert.equal(await git('elsewhere', 'show', '--format=', '--name-only'), 'cards/me.png\ncards/people.svg');
    assert.match(await git('elsewhere', 'show', 'HEAD:cards/people.svg'), />\d+ contributions?</);

    // Another person pushes meanwhile, to the same card.
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example'];
    await writeFile(join(fixture.workflow.workspace, '..', 'elsewhere', 'cards', 'people.svg'), '<svg>older</svg>');
    await git('elsewhere', ...identity, 'commit', '--quiet', '-am', 'second');
    await git('elsewhere', 'push', '--quiet');
    await runAction(
      workflow,
      { cards: cards.replace('nord', 'rose'), message: 'Cards in "rose" $(exit 1)' },
      installed,
    );
    await git('elsewhere', 'pull', '--quiet');
    const subjects = await git('elsewhere', 'log', '--format=%s %cn', '-2');
    assert.equal(subjects, 'Cards in "rose" $(exit 1) github-actions[bot]\nsecond a');
    assert.match(await git('elsewhere', 'show', 'HEAD:cards/people.svg'), /#fff7f8/);
    assert.equal(await readFile(join(workflow.workspace, 'README.md'), 'utf8'), 'changed by another step');
  });

  it('refuses files outside the repository, and draws the contributors to it by default', async () => {
    await using fixture = await prepare();
    const { workflow, git, owner } = fixture;
    const address = `/v1/github/entities/${owner}/contributions`;
    await mkdir(join(workflow.workspace, 'cards'));
    await symlink('../.git', join(workflow.workspace, 'cards/linked'));
    await symlink('../../outside.svg', join(workflow.workspace, 'cards/link.svg'));
    await symlink('missing.svg', join(workflow.workspace, 'dangling.svg'));
    const inGit = ['./.git/me.svg', '.GIT/me.svg', 'a/.Git/me.svg', './/.git//me.svg', '.git./me.svg', 'GIT~1/me.svg'];
    const others = ['./../me.svg', 'a/..', '//me.svg', '.git', 'a\\..\\me.svg', 'a\u0007.svg'];
    const links = ['cards/linked/me.svg', './cards/linked/hooks/me.svg', 'cards/link.svg', 'dangling.svg'];
    for (const [cards, message] of [
      ...[...inGit, ...others].map((file) => [`${file} ${address}`, /is not a file of the repository$/m] as const),
      ...links.map((file) => [`${file} ${address}`, /is not a file of the repository: .* is a link/] as const),
      [`../me.svg ${address}`, /is not a file of the repository/],
      [`a/../../me.svg ${address}`, /is not a file of the repository/],
      [`/elsewhere/me.svg ${address}`, /is not a file of the repository/],
      [`.git/hooks/me.svg ${address}`, /is not a file of the repository/],
      ['me.svg', /needs a file and an address/],
      [`me.gif ${address}`, /files end with .svg or .png/],
    ] as const) {
      await assert.rejects(runAction(workflow, { cards }, installed), message, cards);
    }
    await rm(join(workflow.workspace, 'cards'), { recursive: true });
    await rm(join(workflow.workspace, 'dangling.svg'));
    await assert.rejects(runAction(workflow, { directory: '..' }, installed), /is not a file of the repository/);
    assert.equal(await git('workspace', 'log', '--format=%s'), 'first');
    // Workflows with this action's predecessor name a token and a limit, and READMEs this file.
    const inputs = { token: workflow.token, limit: '1', directory: '.vaunt/cards' };
    assert.match(await runAction(workflow, inputs, installed), /^\.vaunt\/cards\/contributors\.svg written$/m);
    await git('elsewhere', 'pull', '--quiet');
    assert.match(await git('elsewhere', 'show', 'HEAD:.vaunt/cards/contributors.svg'), />\d+ contributions?</);
  });
});
