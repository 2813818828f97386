import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addPullRequest } from '../../../simulators/world/activity.ts';
import { closeItem } from '../../../simulators/world/mutations.ts';
import { previewAchievements } from '../../../src/app/commands/preview-achievements.ts';
import { openDatabase } from '../../../src/database/connections/open.ts';
import { createTestDatabase } from '../../database.ts';
import { sampled } from '../../depth.ts';
import { awardingActions, personCalled } from '../../e2e/achievements/awarding/actions.ts';
import { awardingRepository } from '../../e2e/achievements/awarding/awarding.ts';
import { earnedIn } from '../../e2e/achievements/awarding/expected-awards.ts';
import { everyFeature, type FileText, simple, toYaml } from '../../integration/achievements/awards/every-feature.ts';
import { runSync } from '../sync/syncing.ts';

interface Previewed {
  achievement: string;
  earned: { name: string; earnedAt: string }[];
  unread: { reason: string; canBeRead: boolean }[];
}

interface Previewing extends AsyncDisposable {
  simulator: Simulator;
  target: string;
  environment: Record<string, string>;
  /** Runs `plaudit achievements preview` with a file. */
  run: (file: FileText, args?: string[], options?: RunOptions) => Promise<{ lines: string[]; warnings: string[] }>;
  /** Stores what the service stores of a repository that is not installed. */
  sync: () => Promise<unknown>;
  requests: () => number;
  /** Receives the number of requests to the API, with each. */
  onRequest: (seen: number) => void;
}

interface RunOptions {
  environment?: Record<string, string>;
  signal?: AbortSignal;
}

/** Prepares a host where people did something that earns every achievement, and an empty database. */
async function prepare(): Promise<Previewing> {
  await using stack = new AsyncDisposableStack();
  const prepared: Pick<Previewing, 'onRequest'> = { onRequest: () => {} };
  const onRequest = (): void => prepared.onRequest(simulator.requests.length);
  const simulator: Simulator = stack.use(await startSimulator({ repositories: 2, onRequest }));
  for (const act of awardingActions(simulator)) act();
  const directory = stack.use(await makeTemporaryDirectory());
  const { url: databaseUrl } = stack.use(await createTestDatabase());
  const target = `github/${simulator.accounts.organization}/engine-1`;
  const environment = {
    DATA_DIR: directory.path,
    DATABASE_URL: databaseUrl,
    GITHUB_URL: simulator.url,
    GITHUB_API_URL: simulator.apiUrl,
    GITHUB_TOKEN: simulator.tokens.public_only,
  };
  const opened = stack.move();
  return Object.assign(prepared, {
    simulator,
    target,
    environment,
    run: async (file: FileText, args: string[] = [], options: RunOptions = {}) => {
      await writeFile(directory.pathOf('config.yaml'), toYaml(file));
      const [lines, warnings]: [string[], string[]] = [[], []];
      const io = {
        environment,
        print: (line: string) => void lines.push(line),
        warn: (line: string) => void warnings.push(line),
        isTerminal: false,
        signal: AbortSignal.timeout(120_000),
        ...options,
      };
      await previewAchievements(io, [directory.pathOf('config.yaml'), target, ...args]);
      return { lines, warnings };
    },
    sync: () => runSync({ simulator, databaseUrl, dataDir: directory.path, target }),
    requests: () => simulator.requests.length + simulator.gitRequests.length,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  });
}

function parse(lines: readonly string[]): Previewed[] {
  const previews: Previewed[] = JSON.parse(lines.join('\n'));
  return previews;
}

/** Returns the results in the form of an independent count in the world. */
function earnedBy(previews: readonly Previewed[]): string[] {
  return previews
    .flatMap(({ achievement, earned }) => earned.map(({ name, earnedAt }) => `${name}: ${achievement}, ${earnedAt}`))
    .toSorted();
}

const demanding: FileText = {
  pointActions: [],
  achievements: [
    simple('Merger', 'author pull_request: merged = true'),
    simple('Paths', "author pull_request: files in ['a.ts']"),
    simple('Lines', 'author commit: additions > 0'),
    simple('Talks', 'author issue_comment: count() >= 1'),
    simple('Bugs', "author issue: labels in ['bug']"),
  ],
};

