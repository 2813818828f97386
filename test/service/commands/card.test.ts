import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { makeTemporaryDirectory, type TemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import { card } from '../../../src/app/commands/card.ts';
import type { Io } from '../../../src/app/commands/io.ts';
import { createTestDatabase } from '../../database.ts';

interface Prepared extends AsyncDisposable {
  simulator: Simulator;
  directory: TemporaryDirectory;
  /** The environment and the output of the command, with a token of a person who has private data. */
  io: Io;
  /** Every line that the command writes to standard output. */
  printed: string[];
  /** Every line that it writes to standard error. */
  warned: string[];
}

async function prepare(settings: Record<string, string> = {}): Promise<Prepared> {
  await using stack = new AsyncDisposableStack();
  const simulator = stack.use(await startSimulator());
  const directory = stack.use(await makeTemporaryDirectory());
  const created = stack.use(await createTestDatabase());
  const [printed, warned]: [string[], string[]] = [[], []];
  const io = {
    environment: {
      DATA_DIR: directory.path,
      DATABASE_URL: created.url,
      GITHUB_URL: simulator.url,
      GITHUB_API_URL: simulator.apiUrl,
      GITHUB_TOKEN: simulator.tokens.private_owner,
      LOG_LEVEL: 'silent',
      ...settings,
    },
    print: (line: string) => void printed.push(line),
    warn: (line: string) => void warned.push(line),
    isTerminal: false,
    signal: AbortSignal.timeout(60_000),
  };
  const opened = stack.move();
  return { simulator, directory, io, printed, warned, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

describe('plaudit card', () => {
  it('writes cards into files when they are complete, those of private repositories too', async () => {
    await using prepared = await prepare();
    const { simulator, directory, io, printed, warned } = prepared;
    const base = `/v1/github/entities/${simulator.accounts.private_owner}`;
    const [own, people, badge] = ['own.svg', 'deep/er/people.png', 'badge.svg'].map((name) =>
      join(directory.path, name),
    ) as [string, string, string];
    const addressesAndFiles = [
      `${base}/contributions?private=true&theme=nord`,
      own,
      `${base}/repositories/diary/contributors?scale=2`,
      people,
      `${base}/repositories/diary/badges/community`,
      badge,
    ];
    await card(io, addressesAndFiles);
    assert.deepEqual(printed, [`${own} written`, `${people} written`, `${badge} written`]);
    assert.deepEqual(warned, []);
    assert.match(await readFile(own, 'utf8'), />Public and private contributions · as of /);
    assert.equal((await sharp(people).metadata()).width, 960);
    assert.match(await readFile(badge, 'utf8'), /[1-9]\d* contributors? · without bots</);
    const before = await stat(badge);
    await card(io, addressesAndFiles.slice(-2));
    assert.equal(printed.at(-1), `${badge} is as it was`);
    assert.equal((await stat(badge)).mtimeMs, before.mtimeMs);
    for (const [path, file, message] of [
      [`${base}/contributions?theme=pink`, own, /theme must be/],
      [`${base}/contributions?period=2026-13`, own, /period: did you mean 2026-12\?/],
      ['/v1/github/entities/no-such-account/contributions', own, /no such account/],
      ['//elsewhere.example/v1/x', own, /pairs of an address and a file/],
      [`${base}/contributions`, 'card.gif', /pairs of an address and a file/],
      [`${base}/contributions`, undefined, /pairs of an address and a file/],
    ] as const) {
      await assert.rejects(card(io, file === undefined ? [path] : [path, file]), message, path);
    }
  });

  it('fetches the data of an earlier run again, once, and reads what changed', async () => {
    await using prepared = await prepare();
    const { simulator, directory, io, printed, warned } = prepared;
    const { world, accounts, requests } = simulator;
    const base = `/v1/github/entities/${accounts.private_owner}`;
    const addressesAndFiles = [
      [`${base}/contributors`, directory.pathOf('people.svg')],
      [`${base}/contributions?private=true&card=calendar`, directory.pathOf('calendar.svg')],
    ].flat();
    const run = async (): Promise<{ requests: number; report: string }> => {
      const before = requests.length;
      await card(io, ['--json', ...addressesAndFiles]);
      return { requests: requests.length - before, report: printed.at(-1) ?? '' };
    };
    const first = await run();
    assert.match(first.report, /"changed":true.*"description":".*"numbers":\[\{.*"data_changed":true\}$/);
    const second = await run();
    assert.doesNotMatch(second.report, /"changed":true/);
    assert.match(second.report, /"data_changed":false\}$/);
    assert.ok(second.requests > 0 && second.requests <= 10, `${second.requests} requests`);
    const account = [...world.accounts.values()].find(({ login }) => login === accounts.private_owner);
    const repository = [...world.repositories.values()].find(({ name }) => name === 'open-diary');
    assert.ok(account !== undefined && repository !== undefined);
    for (let count = 0; count < 7; count += 1) addIssue(world, repository, { author: account, createdAt: new Date() });
    const third = await run();
    assert.match(third.report, /people\.svg","changed":true.*calendar\.svg","changed":true.*"data_changed":true\}$/);
    assert.deepEqual(warned, []);
  });

  it('waits for the numbers of each card of contributions, and says why one cannot be drawn', async () => {
    await using prepared = await prepare();
    const { simulator, directory, io, warned } = prepared;
    const file = directory.pathOf('card.svg');
    const address = `/v1/github/entities/${simulator.accounts.organization}/contributions`;
    for (const [name, description] of [
      ['languages', /\d+ changed files/],
      ['calendar', /[1-9]\d* contributions in the last year/],
    ] as const) {
      await card(io, [`${address}?card=${name}`, file]);
      const written = await readFile(file, 'utf8');
      assert.match(written, description);
      assert.doesNotMatch(written, /still counting/);
    }
    assert.deepEqual(warned, []);
    for (const format of ['svg', 'png']) {
      await assert.rejects(
        card(io, [`${address}?theme=norf`, directory.pathOf(`wrong.${format}`)]),
        /theme=norf cannot be drawn: .*nord/,
        format,
      );
    }
  });

  it('writes the lines of the log for people, on standard error', async () => {
    await using prepared = await prepare({ LOG_LEVEL: 'debug' });
    const { directory, io, printed, warned } = prepared;
    await assert.rejects(card(io, ['/v1/github/entities/no-such-account/contributions', directory.pathOf('card.svg')]));
    assert.deepEqual(printed, []);
    assert.match(warned[0] ?? '', /^\d\d:\d\d:\d\d /);
  });
});
