import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/database/open.ts';
import { createTemplate, dropTemplate, urlOf } from './database-server.ts';

/**
 * Runs the tests: `npm test`, or `npm test -- accounts history` for the files whose path holds one of the words.
 * All of them use one PostgreSQL server, each file databases of its own: an embedded server in a temporary directory,
 * or the one that DATABASE_URL names.
 */

const words = process.argv.slice(2);
/** For one test; a long random history takes more. */
const timeoutMs = Number(process.env['TEST_TIMEOUT_MS'] ?? '300000');
const files = globSync('test/**/*.test.ts')
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .toSorted();
if (files.length === 0) {
  console.error(`no test file has ${words.join(' or ')} in its path`);
  process.exit(1);
}

const dataDir = await mkdtemp(join(tmpdir(), 'plaudit-test-'));
const databaseUrl = process.env['DATABASE_URL'] || undefined;
const server = await openDatabase({ databaseUrl, dataDir, log: (line) => console.error(line) });
const serverUrl = databaseUrl ?? urlOf(server.clientConfig);
const template = await createTemplate(serverUrl);
try {
  process.exitCode = await runFiles();
} finally {
  await dropTemplate(serverUrl, template);
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
}

function runFiles(): Promise<number> {
  const child = spawn(process.execPath, ['--test', '--test-concurrency=3', `--test-timeout=${timeoutMs}`, ...files], {
    stdio: 'inherit',
    env: {
      ...process.env,
      DATABASE_URL: undefined,
      TEST_SERVER_URL: serverUrl,
      TEST_TEMPLATE: template,
      // Files run in processes of their own, and all of them load the same sources.
      NODE_COMPILE_CACHE: join(dataDir, 'compile-cache'),
    },
  });
  process.on('SIGINT', () => child.kill('SIGINT'));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
