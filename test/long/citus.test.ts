import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { isThorough } from '../depth.ts';
import { citusIsMissing } from '../servers/citus.ts';

/** Parts of paths of test files whose statements read or write the divided tables. */
const parts = [
  ['integration/achievements', 'integration/boards'],
  ['integration/contributions', 'integration/repositories'],
  ['integration/contributors', 'integration/windows', 'service/windows/contributors.test'],
];
const runner = fileURLToPath(new URL('../runner/main.ts', import.meta.url));
const skip = process.env['TEST_CITUS']
  ? 'the whole run uses a cluster'
  : citusIsMissing || (!isThorough && 'it takes too long for a sample of the long tier');

describe('running on a Citus cluster', { skip }, () => {
  for (const words of parts) {
    it(`passes the tests of ${words.join(' and ')}`, async () => {
      const environment = { ...process.env, TEST_CITUS: '1', TEST_STATEMENTS: undefined };
      const child = spawn(process.execPath, [runner, ...words], {
        env: environment,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      assert.equal(code, 0, output);
    });
  }
});
