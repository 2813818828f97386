import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startStoredService } from '../http/stored-service.ts';
import { names, storeHalfRead } from './half-read.ts';

const { organization, whole, unread } = names;

describe('the progress of an organization that is being collected', () => {
  const progress = { repositories: { complete: 1, total: 3 }, reason: 'collecting' };

  for (const path of [
    'contributions',
    'contributions?period=this-year',
    'contributors',
    'contributors?since=2020-01-01',
  ]) {
    it(`is in ${path}`, async () => {
      await using service = await startStoredService();
      await storeHalfRead(service.database);
      const { body } = await service.get(`${organization}/${path}`);
      assert.equal(body.meta_data.complete, false);
      assert.deepEqual(body.meta_data.progress, progress);
    });
  }

  it('counts the one repository of a list of its contributors', async () => {
    await using service = await startStoredService();
    await storeHalfRead(service.database);
    const { body } = await service.get(`${organization}/contributors?repository=${unread}`);
    assert.deepEqual(body.meta_data.progress, { ...progress, repositories: { complete: 0, total: 1 } });
  });

  it('is absent where the response is complete', async () => {
    await using service = await startStoredService();
    await storeHalfRead(service.database);
    const { body } = await service.get(`${organization}/contributors?repository=${whole}`);
    assert.deepEqual([body.meta_data.complete, body.meta_data.progress], [true, undefined]);
  });
});
