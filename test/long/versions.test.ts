import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../simulators/git/temporary-directory.ts';
import { startSimulator } from '../../simulators/github/simulator.ts';
import { toCounters } from '../../simulators/world/expected-totals.ts';
import { exportTo, importFrom } from '../../src/app/commands/copy.ts';
import type { Io } from '../../src/app/commands/io.ts';
import { sample } from '../../src/app/commands/sample.ts';
import { readServerVersion } from '../../src/database/connections/open.ts';
import { isThorough } from '../depth.ts';
import { startTestService } from '../e2e/service.ts';
import { snapshot } from '../integration/sync/snapshot.ts';
import { startOwnServer } from '../servers/own-server.ts';
import { readVersion, versions } from '../servers/packages.ts';
import { runSync } from '../service/sync/syncing.ts';

/** The whole test run uses its own version, and CI the oldest one, so that a short run tries one of the others. */
const usedByAllTests = new Set([versions[0], readVersion(process.env['TEST_POSTGRES'])]);
const tried = isThorough ? versions : versions.filter((version) => !usedByAllTests.has(version)).slice(0, 1);

function io(environment: Record<string, string>): Io {
  const { signal } = new AbortController();
  return {
    environment: { LOG_LEVEL: 'silent', ...environment },
    print: () => {},
    warn: () => {},
    isTerminal: false,
    signal,
  };
}

describe('support of PostgreSQL versions', () => {
  for (const version of tried) {
    it(`${version}: migrates, stores the sample, serves and stores lookups, exports and imports`, async () => {
      await using simulator = await startSimulator();
      await using directory = await makeTemporaryDirectory();
      await using server = await startOwnServer(version);
      const [original, copy] = [await server.create('one'), await server.create('other')];

      await sample(io({ DATABASE_URL: original, DATA_DIR: directory.pathOf('data') }));
      const target = `github/${simulator.accounts.organization}`;
      await runSync({ simulator, databaseUrl: original, dataDir: directory.pathOf('data'), target });
      {
        await using service = await startTestService({ simulator, databaseUrl: original });
        const { number } = await readServerVersion(service.database.pool);
        assert.equal(Math.floor(number / 10_000), version);
        const stored = await service.get('sample-ada/contributions');
        assert.equal(stored.status, 200);
        const lookedUp = await service.getComplete('ada-lovelace/contributions');
        assert.deepEqual(lookedUp.body.data[0]?.['contributions'], toCounters(simulator.world, 'ada-lovelace'));
        const contributors = await service.get(`${simulator.accounts.organization}/contributors`);
        assert.ok(contributors.body.data.length > 0);
      }
      const file = directory.pathOf('everything.ndjson.gz');
      await exportTo(io({ DATABASE_URL: original, DATA_DIR: directory.pathOf('data') }), file);
      await importFrom(io({ DATABASE_URL: copy, DATA_DIR: directory.pathOf('data') }), file);
      assert.deepEqual(await snapshot(copy), await snapshot(original));
    });
  }
});
