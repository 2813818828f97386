import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { createTestDatabase } from '../database.ts';
import { isThorough } from '../depth.ts';
import { findPort } from '../find-port.ts';
import { program as ofSources, programEnvironment } from '../program.ts';
import { waitUntilEmpty } from './embedded/cluster-processes.ts';

/** Makes Node report the version of an older one; it does not affect the Node that the program starts. */
const fakeOldNode =
  "data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } })";
const top = fileURLToPath(new URL('../../', import.meta.url));

/** Waits until a process has printed a text, and returns the line with it. @throws Error when it ends before. */
async function awaitOutput(child: ChildProcess, text: string): Promise<string> {
  let output = '';
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk);
    const line = output.split('\n').find((candidate) => candidate.includes(text));
    if (line !== undefined) return line;
  }
  throw new Error(`it ended without ${text}: ${output}`);
}

/** Packs the package and unpacks it as npm installs it, beside the dependencies that npm installs with it. @returns its program. */
function installPacked(folder: string): string {
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: top,
    encoding: 'utf8',
  });
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, 'plaudit'), { recursive: true });
  const { packages } = JSON.parse(readFileSync(join(top, 'package-lock.json'), 'utf8')) as Lock;
  for (const [path, { dev, devOptional, optional }] of Object.entries(packages)) {
    if (!path.startsWith('node_modules/') || path.includes('/node_modules/') || dev || devOptional) continue;
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    if (!optional || existsSync(join(top, path))) symlinkSync(join(top, path), target);
  }
  execFileSync('tar', ['-xzf', join(folder, packed.trim()), '--strip-components=1', '-C', join(modules, 'plaudit')]);
  return join(modules, 'plaudit/bin/plaudit.js');
}

interface Lock {
  packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean }>;
}

