import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/database/open.ts';

/**
 * Runs the tests: `npm test`, or `npm test -- accounts history` for the files whose path holds one of the words.
 * All of them use one PostgreSQL server, each file databases of its own: an embedded server in a temporary directory,
 * or the one that DATABASE_URL names.
 */

const words = process.argv.slice(2);
const files = globSync('test/**/*.test.ts')
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
  .toSorted();
if (files.length === 0) {
  console.error(`no test file has ${words.join(' or ')} in its path`);
  process.exit(1);
}

const dataDir = await mkdtemp(join(tmpdir(), 'plaudit-test-'));
const server = await openDatabase({
  databaseUrl: process.env['DATABASE_URL'] || undefined,
  dataDir,
  log: (line) => console.error(line),
});
const serverUrl = process.env['DATABASE_URL'] || urlOf(server.clientConfig);
try {
  process.exitCode = await runFiles();
} finally {
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
}

function runFiles(): Promise<number> {
  const child = spawn(process.execPath, ['--test', '--test-timeout=300000', ...files], {
    stdio: 'inherit',
    env: { ...process.env, DATABASE_URL: undefined, TEST_SERVER_URL: serverUrl },
  });
  process.on('SIGINT', () => child.kill('SIGINT'));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}

/** An address for a server that is reached by a socket in a directory. */
function urlOf({ host, port, user, database }: typeof server.clientConfig): string {
  const query = new URLSearchParams({ host: host ?? '', port: String(port ?? ''), user: user ?? '' });
  return `postgresql:///${database ?? ''}?${query.toString()}`;
}