describe('preview of a repository that is not collected with all details', () => {
  it('names the missing data of each achievement, and sends no request', async () => {
    await using prepared = await prepare();
    await prepared.sync();
    const before = prepared.requests();
    const { lines, warnings } = await prepared.run(demanding);
    assert.equal(prepared.requests(), before);
    const plain = lines.map((line) => line.replaceAll(/\d+/g, 'N')).filter((line) => !line.startsWith('  '));
    assert.deepEqual(plain.slice(1), [
      'Paths: not read yet: the details of N pull requests, such as labels and reactions, the changed files of N pull requests',
      'Lines: not read yet: the changed lines of N commits',
      'Talks: not read yet: comments on issues are collected only for installed repositories',
      'Bugs: not read yet: the details of N issues, such as labels and reactions',
    ]);
    assert.match(lines[0] ?? '', /^Merger: \d+ would earn it$/);
    assert.deepEqual(warnings, ['preview --read fetches the data that is not read yet']);
    const person = await prepared.run(demanding, ['--person', 'ada-lovelace']);
    assert.match(
      person.lines.join('\n'),
      /Talks.*\n {2}ada-lovelace: not known\n {4}\? .*\n {6}\? {3}count\(\) >= 1; not read yet: comments/,
    );
    const json = parse((await prepared.run(demanding, ['--json'])).lines);
    assert.deepEqual(
      json.map(({ unread }) => unread.map(({ canBeRead }) => canBeRead)),
      [[], [true, true], [true], [true], [true]],
    );
  });

  it('agrees with an independent count after --read, which installs nothing', async () => {
    await using prepared = await prepare();
    const { simulator } = prepared;
    const expected = earnedIn(simulator.world, awardingRepository(simulator), everyFeature);
    await assert.rejects(prepared.run(everyFeature), /nothing is stored of github\/.*; preview --read fetches/);
    const { lines, warnings } = await prepared.run(everyFeature, ['--read', '--json']);
    const previews = parse(lines);
    // The simulated GitHub shows stargazers to collaborators alone, as GitHub does.
    const isKnown = (line: string): boolean => !line.includes(': Star, ');
    assert.deepEqual(earnedBy(previews), expected.filter(isKnown));
    const withheld = { reason: 'the host does not show stars to the credential of this service', canBeRead: false };
    assert.deepEqual(
      previews.filter(({ unread }) => unread.length > 0).map(({ achievement, unread }) => [achievement, unread]),
      [['Star', [withheld]]],
    );
    assert.ok(
      warnings.some((line) => /^reading changed files of pull requests: \d+$/.test(line)),
      warnings.join('\n'),
    );
    const before = prepared.requests();
    const again = await prepared.run(everyFeature, ['--read', '--json']);
    assert.deepEqual(parse(again.lines), previews);
    assert.equal(prepared.requests(), before);
  });

  it('continues after a stop at any request', async () => {
    await using prepared = await prepare();
    const { simulator, run } = prepared;
    const expected = parse((await run(demanding, ['--read', '--json'])).lines);
    const requests = simulator.requests.length;
    for (const at of sampled(
      Array.from({ length: requests }, (_, index) => index + 1),
      16,
    )) {
      await using interruptedDatabase = await createTestDatabase();
      const environment = { ...prepared.environment, DATABASE_URL: interruptedDatabase.url };
      const stopping = new AbortController();
      prepared.onRequest = (seen) => {
        if (seen === at) stopping.abort(new Error('stopped'));
      };
      simulator.requests.length = 0;
      await run(demanding, ['--read'], { environment, signal: stopping.signal }).catch(() => {});
      const { lines } = await run(demanding, ['--read', '--json'], { environment });
      assert.deepEqual(parse(lines), expected, `stopped at request ${at} of ${requests}`);
    }
  });

  it('leaves the repository as the service collects it: not installed, with nothing pending and no award', async () => {
    await using prepared = await prepare();
    await prepared.sync();
    await prepared.run(everyFeature, ['--read']);
    const databaseUrl = prepared.environment['DATABASE_URL'];
    const database = await openDatabase({ databaseUrl, dataDir: '/nonexistent', log: () => {} });
    const { rows } = await database.pool.query(
      `select (select count(*) from repositories where installed_at is not null) as installed,
         (select count(*) from repositories where needs <> '{}') as needing,
         (select count(*) from pending_details) as pending, (select count(*) from awards) as awards,
         (select count(*) from achievement_files) as files`,
    );
    await database.close();
    assert.deepEqual(rows, [{ installed: 0, needing: 0, pending: 0, awards: 0, files: 0 }]);
  });

  it('reads later changes, and items that were read only for counting', async () => {
    await using prepared = await prepare();
    const { simulator, run } = prepared;
    await run(demanding, ['--read']);
    const pull = addPullRequest(simulator.world, awardingRepository(simulator), {
      author: personCalled(simulator, 'quiet-quill'),
      files: [{ path: 'a.ts', additions: 1, deletions: 0 }],
    });
    closeItem(simulator.world, pull, { merged: true, by: personCalled(simulator, 'ada-lovelace') });
    await prepared.sync();
    const stored = parse((await run(demanding, ['--json'])).lines);
    assert.ok((stored.find(({ achievement }) => achievement === 'Paths')?.unread.length ?? 0) > 0);
    const read = parse((await run(demanding, ['--read', '--json'])).lines);
    // The independent count knows no lines of commits.
    const counted = read.filter(({ achievement }) => achievement !== 'Lines');
    assert.deepEqual(earnedBy(counted), earnedIn(simulator.world, awardingRepository(simulator), demanding));
    assert.deepEqual(
      read.flatMap(({ unread }) => unread),
      [],
    );
  });

  it('reads what the host shows without a token, and names the setting of the token', async () => {
    await using prepared = await prepare();
    const { GITHUB_TOKEN: _token, ...environment } = prepared.environment;
    const { lines, warnings } = await prepared.run(demanding, ['--read'], { environment });
    assert.match(lines[0] ?? '', /^Merger: \d+ would earn it$/);
    assert.ok(
      lines.some((line) => /^Talks: not available: GitHub shows this only to requests with a token$/.test(line)),
    );
    assert.equal(warnings.at(-1), 'GITHUB_TOKEN is not set, so only data that github shows without a token was read');
  });
});
