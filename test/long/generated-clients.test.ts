import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlink, writeFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { shareStoredService } from '../service/http/stored-service.ts';

const run = promisify(execFile);
const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url));

/** Reads numbers, their completeness and an item of another list from the responses of a client. */
const readResponses = `
const commits: number | undefined = account.data[0]?.contributions['commits'];
const read: number | undefined = account.meta_data.progress?.repositories.complete;
const rule: string | undefined = evidence.data[0]?.rule;
console.log(commits, read, rule);
`;

interface Generator {
  name: string;
  /** The arguments of the program that generates the client, from `openapi.json` in its directory. */
  command: readonly [string, ...string[]];
  /** The file of its settings. */
  config?: { name: string; text: string };
  /** A program of a user, which reads `account` and `evidence`. */
  program: string;
}

const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript for openapi-fetch',
    command: ['openapi-typescript', 'openapi.json', '--output', 'schema.d.ts'],
    program: `
import createClient from 'openapi-fetch';
import type { paths } from './schema.js';
const client = createClient<paths>({ baseUrl: 'http://localhost' });
const base = '/v1/{provider}/entities/{name}/contributions';
const path = { provider: 'github', name: 'ada' };
const { data: account, error } = await client.GET(base, { params: { path } });
if (error !== undefined) throw new Error(error.error.message);
const { data: evidence } = await client.GET(\`\${base}/{counter}\`, { params: { path: { ...path, counter: 'commits' } } });
if (evidence === undefined) throw new Error('no evidence');`,
  },
  {
    name: '@hey-api/openapi-ts',
    command: ['openapi-ts', '--input', 'openapi.json', '--output', 'hey-api', '--silent'],
    program: `
import { listContributions, listCounterEvidence } from './hey-api/index.ts';
const path = { provider: 'github', name: 'ada' };
const { data: account, error } = await listContributions({ path });
if (account === undefined) throw new Error(error?.error.message);
const { data: evidence } = await listCounterEvidence({ path: { ...path, counter: 'commits' } });
if (evidence === undefined) throw new Error('no evidence');`,
  },
  {
    name: 'orval',
    command: ['orval', '--config', 'orval.config.mjs'],
    config: {
      name: 'orval.config.mjs',
      text: "export default { api: { input: './openapi.json', output: { target: './orval.ts', client: 'fetch' } } };",
    },
    program: `
import { listContributions, listCounterEvidence } from './orval.ts';
const response = await listContributions('github', 'ada');
if (response.status !== 200 && response.status !== 202) throw new Error(String(response.status));
const { data: account } = response;
const items = await listCounterEvidence('github', 'ada', 'commits');
if (items.status !== 200) throw new Error(String(items.status));
const { data: evidence } = items;`,
  },
];

const options = [
  '--strict',
  '--noEmit',
  '--target',
  'es2023',
  '--lib',
  'es2023,dom,dom.iterable',
  '--module',
  'esnext',
];
const resolution = ['--moduleResolution', 'bundler', '--allowImportingTsExtensions', '--skipLibCheck'];

describe('clients that are generated from the description of the API', () => {
  const shared = shareStoredService();
  const stack = new AsyncDisposableStack();
  let directory: Awaited<ReturnType<typeof makeTemporaryDirectory>>;
  before(async () => {
    directory = stack.use(await makeTemporaryDirectory());
    await symlink(modules, directory.pathOf('node_modules'));
    await writeFile(directory.pathOf('package.json'), '{"type":"module"}');
    const { text } = await shared.service.get('/openapi.json');
    await writeFile(directory.pathOf('openapi.json'), text);
  });
  after(() => stack.disposeAsync());

  for (const { name, command, config, program } of generators) {
    it(`compile with a strict program that uses them: ${name}`, async () => {
      const [generator, ...args] = command;
      if (config !== undefined) await writeFile(directory.pathOf(config.name), config.text);
      await run(`${modules}.bin/${generator}`, args, { cwd: directory.path });
      await writeFile(directory.pathOf(`${generator}-program.ts`), `${program}${readResponses}`);
      const compiled = [...options, ...resolution, `${generator}-program.ts`];
      const { stdout } = await run(`${modules}.bin/tsc`, compiled, { cwd: directory.path }).catch(
        ({ stdout: faults }: { stdout: string }) => ({ stdout: faults }),
      );
      assert.equal(stdout, '');
    });
  }
});
