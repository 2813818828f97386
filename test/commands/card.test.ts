import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { parse } from 'yaml';
import { card } from '../../src/commands/card.ts';
import { createTestDatabase } from '../database.ts';
import { makeTemporaryDirectory } from '../git/temporary-directory.ts';
import { startSimulator } from '../github/simulator.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const action = join(root, 'action');

test('pictures are written into files, complete, those of private repositories too', async () => {
  await using simulator = await startSimulator();
  await using place = await makeTemporaryDirectory();
  await using created = await createTestDatabase();
  const printed: string[] = [];
  const io = {
    environment: {
      DATA_DIR: place.path,
      DATABASE_URL: created.url,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      GITHUB_TOKEN: simulator.tokens.private_owner,
      LOG_LEVEL: 'silent',
    },
    print: (line: string) => void printed.push(line),
    warn: (line: string) => void printed.push(line),
    isTerminal: false,
    signal: new AbortController().signal,
  };
  const base = `/v1/github/entities/${simulator.accounts.private_owner}`;
  const [own, people, badge] = ['own.svg', 'deep/er/people.png', 'badge.svg'].map((name) => join(place.path, name)) as [
    string,
    string,
    string,
  ];
  const wanted = [
    `${base}/contributions?private=true&theme=nord`,
    own,
    `${base}/repositories/diary/contributors?scale=2`,
    people,
    `${base}/repositories/diary/badges/community`,
    badge,
  ];
  await card(io, wanted);
  assert.deepEqual(printed, [`${own} written`, `${people} written`, `${badge} written`]);
  assert.match(await readFile(own, 'utf8'), />Public and private contributions · as of /);
  assert.equal((await sharp(people).metadata()).width, 960);
  assert.match(await readFile(badge, 'utf8'), /[1-9]\d* contributors?</);
  const before = await stat(badge);
  await card(io, wanted.slice(-2));
  assert.equal(printed.at(-1), `${badge} is as it was`);
  assert.equal((await stat(badge)).mtimeMs, before.mtimeMs);
  for (const [path, file, message] of [
    [`${base}/contributions?theme=pink`, own, /theme must be/],
    ['/v1/github/entities/no-such-account/contributions', own, /no such account/],
    ['//elsewhere.example/v1/x', own, /by turns/],
    [`${base}/contributions`, 'card.gif', /by turns/],
    [`${base}/contributions`, undefined, /by turns/],
  ] as const) {
    await assert.rejects(card(io, file === undefined ? [path] : [path, file]), message, path);
  }
});

test('the action commits and pushes the cards that changed, and nothing else', async () => {
  await using simulator = await startSimulator();
  await using place = await makeTemporaryDirectory();
  await using created = await createTestDatabase();
  const [origin, clone] = [join(place.path, 'origin.git'), join(place.path, 'clone')];
  await run('git', ['init', '--quiet', '--bare', '--initial-branch=main', origin]);
  await run('git', ['clone', '--quiet', origin, clone]);
  const git = async (...args: string[]): Promise<string> =>
    (await run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { cwd: clone })).stdout.trim();
  await writeFile(join(clone, 'README.md'), 'hello');
  await git('checkout', '--quiet', '-B', 'main');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'first');
  await git('push', '--quiet', '-u', 'origin', 'main');
  await writeFile(join(clone, 'README.md'), 'not to be committed');
  const write = (cards: string): Promise<unknown> =>
    run('bash', [join(action, 'write-cards.sh')], {
      cwd: clone,
      env: {
        PATH: process.env['PATH'],
        HOME: place.path,
        CARDS: cards,
        MESSAGE: 'Update cards',
        CARDS_ROOT: root,
        GITHUB_ACTIONS: 'true',
        GITHUB_REPOSITORY: 'a/b',
        GITHUB_TOKEN: simulator.tokens.public_only,
        GITHUB_URL: simulator.url,
        GITHUB_API_URL: simulator.apiUrl,
        DATABASE_URL: created.url,
        DATA_DIR: join(place.path, 'data'),
        LOG_LEVEL: 'silent',
      },
    });
  const address = `/v1/github/entities/${simulator.accounts.user}/contributions?hide=avatar`;
  for (let round = 0; round < 2; round += 1) await write(`\ncards/me.svg ${address}\n`);
  assert.equal(await git('log', 'origin/main', '--format=%s %an'), 'Update cards github-actions[bot]\nfirst a');
  assert.equal(await git('show', '--format=', '--name-only', 'origin/main'), 'cards/me.svg');
  assert.match(await git('show', 'origin/main:cards/me.svg'), />Ada Lovelace</);
  for (const wrong of [
    `../me.svg ${address}`,
    `/elsewhere/me.svg ${address}`,
    'me.svg',
    '',
    `me.svg ${address}&theme=pink`,
  ]) {
    await assert.rejects(write(wrong), wrong);
  }
});

test('the action is described as such actions are', async () => {
  const described: unknown = parse(await readFile(join(action, 'action.yml'), 'utf8'));
  assert.ok(typeof described === 'object' && described !== null && 'runs' in described && 'inputs' in described);
  const { using, steps } = described.runs as { using: string; steps: { shell?: string; run?: string }[] };
  assert.equal(using, 'composite');
  for (const { shell, run: script } of steps) {
    assert.equal(shell, 'bash');
    // What somebody wrote reaches the script as a value, never as a part of it.
    assert.doesNotMatch(script ?? '', /\$\{\{/);
  }
});
