import assert from 'node:assert/strict';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { checkSpace } from '../../../src/app/doctor/checks/database.ts';
import { openDatabase } from '../../../src/database/connections/open.ts';
import { openEmbedded } from '../../../src/database/embedded/embedded.ts';
import { mountSmallDisk } from '../../small-disk.ts';
import { startStoredService } from './stored-service.ts';

describe('readiness of a node', () => {
  it('reports a DATA_DIR that was deleted, until it is back', async () => {
    await using service = await startStoredService();
    assert.equal((await service.get('/readyz')).status, 200);
    const moved = `${service.dataDir}.moved`;
    await rename(service.dataDir, moved);
    const { status, body } = await service.get('/readyz');
    assert.deepEqual([status, body.error?.message], [503, 'DATA_DIR was deleted, or a part of it.']);
    await rename(moved, service.dataDir);
    assert.equal((await service.get('/readyz')).status, 200);
  });

  it('names the full disk of the database until there is space again, and logs it once', async (t) => {
    await using directory = await makeTemporaryDirectory();
    using disk = mountSmallDisk(directory.pathOf('disk'), 'size=200m');
    if (disk === undefined) return t.skip('mounting is not permitted here');
    await using database = await openDatabaseOn(disk.path);
    const settings = { LOOKUPS_PER_HOUR: '10000', NETWORK_LOOKUPS_PER_HOUR: '10000', RATE_LIMIT_PER_MINUTE: '10000' };
    await using service = await startStoredService({ databaseUrl: database.url, settings });
    disk.fill();
    const refused: number[] = [];
    for (let number = 0; number < 500 && refused.length < 10; number += 1) {
      const { status, body } = await service.get(`unknown-${number}`);
      if (body.error?.message.startsWith('The disk of the database is full') === true) refused.push(status);
    }
    assert.deepEqual(
      refused,
      Array.from({ length: 10 }, () => 503),
    );
    const { status, body } = await service.get('/readyz');
    assert.equal(status, 503);
    assert.match(body.error?.message ?? '', /^The disk of the database is full/);
    const findings = await checkSpace(service.database);
    assert.deepEqual(
      findings.map(({ code, severity }) => [code, severity]),
      [['disk_full', 'problem']],
    );
    const logged = service.lines.filter((line) => line.includes('No space left on device'));
    assert.ok(logged.length < 5, logged.join(''));
    await rm(disk.pathOf('filling'));
    assert.equal((await service.get('/readyz')).status, 200);
    assert.notEqual((await service.get('unknown-again')).status, 503);
  });
});

/** Starts a database of its own in a directory, with tables. */
async function openDatabaseOn(directory: string): Promise<AsyncDisposable & { url: string }> {
  const dataDir = join(directory, 'data');
  const server = await openEmbedded({ dataDir, log: () => {} });
  const { host, user, database } = server.connection;
  const url = `postgresql://${user}@localhost/${database}?host=${encodeURIComponent(host)}`;
  const opened = await openDatabase({ databaseUrl: url, dataDir, log: () => {} });
  await opened.close();
  return { url, [Symbol.asyncDispose]: () => server.release() };
}
