import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findByName } from '../../../src/accounts/store.ts';
import { saveCounters } from '../../../src/contributions/totals/counter-store.ts';
import { ada } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { startStoredService } from '../http/stored-service.ts';

describe('the history of counters', () => {
  it('is listed with one item a day, newest first, in pages', async () => {
    const { now, advance } = clock();
    await using service = await startStoredService({ now, holdsWorld: true });
    const { connection } = service.database;
    const holder = await findByName(connection, 'github', ada.name);
    const issues: number[] = [];
    for (let day = 1; day <= 5; day += 1) {
      advance(86_400);
      issues.unshift(1000 + day);
      const fetched = { counters: { issues: 1000 + day }, missing: [], fetchedAt: now() };
      await saveCounters(connection, holder?.account.id ?? assert.fail(), fetched);
    }
    const seen: number[] = [];
    for (let next: string | undefined = ''; next !== undefined; ) {
      const after = next && `&after=${encodeURIComponent(next)}`;
      const { body } = await service.get(`${ada.name}/contributions?limit=2${after}`);
      assert.ok(body.data.length <= 2);
      seen.push(...body.data.map((entity) => (entity['contributions'] as { issues: number }).issues));
      next = body.next_cursor;
    }
    assert.equal(seen.length, 6, 'the day on which the world was stored is the oldest');
    assert.deepEqual(seen.slice(0, 5), issues);
  });
});
