import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ada, bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';

const everything = 'since=2000-01-01';
let requests = 0;
const counters = ['issues', 'issues_closed', 'pull_requests', 'pull_requests_merged', 'reviews', 'discussions'];

interface Listed {
  kind: string;
  url: string;
  occurred_dttm: string;
  reason?: string;
}

describe('items in forks', () => {
  const shared = shareStoredService();

  const get = async (path: string, init?: RequestInit) => {
    // Each response is made from the rows as they are.
    requests += 1;
    const { status, body, text } = await shared.service.get(`${path}&v=${requests}`, init);
    assert.equal(status, 200, text);
    return body;
  };
  const countAll = async (): Promise<Record<string, number>> => {
    const { data } = await get(`${ada.name}/contributions?${everything}`);
    return Object(data[0]?.['contributions']);
  };
  const listed = async (path: string, query = ''): Promise<Listed[]> =>
    (await get(`${path}?${everything}&limit=100${query}`)).data.map((item) => Object(item));

  it('count for no person, and are listed as excluded where they are; in the list of the fork they count', async () => {
    const { simulator, service } = shared;
    const { pool } = service.database;
    const owner = bearer(await serviceToken(service, simulator, engines));
    const ofRepository = `${engines.name}/repositories/engine-1/contributors?${everything}`;
    const before = { numbers: await countAll(), people: (await get(ofRepository, owner)).data };
    const listMoments = (list: Listed[]) => list.map(({ occurred_dttm: at }) => at).toSorted();
    const items = await Promise.all(
      counters.map(async (name) => {
        const path = `${ada.name}/contributions/${name}`;
        return listMoments([...(await listed(path)), ...(await listed(path, '&excluded=true'))]);
      }),
    );
    assert.ok(counters.some((name) => (before.numbers[name] ?? 0) > 0));
    await pool.query(`update repositories set is_fork = true`);

    const numbers = await countAll();
    for (const [index, name] of counters.entries()) {
      assert.equal(numbers[name], 0, name);
      const path = `${ada.name}/contributions/${name}`;
      const { data, meta_data: meta } = await get(`${path}?${everything}`);
      assert.deepEqual([data, Object(meta).total, Object(meta).itemised], [[], 0, 0], name);
      const excluded = await listed(path, '&excluded=true');
      assert.ok(
        excluded.every(({ reason }) => reason === 'fork'),
        name,
      );
      assert.deepEqual(listMoments(excluded), items[index], name);
    }
    assert.equal(numbers['contributed_to'], 0);
    assert.deepEqual((await get(ofRepository, owner)).data, before.people);
  });

  it('are not excluded from lists of contributors, nor are open pull requests that count there', async () => {
    const { service } = shared;
    await service.database.pool.query(`update repositories set is_fork = true`);
    const path = `${engines.name}/contributors/${ada.name}/evidence`;
    const [items, excluded] = [await listed(path), await listed(path, '&excluded=true')];
    assert.ok(items.some(({ kind }) => kind === 'pull_request' || kind === 'issue'));
    const counted = new Set(items.map(({ url }) => url));
    assert.deepEqual(
      excluded.filter(({ kind, url }) => counted.has(url) || kind === 'repository'),
      [],
    );
  });
});
