import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startGiteaSimulator } from '../../simulators/gitea/simulator.ts';
import { type Simulator, startSimulator } from '../../simulators/github/simulator.ts';
import { addRepository } from '../../simulators/world/activity.ts';
import { addActivity } from '../../simulators/world/fill.ts';
import { generateWorld } from '../../simulators/world/generate.ts';
import type { Account } from '../../simulators/world/model.ts';
import { Random } from '../../simulators/world/random.ts';
import type { World } from '../../simulators/world/world.ts';
import { runAction, type Workflow } from './action-runner.ts';
import { type CacheServer, startCacheServer } from './cache-server.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const { PATH = '', NODE_COMPILE_CACHE = join(root, 'node_modules/.cache/compiled') } = process.env;

/** Git settings without an identity: each commit must name its author. */
const gitSettings = '[user]\nuseConfigOnly = true\n[init]\ndefaultBranch = main\n';
const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example'];

const achievementsFile = `version: 0.0.1
achievements:
  - achievement:
      name: First commit
      description: A commit.
      triggers:
        - trigger: { actor: author, action: commit, condition: count() > 0 }
`;

/** Returns a file with a board of all repositories of an account. */
function toBoardsFile(owner: string): string {
  return `version: 1
boards:
  - board:
      name: All
      slug: all
      repositories: [${owner}/*]
      points:
        - { action: commit, points: 1 }
`;
}

interface Fixture extends AsyncDisposable {
  workflow: Workflow;
  /** Runs git in a clone. */
  git: (clone: 'workspace' | 'elsewhere', ...args: string[]) => Promise<string>;
  simulator: Simulator;
  cache: CacheServer;
  owner: string;
}

