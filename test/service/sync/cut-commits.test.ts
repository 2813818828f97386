import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { addCommit } from '../../../simulators/world/activity.ts';
import { bearer, engines, fromOwnAddress, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { startSteppedService } from './stepped-service.ts';

describe('commits of which a part is not read', () => {
  it('stay in the status of their owner, and make commits missing where co-authors are left out', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    const { world } = simulator;
    const organization = world.accountByLogin(engines.name) ?? assert.fail();
    const repository = world.owned(organization).find(({ name }) => name === 'engine-1') ?? assert.fail();
    const author = { name: 'Ada', email: 'ada@example.org' };
    const coAuthors = Array.from({ length: 300 }, (_, index) => ({ name: 'B', email: `b-${index}@example.org` }));
    addCommit(world, repository, { author, coAuthors });
    await using service = await startSteppedService({ simulator, now, settings: { TRUST_PROXY: 'loopback' } });
    await service.getAfterWork(`${engines.name}/contributors`);
    const { body } = await service.getAfterWork(`${engines.name}/contributors?limit=30`);
    assert.deepEqual(body.meta_data.missing, ['commits']);

    const listSkipped = async (): Promise<unknown> => {
      const token = await serviceToken(service, simulator, engines);
      const { text } = await service.get(`${engines.name}/status`, fromOwnAddress(bearer(token)));
      const { data }: { data: { skipped_items: { items: Record<string, unknown>[] } } } = JSON.parse(text);
      const places = data.skipped_items.items.map((item) => [item['repository_name'], item['path'], item['items']]);
      return places.toSorted(([, left], [, right]) => String(left).localeCompare(String(right)));
    };
    assert.deepEqual(await listSkipped(), [['engine-1', 'co_authors', 1]]);
    // Paths that are left out are read once, too.
    await service.database.pool.query(
      `insert into skipped_items (provider, repository_id, stream, kind, reason, path, explanation, is_stored, is_counted,
         items, first_seen_at, seen_at)
       select provider, id, 'details', 'commit', 'unreadable', place, '', true, true, 1, '2026-01-01', '2026-01-01'
       from repositories, unnest('{files,labels}'::text[]) as place where name = 'engine-1'`,
    );
    addCommit(world, repository, { author });
    advance(3700);
    await service.getAfterWork(`${engines.name}/contributors?limit=40`);
    assert.deepEqual(await listSkipped(), [
      ['engine-1', 'co_authors', 1],
      ['engine-1', 'files', 1],
    ]);
  });
});
