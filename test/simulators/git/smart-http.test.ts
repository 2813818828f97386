import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { appendCommits, buildRepository, writeRawCommit } from '../../../simulators/git/build-repository.ts';
import { readHistory } from '../../../simulators/git/histories.ts';
import { startHttpServer } from '../../../simulators/git/http-server.ts';
import { waitUntilExited } from '../../../simulators/git/processes.ts';
import { runGit } from '../../../simulators/git/run-git.ts';
import { type ResolveRepository, smartHttp } from '../../../simulators/git/smart-http.ts';
import { makeTemporaryDirectory, type TemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';

async function buildSample(directory: TemporaryDirectory): Promise<string[]> {
  return buildRepository(directory.pathOf('sample.git'), { commits: await readHistory('serverpod'), branch: 'main' });
}

describe('the simulated git server', () => {
  it('clones and fetches, with and without trees', async () => {
    await using directory = await makeTemporaryDirectory();
    const oids = await buildSample(directory);
    await using server = await startHttpServer(smartHttp(() => ({ directory: directory.pathOf('sample.git') })));
    const clone = ['clone', '--quiet', '--bare', `${server.url}/owner/sample.git`];
    await runGit(directory.path, [...clone, 'whole.git']);
    await runGit(directory.path, [...clone, '--filter=tree:0', 'treeless.git']);
    for (const name of ['whole.git', 'treeless.git']) {
      const count = await runGit(directory.pathOf(name), ['rev-list', '--count', 'main']);
      assert.equal(Number(count), oids.length);
    }
    const stored = await runGit(directory.pathOf('treeless.git'), ['cat-file', '--batch-all-objects', '--batch-check']);
    assert.ok(!stored.includes(' tree '));
    const [added] = await appendCommits(directory.pathOf('sample.git'), 'refs/heads/main', [
      {
        parents: [oids.at(-1) ?? ''],
        author: { name: 'A', email: 'a@b' },
        authoredAt: new Date(),
        committedAt: new Date(),
      },
    ]);
    await runGit(directory.pathOf('whole.git'), ['fetch', '--quiet', `${server.url}/owner/sample.git`, '+main:main']);
    assert.equal((await runGit(directory.pathOf('whole.git'), ['rev-parse', 'main'])).toString().trim(), added);
  });

  it('lists the references while git changes them', async () => {
    await using directory = await makeTemporaryDirectory();
    const oids = await buildSample(directory);
    await using server = await startHttpServer(smartHttp(() => ({ directory: directory.pathOf('sample.git') })));
    // Git prepares the new target of a reference in this file.
    await writeFile(directory.pathOf('sample.git/refs/heads/main.lock'), 'x');
    const list = (): Promise<Buffer> =>
      runGit(directory.path, ['ls-remote', '--heads', `${server.url}/owner/sample.git`]);
    assert.equal((await list()).toString(), `${oids.at(-1)}\trefs/heads/main\n`);
  });

  it('resolves the repository and the credentials once for each step', async () => {
    await using directory = await makeTemporaryDirectory();
    await buildSample(directory);
    const requested: [string, string | undefined][] = [];
    const resolve: ResolveRepository = async (path, authorization) => {
      requested.push([path, authorization]);
      if (path !== '/ö w/sample.git') return 'not_found';
      return authorization === 'Basic right' ? { directory: directory.pathOf('sample.git') } : 'unauthorized';
    };
    await using server = await startHttpServer(smartHttp(resolve));
    const listing = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${server.url}${path}/info/refs?service=git-upload-pack`, { headers });
    assert.equal((await listing('/other.git')).status, 404);
    const denied = await listing('/%C3%B6%20w/sample.git', { authorization: 'Basic wrong' });
    assert.equal(denied.status, 401);
    assert.match(denied.headers.get('www-authenticate') ?? '', /^Basic /);
    const granted = await listing('/%C3%B6%20w/sample.git', { authorization: 'Basic right' });
    assert.equal(granted.status, 200);
    assert.match(await granted.text(), /^001e# service=git-upload-pack/);
    assert.deepEqual(requested, [
      ['/other.git', undefined],
      ['/ö w/sample.git', 'Basic wrong'],
      ['/ö w/sample.git', 'Basic right'],
    ]);
  });

  it('serves only the steps of a fetch', async () => {
    await using directory = await makeTemporaryDirectory();
    await buildSample(directory);
    await using server = await startHttpServer(smartHttp(() => ({ directory: directory.pathOf('sample.git') })));
    const cases: [string, string][] = [
      ['GET', '/sample.git/info/refs?service=git-receive-pack'],
      ['GET', '/sample.git/info/refs'],
      ['POST', '/sample.git/git-receive-pack'],
      ['GET', '/sample.git/HEAD'],
      ['GET', '/sample.git/objects/info/packs'],
      ['GET', '/sample.git/git-upload-pack'],
      ['PUT', '/sample.git/git-upload-pack'],
      ['GET', '/%ff/info/refs?service=git-receive-pack'],
    ];
    for (const [method, path] of cases)
      assert.equal((await fetch(`${server.url}${path}`, { method })).status, 404, path);
  });

  it('accepts a gzipped request, and serves no commit outside of all branches', async () => {
    await using directory = await makeTemporaryDirectory();
    await buildSample(directory);
    const tip = (await runGit(directory.pathOf('sample.git'), ['rev-parse', 'main'])).toString().trim();
    const hidden = await writeRawCommit(
      directory.pathOf('sample.git'),
      Buffer.concat([await runGit(directory.pathOf('sample.git'), ['cat-file', 'commit', tip]), Buffer.from('unseen')]),
    );
    await using server = await startHttpServer(smartHttp(() => ({ directory: directory.pathOf('sample.git') })));
    const want = async (oid: string): Promise<string> => {
      const body = gzipSync(`0032want ${oid}\n00000009done\n`);
      const headers = { 'content-encoding': 'gzip', 'content-type': 'application/x-git-upload-pack-request' };
      const response = await fetch(`${server.url}/sample.git/git-upload-pack`, { method: 'POST', headers, body });
      return response.text();
    };
    assert.match(await want(tip), /^0008NAK\nPACK/);
    assert.match(await want(hidden), /not our ref/);
  });

  it('lists references as git does, without starting it', async () => {
    await using directory = await makeTemporaryDirectory();
    const ada = { name: 'Ada', email: 'ada@example.org' };
    const commit = { parents: [], author: ada, authoredAt: new Date(0), committedAt: new Date(0) };
    const refs = { 'refs/heads/a-side': 0, 'refs/heads/side/one': 0, 'refs/pull/1/head': 0 };
    await buildRepository(directory.pathOf('full.git'), { commits: [commit], branch: 'main', refs });
    await buildRepository(directory.pathOf('empty.git'), { commits: [], branch: 'main' });
    await buildRepository(directory.pathOf('tagged.git'), {
      commits: [commit],
      branch: 'main',
      refs: { 'refs/tags/v1': 0 },
    });
    await using server = await startHttpServer(smartHttp((path) => ({ directory: directory.pathOf(path.slice(1)) })));
    const packet = (line: string): string => `${(line.length + 4).toString(16).padStart(4, '0')}${line}`;
    const list = async (name: string, parameters: string[], isPacked: boolean): Promise<string> => {
      const sections = [['command=ls-refs\n', 'agent=git/2.39.5', 'object-format=sha1'], parameters];
      const body = `${sections.map((lines) => lines.map(packet).join('')).join('0001')}0000`;
      const headers = { 'git-protocol': 'version=2', 'content-type': 'application/x-git-upload-pack-request' };
      const response = await fetch(`${server.url}/${name}/git-upload-pack`, {
        method: 'POST',
        // Compressed requests go to git.
        headers: { ...headers, ...(isPacked && { 'content-encoding': 'gzip' }) },
        body: isPacked ? gzipSync(body) : body,
      });
      assert.equal(response.headers.get('content-type'), 'application/x-git-upload-pack-result');
      return response.text();
    };
    const some = ['ref-prefix HEAD\n', 'ref-prefix refs/heads/a\n'];
    for (const name of ['full.git', 'empty.git', 'tagged.git']) {
      for (const parameters of [[], ['peel\n', 'symrefs\n'], ['symrefs\n', 'unborn\n', ...some], some]) {
        assert.equal(
          await list(name, parameters, false),
          await list(name, parameters, true),
          `${name} ${parameters.join('')}`,
        );
      }
    }
  });

  it('sends trees when it does not support filters', async () => {
    await using directory = await makeTemporaryDirectory();
    await buildSample(directory);
    await using server = await startHttpServer(
      smartHttp(() => ({ directory: directory.pathOf('sample.git') }), { allowFilter: false }),
    );
    await runGit(directory.path, [
      'clone',
      '--quiet',
      '--bare',
      '--filter=tree:0',
      `${server.url}/sample.git`,
      'copy.git',
    ]);
    const stored = await runGit(directory.pathOf('copy.git'), ['cat-file', '--batch-all-objects', '--batch-check']);
    assert.ok(stored.includes(' tree '));
  });

  it('leaves no process after a client disconnects', async () => {
    await using directory = await makeTemporaryDirectory();
    await buildSample(directory);
    const handle = smartHttp(() => ({ directory: directory.pathOf('sample.git') }));
    const served = Promise.withResolvers<void>();
    await using server = await startHttpServer(async (incoming, response) => {
      // The client disconnects while its request is incomplete.
      incoming.once('data', () => client.destroy());
      await handle(incoming, response);
      served.resolve();
    });
    const headers = { 'content-type': 'application/x-git-upload-pack-request', 'content-length': 1000 };
    const client = request(`${server.url}/sample.git/git-upload-pack`, { method: 'POST', headers });
    client.on('error', () => undefined);
    client.write('0032want ');
    await served.promise;
    await waitUntilExited(`${directory.pathOf('sample.git')}/git-upload-pack`);
  });

  it('responds with 404 when the backend fails', async () => {
    await using directory = await makeTemporaryDirectory();
    await using server = await startHttpServer(smartHttp(() => ({ directory: directory.pathOf('absent.git') })));
    const response = await fetch(`${server.url}/absent.git/info/refs?service=git-upload-pack`);
    assert.equal(response.status, 404);
  });
});