/** Prepares a checked-out repository beside the fetched action, whose packages are installed already. */
async function prepare(world?: World): Promise<Fixture> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await makeTemporaryDirectory());
  const simulator = stack.use(await startSimulator(world && { world }));
  const cache = stack.use(await startCacheServer());
  const places = { workspace: join(path, 'workspace'), elsewhere: join(path, 'elsewhere') };
  const actionPath = join(path, '_actions/plaudit/plaudit/v1');
  const temporary = join(path, 'temp');
  await mkdir(temporary);
  await fetchAction(actionPath);
  await writeFile(join(path, '.gitconfig'), gitSettings);
  const git: Fixture['git'] = async (clone, ...args) =>
    (await run('git', args, { cwd: places[clone], env: { PATH, HOME: path } })).stdout.trim();
  await mkdir(places.elsewhere);
  const origin = join(path, 'origin.git');
  await git('elsewhere', 'init', '--quiet', '--bare', origin);
  await git('elsewhere', 'clone', '--quiet', origin, '.');
  await writeFile(join(places.elsewhere, 'README.md'), 'hello');
  await git('elsewhere', 'add', '.');
  await git('elsewhere', ...identity, 'commit', '--quiet', '-m', 'first');
  await git('elsewhere', 'push', '--quiet', '-u', 'origin', 'main');
  await mkdir(places.workspace);
  await git('workspace', 'clone', '--quiet', '--depth=1', `file://${origin}`, '.');
  const workflow: Workflow = {
    actionPath,
    workspace: places.workspace,
    temporary,
    serverUrl: simulator.url,
    apiUrl: simulator.apiUrl,
    cacheUrl: cache.url,
    repository: `${simulator.accounts.private_owner}/diary`,
    isPrivate: true,
    token: simulator.tokens.private_owner,
    environment: { PATH, HOME: path, NODE_COMPILE_CACHE },
  };
  const opened = stack.move();
  const owner = simulator.accounts.private_owner;
  return { workflow, git, simulator, cache, owner, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** Lays out the files of the action as a runner fetches them, and the packages as `npm ci` or a cache leaves them. */
async function fetchAction(actionPath: string): Promise<void> {
  const packages = join(actionPath, 'node_modules');
  await mkdir(packages, { recursive: true });
  await mkdir(join(actionPath, 'workflow'));
  // Node takes the real path of a link for the place of a module.
  await writeFile(join(actionPath, 'workflow/action.cjs'), await readFile(join(root, 'workflow/action.cjs')));
  for (const name of ['action.yml', 'bin', 'fonts', 'src', 'package.json', 'package-lock.json'])
    await symlink(join(root, name), join(actionPath, name));
  for (const name of await readdir(join(root, 'node_modules')))
    await symlink(join(root, 'node_modules', name), join(packages, name));
  const lock = await readFile(join(root, 'package-lock.json'), 'utf8');
  await writeFile(join(packages, '.plaudit-program'), createHash('sha256').update(lock).digest('hex'));
}

/** Runs the action, and counts its requests at the code host, fetches of git included. */
async function countRequests(
  { simulator }: Awaited<ReturnType<typeof prepare>>,
  workflow: Parameters<typeof runAction>[0],
): Promise<{ requests: number; log: string }> {
  const [before, gitBefore] = [simulator.requests.length, simulator.gitRequests.length];
  const { status, log } = await runAction(workflow);
  assert.equal(status, 0, log);
  return { requests: simulator.requests.length - before + simulator.gitRequests.length - gitBefore, log };
}

describe('the action that writes cards', () => {
  it('writes cards of a private repository into it, pushes them when they changed, and touches nothing else', async () => {
    await using fixture = await prepare();
    const { workflow, git, owner } = fixture;
    const base = `/v1/github/entities/${owner}`;
    const cards = `
    cards/people.svg ${base}/repositories/diary/contributors?theme=nord

    cards/me.png     ${base}/contributions?private=true&hide=avatar`;
    await writeFile(join(workflow.workspace, 'README.md'), 'changed by another step');
    const written = await runAction(workflow, { cards });
    assert.equal(written.status, 0, written.log);
    assert.match(written.log, /^cards\/people\.svg written$/m);
    assert.match(written.log, /^cards\/me\.png written$/m);
    assert.doesNotMatch(written.log.replaceAll(/^::add-mask::.*$/gm, ''), new RegExp(workflow.token));
    assert.equal(written.outputs['changed'], 'true');
    assert.match(written.outputs['cards'] ?? '', /"file":"cards\/people\.svg".*"numbers":\[\{/);
    assert.match(
      written.summary,
      /\| \[cards\/people\.svg\]\(.*\/blob\/main\/cards\/people\.svg\) \| .*\d+ contributors/,
    );
    assert.doesNotMatch(written.summary, /<svg|data:/);
    const again = await runAction(workflow, { cards });
    assert.match(again.log, /cards\/people\.svg is as it was\ncards\/me\.png is as it was/);
    assert.equal(again.outputs['changed'], 'false');
    await git('elsewhere', 'pull', '--quiet');
    assert.equal(await git('elsewhere', 'log', '--format=%s %an'), 'Update cards github-actions[bot]\nfirst a');
    assert.equal(await git('elsewhere', 'show', '--format=', '--name-only'), 'cards/me.png\ncards/people.svg');
    assert.equal(await git('workspace', 'status', '--short', '--branch'), '## main...origin/main\n M README.md');

    // Another person pushes meanwhile, to the same card.
    await writeFile(join(workflow.workspace, '..', 'elsewhere', 'cards', 'people.svg'), '<svg>older</svg>');
    await git('elsewhere', ...identity, 'commit', '--quiet', '-am', 'second');
    await git('elsewhere', 'push', '--quiet');
    await runAction(workflow, { cards: cards.replace('nord', 'rose'), message: 'Cards in "rose" $(exit 1)' });
    await git('elsewhere', 'pull', '--quiet');
    const subjects = await git('elsewhere', 'log', '--format=%s %cn', '-2');
    assert.equal(subjects, 'Cards in "rose" $(exit 1) github-actions[bot]\nsecond a');
    assert.match(await git('elsewhere', 'show', 'HEAD:cards/people.svg'), /#fff7f8/);
    assert.equal(await readFile(join(workflow.workspace, 'README.md'), 'utf8'), 'changed by another step');
  });

  it('makes at most 10 requests for a large repository in which nothing changed', async () => {
    const world = await generateWorld({ seed: 1, size: 'small', now: () => new Date() });
    const people: Account[] = [...world.accounts.values()].slice(0, 12);
    const owner = [...world.accounts.values()].find(({ login }) => login === 'secret-keeper');
    const repository = addRepository(world, {
      ownerId: owner?.id ?? 0,
      name: 'large',
      visibility: 'private',
      createdAt: new Date('2019-01-01'),
    });
    const amounts = { commits: 5000, issues: 1500, pullRequests: 1500, discussions: 0 };
    addActivity(world, new Random(1), repository, people, amounts);
    world.markChanged();
    await using fixture = await prepare(world);
    const { cache, owner: name } = fixture;
    const workflow = { ...fixture.workflow, repository: `${name}/large` };
    const first = await countRequests(fixture, workflow);
    assert.match(first.log, /^cards\/contributors\.svg written$/m);
    assert.equal(cache.archives.size, 1, first.log);
    const second = await countRequests(fixture, workflow);
    assert.match(second.log, /^cards\/contributors\.svg is as it was$/m);
    assert.ok(second.requests <= 10, `${second.requests} requests`);
    // Data that is as it was is not stored again.
    assert.equal(cache.archives.size, 1, first.log);
  });

  it('reads a repository whole where its data is lost', async () => {
    await using fixture = await prepare();
    const { workflow, cache } = fixture;
    const first = await countRequests(fixture, workflow);
    cache.archives.clear();
    const again = await countRequests(fixture, workflow);
    assert.match(again.log, /^cards\/contributors\.svg is as it was$/m);
    assert.equal(again.requests, first.requests);
    assert.equal(cache.archives.size, 1, again.log);
  });

  it('reads what changed since the last run', async () => {
    await using fixture = await prepare();
    const { workflow, simulator, git, owner, cache } = fixture;
    const first = await runAction(workflow);
    assert.equal(cache.archives.size, 1, first.log);
    await git('elsewhere', 'pull', '--quiet');
    const before = await git('elsewhere', 'show', 'HEAD:cards/contributors.svg');
    const { world } = simulator;
    const [account, repository] = [
      [...world.accounts.values()].find(({ login }) => login === owner),
      [...world.repositories.values()].find(({ name }) => name === 'diary'),
    ];
    assert.ok(account !== undefined && repository !== undefined);
    addActivity(world, new Random(2), repository, [account], {
      commits: 3,
      issues: 7,
      pullRequests: 0,
      discussions: 0,
    });
    world.markChanged();
    assert.equal((await runAction(workflow)).outputs['changed'], 'true');
    await git('elsewhere', 'pull', '--quiet');
    assert.notEqual(await git('elsewhere', 'show', 'HEAD:cards/contributors.svg'), before);
  });

  it('writes to another branch, and for a later step without a commit', async () => {
    await using fixture = await prepare();
    const { workflow, git } = fixture;
    const onBranch = await runAction(workflow, { ref: 'assets' });
    assert.equal(onBranch.status, 0, onBranch.log);
    assert.match(onBranch.summary, /blob\/assets\/cards\/contributors\.svg/);
    await git('elsewhere', 'fetch', '--quiet');
    assert.equal(await git('elsewhere', 'ls-tree', '-r', '--name-only', 'origin/assets'), 'cards/contributors.svg');
    assert.equal(await git('elsewhere', 'log', '--format=%s', 'origin/main'), 'first');
    assert.equal((await runAction(workflow, { ref: 'assets' })).outputs['changed'], 'false');
    assert.equal(await git('workspace', 'status', '--short'), '');

    const kept = await runAction(workflow, { 'upload-only': 'true' });
    assert.equal(kept.outputs['changed'], 'true', kept.log);
    assert.equal(await git('workspace', 'status', '--short'), '?? cards/');
    assert.equal(await git('workspace', 'log', '--format=%s'), 'first');
  });

  it('runs on Gitea and Forgejo, whose runners say which host they are', async () => {
    await using fixture = await prepare();
    const { simulator, git, cache } = fixture;
    await using gitea = await startGiteaSimulator({ world: simulator.world });
    const { url: serverUrl, apiUrl, requests } = gitea;
    const environment = { ...fixture.workflow.environment, GITEA_ACTIONS: 'true' };
    const workflow = { ...fixture.workflow, serverUrl, apiUrl, environment };
    const first = await runAction(workflow);
    assert.equal(first.status, 0, first.log);
    assert.match(first.summary, /\/src\/branch\/main\/cards\/contributors\.svg/);
    assert.equal(cache.archives.size, 1);
    const before = requests.length;
    assert.equal((await runAction(workflow)).outputs['changed'], 'false');
    assert.ok(requests.length - before <= 10, requests.slice(before).join('\n'));
    await git('elsewhere', 'pull', '--quiet');
    assert.match(await git('elsewhere', 'show', 'HEAD:cards/contributors.svg'), />\d+ contributions?</);
  });

  it('draws achievements and boards, whose rules are in a repository', async () => {
    await using fixture = await prepare();
    const { workflow, simulator, owner } = fixture;
    for (const { name, files } of simulator.world.repositories.values()) {
      // An account has its boards in the only repository that defines achievements.
      files.delete('.plaudit/config.yaml');
      if (name !== 'open-diary') continue;
      files.set('.plaudit/config.yaml', achievementsFile);
      files.set('.plaudit/boards.yaml', toBoardsFile(owner));
    }
    const base = `/v1/github/entities/${owner}`;
    const cards = `cards/own.svg ${base}/achievements\ncards/board.svg ${base}/boards/all`;
    const first = await runAction(workflow, { cards });
    assert.equal(first.status, 0, first.log);
    assert.match(first.outputs['cards'] ?? '', /own\.svg.*First commit.*board\.svg.*"points":[1-9]/, first.log);
    const before = simulator.requests.length;
    const second = await runAction(workflow, { cards });
    assert.equal(second.status, 0, second.log);
    const requested = simulator.requests.slice(before).map(({ name }) => name);
    assert.ok(requested.length <= 10, requested.join());
  });

  it('works while the cache server fails, and without one', async () => {
    await using fixture = await prepare();
    const { workflow, cache } = fixture;
    cache.isFailing = true;
    const failing = await runAction(workflow);
    assert.equal(failing.status, 0, failing.log);
    assert.match(failing.log, /^cards\/contributors\.svg written$/m);
    const { cacheUrl: _, ...without } = workflow;
    const uncached = await runAction(without);
    assert.match(uncached.log, /^cards\/contributors\.svg is as it was$/m);
  });

  it('commits no image that shows an error', async () => {
    await using fixture = await prepare();
    const { workflow, git, owner, cache } = fixture;
    const base = `/v1/github/entities/${owner}`;
    for (const [cards, message] of [
      [`cards/a.svg ${base}/contributions?theme=norf`, /^::error::.*theme=norf cannot be drawn: .*nord/m],
      ['cards/a.png /v1/github/entities/no-such-account/contributions', /^::error::.*no such account/m],
    ] as const) {
      const { status, log } = await runAction(workflow, { cards });
      assert.equal(status, 1, log);
      assert.match(log, message);
    }
    assert.equal(await git('workspace', 'log', '--format=%s'), 'first');
    assert.ok(!existsSync(join(workflow.workspace, 'cards')));
    assert.equal(cache.archives.size, 0);
  });

  it('keeps no private data in the caches of a public repository', async () => {
    await using fixture = await prepare();
    const { workflow, cache } = fixture;
    // Workflows with this action's predecessor name a token and a limit, and READMEs this file.
    const inputs = { token: workflow.token, limit: '1', directory: '.vaunt/cards' };
    const ofPerson = { ...workflow, token: 'another', isPrivate: false };
    const { status, log } = await runAction(ofPerson, inputs);
    assert.equal(status, 0, log);
    assert.match(log, /^\.vaunt\/cards\/contributors\.svg written$/m);
    assert.equal(cache.archives.size, 0);
  });
});
