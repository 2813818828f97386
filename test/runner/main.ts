import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { withTestServer } from './database-server.ts';

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

process.exitCode = await withTestServer(runFiles);

function runFiles(server: Record<string, string>, directory: string): Promise<number> {
  const child = spawn(process.execPath, ['--test', '--test-concurrency=3', `--test-timeout=${timeoutMs}`, ...files], {
    stdio: 'inherit',
    env: {
      ...process.env,
      DATABASE_URL: undefined,
      ...server,
      // Files run in processes of their own, and all of them load the same sources.
      NODE_COMPILE_CACHE: join(directory, 'compile-cache'),
    },
  });
  process.on('SIGINT', () => child.kill('SIGINT'));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  return new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
}
