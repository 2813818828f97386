import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

interface Counted {
  repository: string;
  contributions: Record<string, number>;
}

describe('the counters of a repository', () => {
  const shared = shareStoredService();
  const path = `${engines.name}/repositories/engine-1/contributions`;

  for (const window of [
    'since=1970-01-01',
    'since=2014-01-01&until=2014-12-31&time_zone=Pacific/Kiritimati',
    'until=2015-06-30&time_zone=Pacific/Pago_Pago',
    'since=2015-01-01T00:30:00Z',
  ]) {
    it(`are those of a window, which the items of each add up to: ${window}`, async () => {
      const { body, status, text } = await shared.service.get(`${path}?${window}`);
      assert.equal(status, 200, text);
      const [{ contributions }] = body.data as unknown as [Counted];
      const meta: { window: unknown; source: string; missing?: string[] } = Object(body.meta_data);
      assert.equal(meta.source, 'collected');
      const names = Object.keys(contributions);
      assert.ok(names.includes('commits') && names.includes('stars'), names.join());
      for (const name of names) {
        const evidence = await shared.service.get(`${path}/${name}?${window}&limit=1`);
        const proof: { total: number; window: unknown; missing?: string[] } = Object(evidence.body.meta_data);
        assert.equal(proof.total, contributions[name], name);
        assert.deepEqual(proof.window, meta.window);
        assert.equal(proof.missing?.includes(name), meta.missing?.includes(name), name);
      }
    });
  }

  it('differ between windows, and those of the lifetime have none', async () => {
    const read = async (query: string) => {
      const { body } = await shared.service.get(`${path}${query}`);
      return { meta: Object(body.meta_data), counters: (body.data as unknown as [Counted])[0].contributions };
    };
    const [lifetime, none] = [await read(''), await read('?until=1970-01-01')];
    assert.ok((lifetime.counters['commits'] ?? 0) > 0);
    assert.equal(lifetime.meta.window, undefined);
    assert.deepEqual([...new Set(Object.values(none.counters))], [0]);
    assert.deepEqual(Object.keys(none.counters).toSorted(), Object.keys(lifetime.counters).toSorted());
  });
});
