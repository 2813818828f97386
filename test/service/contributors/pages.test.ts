import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { listContributors, toCounters } from '../../../simulators/world/expected-totals.ts';
import { recordTotalsChanged } from '../../../src/contributions/items/collection-store.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { toContributors } from '../../contract/service-responses.ts';
import type { ResponseBody } from '../../e2e/service.ts';
import { ada, engines, keeper } from '../../integration/access/owner.ts';
import { storeAbsentRepositories } from '../../integration/http/stored-world.ts';
import { shareStoredService } from '../http/stored-service.ts';

describe('listing of contributors', () => {
  const shared = shareStoredService();

  it('counts every contribution to the public repositories of an account, with bots and without', async () => {
    const { service, simulator } = shared;
    for (const { name } of [ada, engines, keeper]) {
      const { body } = await service.get(`${name}/contributors?limit=100`);
      assert.deepEqual(toContributors(body.data), listContributors(simulator.world, name));
      const counted = await service.get(`${name}/contributions`);
      assert.deepEqual(counted.body.data[0]?.['contributions'], toCounters(simulator.world, name));
    }
    const withBots = await service.get(`${engines.name}/contributors?limit=100`);
    const withoutBots = await service.get(`${engines.name}/contributors?limit=100&bots=false`);
    assert.ok(withBots.body.data.some(({ name, type }) => name === simulator.accounts.bot && type === 'bot'));
    assert.deepEqual(
      withoutBots.body.data,
      withBots.body.data.filter(({ type }) => type !== 'bot'),
    );
  });

  it('counts contributions to one repository alone, under its name in upper or lower case', async () => {
    const { service, simulator } = shared;
    for (const repository of ['engine-1', 'much-reviewed', 'Case-Matters', 'empty', 'forked']) {
      const expected = listContributors(simulator.world, engines.name, { repository });
      for (const name of [repository, repository.toUpperCase()]) {
        const { body } = await service.get(`${engines.name}/contributors?limit=100&repository=${name}`);
        assert.deepEqual(toContributors(body.data), expected, name);
      }
    }
  });

  it('responds with the same 404 for private, missing and impossible repositories', async () => {
    const { service } = shared;
    const names = ['hidden-engine', 'no-such-engine'];
    await storeAbsentRepositories(service.database.connection, engines.name, names);
    const refusals = await Promise.all(
      [...names, '..', 'a%2Fb'].map((name) => service.get(`${engines.name}/contributors?repository=${name}`)),
    );
    assert.deepEqual([...new Set(refusals.map(({ status }) => status))], [404]);
    assert.equal(new Set(refusals.map(({ text }) => text)).size, 1);
  });

  it('returns pages that fit together while contributions arrive between them', async () => {
    const { service, simulator } = shared;
    const { connection, pool } = service.database;
    const before = listContributors(simulator.world, ada.name);
    const first = await service.get(`${ada.name}/contributors?limit=5`);
    const { rows } = await pool.query<{ id: string }>("select id from repositories where name = 'notes'");
    const repositoryId = rows[0]?.id ?? assert.fail();
    await pool.query(
      `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
       select $1, 'issue', 'new-' || n, a.id, now(), now(), now() from accounts a, generate_series(1, 50) as n
       where a.name = $2`,
      [repositoryId, before.at(-1)?.login],
    );
    await inTransaction(connection, (transaction) => recountRepository(transaction, repositoryId));
    await recordTotalsChanged(connection, [repositoryId]);
    const fresh = await service.get(`${ada.name}/contributors?limit=5&v=2`);
    assert.equal(
      fresh.body.data.some(({ name }) => name === before.at(-1)?.login),
      true,
    );
    const rest: ResponseBody['data'] = [];
    for (let cursor = first.body.next_cursor; cursor !== undefined; ) {
      const path = `${ada.name}/contributors?limit=5`;
      const { body, headers } = await service.get(`${path}&after=${encodeURIComponent(cursor)}`);
      rest.push(...body.data);
      const back = await service.get(`${path}&before=${encodeURIComponent(body.previous_cursor ?? '')}`);
      assert.equal(back.status, 200);
      assert.equal(headers.get('link')?.includes('rel="next"') ?? false, body.next_cursor !== undefined);
      cursor = body.next_cursor;
    }
    assert.deepEqual(toContributors([...first.body.data, ...rest]), before);
  });
});
