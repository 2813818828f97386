import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listContributors } from '../../../simulators/world/expected-totals.ts';
import { readWindow } from '../../../src/model/windows/window.ts';
import { bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';

interface Listed {
  meta_data: Record<string, unknown>;
  data: { name: string; type: string; contributions: number }[];
  next_cursor?: string;
  previous_cursor?: string;
  error?: { code: number; message: string };
}

describe('lists of contributors in a window', () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now } });
  const get = async (path: string, init?: RequestInit): Promise<{ status: number; body: Listed }> => {
    const { status, text } = await shared.service.get(path, init);
    return { status, body: JSON.parse(text) as Listed };
  };
  const numbers = ({ data }: Listed) => data.map(({ name, contributions }) => ({ login: name, contributions }));

  const windows = [
    { period: '2025' },
    { since: '2026-01-05T06:07:08Z' },
    { until: '2026-03-04', time_zone: 'Asia/Tokyo' },
    { since: '2026-02-03T04:05:06Z', until: '2026-05-06T17:18:19Z' },
    { since: '2026-05-01', until: '2026-05-01', time_zone: 'America/New_York' },
  ];
  for (const text of windows) {
    const query = new URLSearchParams(text).toString();
    it(`agree with the world for ${query}`, async () => {
      const range = readWindow(text, now()) ?? assert.fail();
      const { world } = shared.simulator;
      const { body } = await get(`${engines.name}/contributors?limit=100&${query}`);
      assert.deepEqual(numbers(body), listContributors(world, engines.name, { range }));
      assert.equal(body.meta_data['source'], 'collected');
      assert.ok(body.meta_data['window']);
    });
  }

  it('name the people alone whose first contribution is in the window', async () => {
    const { world } = shared.simulator;
    const found: string[] = [];
    const years = Array.from({ length: 10 }, (_, year) => ({
      since: `${2010 + year}-06-07T08:09:10Z`,
      until: `${2011 + year}-06-07`,
    }));
    for (const text of [...years, { since: '2026-02-03T04:05:06Z', until: '2026-05-06' }]) {
      const range = readWindow(text, now()) ?? assert.fail();
      const former = listContributors(world, engines.name, { range: { ...range, since: null, until: range.since } });
      const expected = listContributors(world, engines.name, { range }).filter(
        ({ login }) => !former.some((person) => person.login === login),
      );
      const query = new URLSearchParams(text).toString();
      const { body } = await get(`${engines.name}/contributors?limit=100&newcomers=true&${query}`);
      assert.deepEqual(numbers(body), expected, query);
      found.push(...expected.map(({ login }) => login));
    }
    assert.ok(found.length > 0, 'a window has newcomers');
    for (const open of ['', '&until=2026-03-04']) {
      const { status, body } = await get(`${engines.name}/contributors?newcomers=true${open}`);
      assert.equal(status, 400);
      assert.match(body.error?.message ?? '', /newcomers needs a window with a beginning/);
    }
  });

  it('fit together page by page, forwards and backwards', async () => {
    const all = numbers((await get(`${engines.name}/contributors?limit=100&since=2012-01-01`)).body);
    assert.ok(all.length > 5, String(all.length));
    const seen: unknown[] = [];
    let path = `${engines.name}/contributors?limit=2&since=2012-01-01`;
    let last = path;
    for (let pages = 0; pages < 100; pages += 1) {
      const { body } = await get(path);
      seen.push(...numbers(body));
      last = path;
      if (body.next_cursor === undefined) break;
      path = `${engines.name}/contributors?limit=2&since=2012-01-01&after=${body.next_cursor}`;
    }
    assert.deepEqual(seen, all);
    const { body } = await get(last);
    const before = await get(`${engines.name}/contributors?limit=2&since=2012-01-01&before=${body.previous_cursor}`);
    assert.deepEqual(numbers(before.body), all.slice(-body.data.length - 2).slice(0, 2));
    const previousPage = await get(
      `${engines.name}/contributors?limit=2&since=2012-01-02&before=${body.previous_cursor}`,
    );
    assert.equal(previousPage.status, 400);
  });

  it('count some kinds, repositories and types alone', async () => {
    const { world } = shared.simulator;
    const organization = world.accountByLogin(engines.name) ?? assert.fail();
    const repository = world.owned(organization).find(({ visibility }) => visibility === 'public');
    const name = repository?.name ?? assert.fail();
    const all = await get(`${engines.name}/contributors?limit=100`);
    const only = await get(`${engines.name}/contributors?limit=100&repositories=${name.toUpperCase()}`);
    assert.deepEqual(numbers(only.body), listContributors(world, engines.name, { repository: name }));
    const excluded = await get(
      `${engines.name}/contributors?limit=100&repositories=${name}&exclude_repositories=${name}`,
    );
    assert.deepEqual(excluded.body.data, []);
    const parts = await Promise.all(
      ['commits', 'issues,pull_requests', 'reviews,discussions'].map((kinds) =>
        get(`${engines.name}/contributors?limit=100&kinds=${kinds}`),
      ),
    );
    const sum = (bodies: Listed[]) =>
      bodies.flatMap(numbers).reduce((total, { contributions }) => total + contributions, 0);
    assert.equal(sum(parts.map(({ body }) => body)), sum([all.body]));
    const bots = await get(`${engines.name}/contributors?limit=100&type=bot`);
    const users = await get(`${engines.name}/contributors?limit=100&type=user`);
    assert.equal(sum([bots.body, users.body]), sum([all.body]));
    assert.ok(bots.body.data.every(({ type }) => type === 'bot'));
    assert.ok(users.body.data.every(({ type }) => type === 'user'));
  });

  it('list agents apart from bots and people', async () => {
    const { pool } = shared.service.database;
    const { body } = await get(`${engines.name}/contributors?limit=100&type=user`);
    const renamed = body.data[0] ?? assert.fail();
    await pool.query(`update accounts set name = 'claude', type = 'bot' where name = $1`, [renamed.name]);
    try {
      const listed = async (query: string) =>
        (await get(`${engines.name}/contributors?limit=100&v=2&${query}`)).body.data.map(({ name }) => name);
      assert.deepEqual(await listed('type=agent'), ['claude']);
      assert.ok(!(await listed('type=bot')).includes('claude'));
      assert.ok(!(await listed('type=user')).includes('claude'));
      assert.ok(!(await listed('bots=false&since=2000-01-01')).includes('claude'));
    } finally {
      await pool.query(`update accounts set name = $1, type = 'user' where name = 'claude'`, [renamed.name]);
    }
  });

  it('refuse unknown kinds, and unknown and private repositories alike', async () => {
    const unknownKind = await get(`${engines.name}/contributors?kinds=comits`);
    assert.match(unknownKind.body.error?.message ?? '', /kinds: did you mean commits\?/);
    const { world } = shared.simulator;
    const organization = world.accountByLogin(engines.name) ?? assert.fail();
    const hidden = world.owned(organization).find(({ visibility }) => visibility !== 'public')?.name ?? assert.fail();
    const bodies = await Promise.all(
      [hidden, 'no-such-repository'].map((name) => get(`${engines.name}/contributors?repositories=${name}`)),
    );
    assert.deepEqual([bodies[0]?.status, bodies[1]?.status], [404, 404]);
    assert.deepEqual(bodies[0]?.body, bodies[1]?.body);
    const many = Array.from({ length: 51 }, (_, index) => `r${index}`).join(',');
    assert.equal((await get(`${engines.name}/contributors?repositories=${many}`)).status, 400);
  });

  it('include private repositories for the owner alone', async () => {
    const token = await serviceToken(shared.service, shared.simulator, engines);
    const { world } = shared.simulator;
    const organization = world.accountByLogin(engines.name) ?? assert.fail();
    const hidden = world.owned(organization).find(({ visibility }) => visibility !== 'public')?.name ?? assert.fail();
    const { status } = await get(`${engines.name}/repositories/${hidden}/contributors?period=2025`, bearer(token));
    assert.equal(status, 200);
    assert.equal((await get(`${engines.name}/repositories/${hidden}/contributors?period=2025`)).status, 401);
  });

  it('are drawn as cards and badges', async () => {
    for (const path of [`contributors?format=svg&period=2025`, 'badges/community?period=2025', 'badges/community']) {
      const { status, text } = await shared.service.get(`${engines.name}/${path}`);
      assert.equal(status, 200, text);
      assert.match(text, /^<svg/);
    }
    const badge = (await shared.service.get(`${engines.name}/badges/community?period=2025`)).text;
    const range = readWindow({ period: '2025' }, now()) ?? assert.fail();
    const people = listContributors(shared.simulator.world, engines.name, { range }).filter(
      ({ login }) => shared.simulator.world.accountByLogin(login)?.type !== 'Bot',
    );
    assert.match(badge, new RegExp(`>${people.length}<|>${people.length} `));
  });
});
