import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ada, engines } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

describe('pages of a person about repositories of others', () => {
  const shared = shareStoredService();

  it('list no item of a repository any more as soon as it is private', async () => {
    const { service } = shared;
    const { pool } = service.database;
    for (const path of [`contributions/issues`, `contributions/contributed_to`]) {
      const page = async (): Promise<string> =>
        (await service.get(`/github/${ada.name}/${path}`, { headers: { accept: 'text/html' } })).text;
      const isListed = (html: string): boolean => html.includes(`/${engines.name}/engine-1`);
      assert.ok(isListed(await page()), path);
      // Changes of a repository are announced for its owner, and invalidate responses about the owner alone.
      await pool.query(`update repositories set is_private = true where name = 'engine-1'`);
      assert.ok(!isListed(await page()), path);
      await pool.query(`update repositories set is_private = false where name = 'engine-1'`);
    }
  });
});
