import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { describe, it } from 'node:test';
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
});
