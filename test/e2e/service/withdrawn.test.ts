import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { openDatabase } from '../../../src/database/connections/open.ts';
import { createTestDatabase } from '../../database.ts';
import { bearer, keeper, serviceToken } from '../../integration/access/owner.ts';
import { until } from '../../time.ts';
import { startTestService } from '../service.ts';

describe('start after a credential was withdrawn', () => {
  it('listens, and shows nothing that the credential showed, while the stored data is being hidden', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using created = await createTestDatabase();
    const options = { simulator, databaseUrl: created.url };
    const path = `${keeper.name}/contributors?limit=100`;
    const list = `${keeper.name}/repositories`;
    {
      await using service = await startTestService({ ...options, tokens: ['private_owner'] });
      const token = await serviceToken(service, simulator, keeper);
      await service.getComplete(path, bearer(token));
      const { body } = await service.get(list, bearer(token));
      assert.ok(body.data.some(({ name }) => name === 'diary'));
    }
    const database = await openDatabase({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    const isShown = async (): Promise<boolean> => {
      const { rows } = await database.pool.query(
        `select from repositories where name = 'diary' and deleted_at is null`,
      );
      return rows.length > 0;
    };
    const client = await database.pool.connect();
    try {
      // Hiding locks the repositories first, and their owner last.
      await client.query('begin');
      await client.query('select from accounts where name = $1 for no key update', [keeper.name]);
      await using service = await startTestService({ ...options, tokens: ['public_only'] });
      assert.equal((await service.get('/healthz')).status, 200);
      assert.equal((await service.get('/readyz')).status, 200);
      const token = await serviceToken(service, simulator, keeper);
      const { body } = await service.get(list, bearer(token));
      assert.deepEqual(
        body.data.filter((item) => item['private'] === true),
        [],
      );
      assert.equal(await isShown(), true);
      await client.query('rollback');
      await until(async () => ((await isShown()) ? undefined : true), 'the repository is hidden');
    } finally {
      client.release(true);
      await database.close();
    }
  });
});
