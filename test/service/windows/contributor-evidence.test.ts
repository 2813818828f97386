import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listContributors } from '../../../simulators/world/expected-totals.ts';
import { readWindow } from '../../../src/model/windows/window.ts';
import { sampled } from '../../depth.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';

interface Listed {
  meta_data: { total: number; itemised: number; remainder: Record<string, number> };
  data: { repository: string; kind: string }[];
  next_cursor?: string;
}

describe('evidence of contributors', () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now } });

  /** Reads all pages. */
  const readAll = async (path: string, init?: RequestInit) => {
    const items: Listed['data'] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < 200; pages += 1) {
      const { status, text } = await shared.service.get(
        `${path}${cursor === undefined ? '' : `&after=${cursor}`}`,
        init,
      );
      assert.equal(status, 200, text);
      const page = JSON.parse(text) as Listed;
      items.push(...page.data);
      cursor = page.next_cursor;
      if (cursor === undefined) return { items, metadata: page.meta_data };
    }
    return assert.fail(path);
  };

  for (const query of ['', 'period=2025&time_zone=Europe/Berlin', 'since=2026-02-03T04:05:06Z', 'until=2026-05-01']) {
    it(`adds up to each number ${query === '' ? 'of the lifetime' : `for ${query}`}`, async () => {
      const window = readWindow(Object.fromEntries(new URLSearchParams(query)), now());
      const { world } = shared.simulator;
      const people = listContributors(world, engines.name, window === undefined ? {} : { range: window });
      assert.ok(people.length > 0);
      for (const { login, contributions } of sampled(people.slice(0, 12), 3)) {
        const path = `${engines.name}/contributors/${encodeURIComponent(login)}/evidence?limit=100&${query}`;
        const { items, metadata } = await readAll(path);
        assert.deepEqual(
          [items.length, metadata],
          [contributions, { ...metadata, total: contributions, itemised: contributions, remainder: {} }],
          path,
        );
      }
    });
  }

  it('covers one repository with the token of its owner, also a private one', async () => {
    const { world } = shared.simulator;
    const organization = world.accountByLogin(engines.name) ?? assert.fail();
    const token = await serviceToken(shared.service, shared.simulator, engines);
    for (const { name } of world.owned(organization)) {
      const [first] = listContributors(world, engines.name, {
        repository: name,
        viewer: { accountId: organization.id, seesPrivate: true },
      });
      if (first === undefined) continue;
      const path = `${engines.name}/repositories/${name}/contributors/${encodeURIComponent(first.login)}/evidence?limit=100`;
      assert.equal((await shared.service.get(path)).status, 401);
      const { items } = await readAll(path, bearer(token));
      assert.equal(items.length, first.contributions, path);
      assert.ok(items.every(({ repository }) => repository === `${engines.name}/${name}`));
    }
  });

  it('sends one 404 for unknown and hidden people', async () => {
    const [first] = listContributors(shared.simulator.world, engines.name);
    const login = first?.login ?? assert.fail();
    const path = (name: string) => `${engines.name}/contributors/${name}/evidence`;
    const absent = await shared.service.get(path('no-such-person'));
    await shared.service.database.pool.query('update accounts set hidden = true where name = $1', [login]);
    const hidden = await shared.service.get(path(login));
    assert.deepEqual([absent.status, hidden.status], [404, 404]);
    assert.equal(absent.text, hidden.text);
  });
});