describe('installed package', () => {
  it('runs with its arguments, exit status, processes and signals, and contains its documents', async () => {
    await using directory = await makeTemporaryDirectory();
    const program = installPacked(directory.path);
    const { status, stderr } = spawnSync(process.execPath, [program, 'nonsense'], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.equal(stderr, 'plaudit: there is no command nonsense; plaudit --help lists those that there are\n');
    await using created = await createTestDatabase();
    const commands = [
      { command: 'demo', environment: { TMPDIR: directory.path } },
      // Forked processes load three times as much.
      { command: 'serve', environment: { WORKERS: '2', DATABASE_URL: created.url } },
    ];
    for (const { command, environment } of isThorough ? commands : commands.slice(0, 1)) {
      await useService(program, command, { DATA_DIR: directory.pathOf('data'), ...environment });
    }
  });

  it('begins the files of a repository, with a workflow that names the repository of the package', async () => {
    await using directory = await makeTemporaryDirectory();
    const program = installPacked(directory.path);
    const packaged = join(dirname(program), '../dist/source.json');
    const source = { host: 'github.com', repository: 'engines/plaudit', commit: 'a'.repeat(40) };
    writeFileSync(packaged, JSON.stringify(source));
    const folder = directory.pathOf('mine');
    mkdirSync(folder);
    const args = [program, 'init', 'https://github.com/acme/tools'];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    assert.deepEqual([status, stderr], [0, '']);
    const workflow = readFileSync(join(folder, '.github/workflows/cards.yml'), 'utf8');
    assert.ok(workflow.includes(`- uses: engines/plaudit@${source.commit}\n`), workflow);
    assert.equal(
      readFileSync(join(folder, 'README.md'), 'utf8'),
      '# tools\n\n![Contributors](cards/contributors.svg)\n',
    );
    assert.ok(existsSync(join(folder, '.plaudit/icons/first-merge.png')));
  });

  it('says which Node it needs on an older one, because it contains none', async () => {
    await using directory = await makeTemporaryDirectory();
    const program = installPacked(directory.path);
    const args = ['--import', fakeOldNode, program, '--version'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    assert.deepEqual([status, stdout], [1, '']);
    assert.equal(stderr, 'plaudit: Node 24.5 or later is needed, this is 20.1.0: https://nodejs.org/en/download\n');
  });

  it('names the packages that tracing needs where they are not installed', async () => {
    await using directory = await makeTemporaryDirectory();
    const program = installPacked(directory.path);
    const env = { ...programEnvironment(), OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const { status, stderr } = spawnSync(process.execPath, [program, 'serve'], { encoding: 'utf8', env });
    assert.equal(status, 1);
    assert.match(stderr, /tracing needs packages that are not installed: run "npm install @opentelemetry\//);
  });
});

describe('visible process on an old Node', () => {
  it('takes the service, its processes and its database along when it is killed, and frees the port', async () => {
    await using directory = await makeTemporaryDirectory();
    const dataDir = directory.pathOf('data');
    const settings = { WORKERS: '2', PORT: String(await findPort()), DATA_DIR: dataDir };
    for (let round = 0; round < 2; round += 1) {
      const child = start(ofSources, 'serve', settings, ['--import', fakeOldNode]);
      try {
        const url = await awaitOutput(child, 'Plaudit listens on');
        assert.ok(url.includes(settings.PORT));
      } finally {
        child.kill('SIGKILL');
      }
      await once(child, 'exit');
    }
    await waitUntilEmpty(dataDir);
  });
});

/** Starts a command that serves. */
function start(
  program: string,
  command: string,
  environment: Record<string, string>,
  options: readonly string[] = [],
): ChildProcess {
  return spawn(process.execPath, [...options, program, command], {
    env: {
      ...programEnvironment(),
      PORT: '0',
      METRICS_PORT: '0',
      GITHUB_URL: 'http://127.0.0.1:9',
      GITHUB_API_URL: 'http://127.0.0.1:9',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Runs a command that serves, requests its pages, signs in where it is the demonstration, and ends it. */
async function useService(program: string, command: string, environment: Record<string, string>): Promise<void> {
  const child = start(program, command, environment);
  const ended = once(child, 'exit');
  try {
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(await awaitOutput(child, 'Plaudit listens on')) ?? [];
    for (const path of ['/docs/start', '/docs/action', '/docs/card.svg', '/gallery/contributors.svg']) {
      assert.equal((await fetch(`${url}${path}`)).status, 200, path);
    }
    if (command === 'demo') await composeAndSignIn(url);
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
  } finally {
    child.kill('SIGKILL');
  }
}

/** Takes the steps of a new user: three cards from the composer, then the settings of one of the sample's people. */
async function composeAndSignIn(url: string): Promise<void> {
  const start = await (await fetch(url)).text();
  const composers = [...start.matchAll(/<a href="(\/cards\?card=[^"]*name=[^"]*)"/g)].map(([, path = '']) => path);
  assert.equal(composers.length, 3);
  for (const path of composers) {
    const composer = await (await fetch(`${url}${path.replaceAll('&amp;', '&')}`)).text();
    const [, address = ''] =
      /!\[[^\]]*\]\((http[^)]+)\)/.exec(composer.replaceAll('&amp;', '&')) ?? assert.fail(composer);
    assert.match(await (await fetch(address)).text(), /^<svg/);
  }
  const begun = await fetch(`${url}/sign-in/github`, { redirect: 'manual' });
  const choice = await (await fetch(begun.headers.get('location') ?? '')).text();
  const [, choose = ''] = /href="(\/choose\?[^"]*person=sample-ada[^"]*)"/.exec(choice) ?? assert.fail(choice);
  const standIn = new URL(begun.headers.get('location') ?? '').origin;
  const chosen = await fetch(`${standIn}${choose.replaceAll('&amp;', '&')}`, { redirect: 'manual' });
  const toCookie = (response: Response): string =>
    response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';')[0])
      .join('; ');
  const back = await fetch(chosen.headers.get('location') ?? '', {
    redirect: 'manual',
    headers: { cookie: toCookie(begun) },
  });
  const settings = await fetch(`${url}${back.headers.get('location') ?? ''}`, { headers: { cookie: toCookie(back) } });
  assert.match(await settings.text(), /github\/sample-ada/);
}
