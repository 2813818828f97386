import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { listContributors } from '../../simulators/world/expected-totals.ts';
import { keeper, serviceToken } from '../integration/access/owner.ts';
import { storeAbsent } from '../integration/http/stored-world.ts';
import { shareStoredService } from '../service/http/stored-service.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../', import.meta.url));

/** A program of a user of the client, which the compiler checks strictly. */
const program = `
import { createPlaudit, items, PlauditError, unwrap } from 'plaudit-client';
import type { Contributor } from 'plaudit-client';

const [baseUrl = '', organization = '', owner = '', token = ''] = process.argv.slice(2);
const path = { provider: 'github', name: organization };
const plaudit = createPlaudit({ baseUrl });
const { data: [account] } = await unwrap(plaudit.getAccount({ path }));
const contributors: Contributor[] = [];
for await (const contributor of items((after) =>
  plaudit.listContributors({ path, query: { limit: 2, ...(after !== undefined && { after }) } }),
)) {
  contributors.push(contributor);
}
const failure: unknown = await unwrap(plaudit.getAccount({ path: { ...path, name: 'nobody-at-all' } })).catch(
  (error: unknown) => error,
);
if (!(failure instanceof PlauditError)) throw new Error('a failure is a PlauditError');
const own = createPlaudit({ baseUrl, token: () => token });
const settings = await unwrap(own.getSettings({ path: { ...path, name: owner } }));
const { response } = await plaudit.getSettings({ path: { ...path, name: owner } });
console.log(
  JSON.stringify({
    type: account?.type,
    contributors: contributors.map(({ name, contributions }) => ({ login: name, contributions })),
    failure: [failure.status, failure.code, failure.message],
    hidden: settings.data.hidden,
    withoutToken: response?.status,
  }),
);
`;
/** A program that calls an endpoint whose data is being collected. */
const waiting = `
import { createPlaudit, PlauditError, unwrap } from 'plaudit-client';

const [baseUrl = ''] = process.argv.slice(2);
const call = (maxWaitMs: number) =>
  unwrap(createPlaudit({ baseUrl, maxWaitMs }).getAccount({ path: { provider: 'github', name: 'new' } }));
const impatient: unknown = await call(0).catch((error: unknown) => error);
const { data } = await call(60_000);
console.log(JSON.stringify([impatient instanceof PlauditError && [impatient.status, impatient.retryAfterS], data]));
`;

describe('the packed TypeScript client', () => {
  const shared = shareStoredService();
  const stack = new AsyncDisposableStack();
  let directoryPath = '';
  before(async () => {
    const directory = stack.use(await makeTemporaryDirectory());
    directoryPath = directory.path;
    await run('npm', ['pack', '--pack-destination', directoryPath], { cwd: `${root}client` });
    const [packed = ''] = await readdir(directoryPath);
    const client = directory.pathOf('node_modules/plaudit-client');
    await mkdir(client, { recursive: true });
    await run('tar', ['-xf', directory.pathOf(packed), '-C', client, '--strip-components=1']);
    await symlink(`${root}node_modules/@types`, directory.pathOf('node_modules/@types'));
    await writeFile(directory.pathOf('package.json'), '{"type":"module"}');
    await writeFile(directory.pathOf('program.ts'), program);
    await writeFile(directory.pathOf('waiting.ts'), waiting);
    const options = ['--strict', '--exactOptionalPropertyTypes', '--target', 'es2023', '--module', 'nodenext'];
    // The declarations of the client are checked, those of the compiler itself are not.
    const types = ['--types', 'node', '--skipLibCheck', 'false', '--skipDefaultLibCheck'];
    await run(`${root}node_modules/.bin/tsc`, [...options, ...types, 'program.ts', 'waiting.ts'], {
      cwd: directoryPath,
    }).catch(({ stdout: faults }: { stdout: string }) => assert.fail(faults));
  });
  after(() => stack.disposeAsync());

  async function start(name: string, ...args: string[]): Promise<unknown> {
    const { stdout } = await run(process.execPath, [`${directoryPath}/${name}.js`, ...args]);
    return JSON.parse(stdout);
  }

  it('reads accounts, all pages of listings, errors, and private data with a token', async () => {
    const { service, simulator } = shared;
    const { organization } = simulator.accounts;
    await storeAbsent(service.database.connection, ['nobody-at-all']);
    const token = await serviceToken(service, simulator, keeper);
    assert.deepEqual(await start('program', service.url, organization, keeper.name, token), {
      type: 'organization',
      contributors: listContributors(simulator.world, organization),
      failure: [404, 2, 'There is no such account on this provider.'],
      hidden: false,
      withoutToken: 401,
    });
  });

  it('waits for data that is being collected, no longer than it may', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.writeHead(requests < 3 ? 202 : 200, { 'content-type': 'application/json', 'retry-after': '1' });
      response.end('{"meta_data":{"count":0},"data":[]}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = Object(server.address()) as { port: number };
    try {
      assert.deepEqual(await start('waiting', `http://127.0.0.1:${port}`), [[202, 1], []]);
      assert.equal(requests, 3);
    } finally {
      server.close();
    }
  });
});
