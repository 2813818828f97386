import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toCounters } from '../../../simulators/world/expected-totals.ts';
import { ada, bearer, engines, keeper, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';

interface Body {
  meta_data: Record<string, unknown>;
  data: { contributions: Record<string, number>; window: { since: string; until: string } }[];
  error?: { code: number };
}

describe('endpoint 2 with a window', () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now } });
  const get = async (path: string) => {
    const { status, text } = await shared.service.get(path);
    return { status, text, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Body };
  };

  it('counts an organization in a window, and repeats the window as instants', async () => {
    const { body } = await get(`${engines.name}/contributions?period=2026-Q1&time_zone=Europe/Berlin`);
    const window = { since: '2025-12-31T23:00:00Z', until: '2026-03-31T22:00:00Z', time_zone: 'Europe/Berlin' };
    const { meta_data: metadata, data } = body;
    assert.deepEqual([metadata['window'], metadata['source']], [window, 'collected']);
    const range = { since: new Date(window.since), until: new Date(window.until) };
    const {
      stars: _stars,
      discussions_answered: _answered,
      ...expected
    } = toCounters(shared.simulator.world, engines.name, undefined, range);
    const { stars: _given, discussions_answered: _accepted, ...counted } = data[0]?.contributions ?? {};
    assert.deepEqual(counted, expected);
    assert.deepEqual(data[0]?.window, window);
  });

  it('keeps the lifetime experience, level and counters', async () => {
    const lifetime = await get(`${ada.name}/contributions`);
    const windowed = await get(`${ada.name}/contributions?period=previous-month`);
    const [lifetimeItem] = lifetime.body.data;
    const [windowedItem] = windowed.body.data;
    assert.deepEqual(
      { ...windowedItem, contributions: null, window: null },
      { ...lifetimeItem, contributions: null, window: null },
    );
    assert.equal('window' in (lifetimeItem ?? {}), false);
    assert.equal('window' in lifetime.body.meta_data, false);
  });

  it('returns a series, newest first', async () => {
    const { body } = await get(`${engines.name}/contributions?period=this-month&limit=12`);
    const windows = body.data.map(({ window }) => window);
    assert.equal(windows.length, 12);
    assert.equal(windows[0]?.since, '2026-06-01T00:00:00Z');
    assert.equal(windows[11]?.since, '2025-07-01T00:00:00Z');
    for (const [index, { until }] of windows.slice(1).entries()) assert.equal(until, windows[index]?.since);
  });

  it('names the counters of a user that the host counts and the collected data lacks', async () => {
    const { database } = shared.service;
    await database.pool.query(
      `update counters set commits = commits + 5 from accounts a where a.id = account_id and a.name = $1`,
      [ada.name],
    );
    const { body } = await get(`${ada.name}/contributions?period=2025`);
    assert.ok((body.meta_data['missing'] as string[]).includes('commits'));
    assert.equal(body.meta_data['complete'], false);
    assert.equal((body.meta_data['missing'] as string[]).includes('issues'), false);
  });

  it('refuses invalid windows before the account is looked up', async () => {
    for (const query of [
      'period=2026-13',
      'since=2026-02-30',
      'since=2026-06-02&until=2026-06-01',
      'time_zone=Berlin',
    ]) {
      const { status, body } = await get(`nobody-knows-this/contributions?${query}`);
      assert.equal(status, 400, query);
      assert.equal(body.error?.code, 3, query);
    }
  });

  it('refuses a series of an open window, and cursors', async () => {
    assert.equal((await get(`${ada.name}/contributions?since=2026-01-01&limit=2`)).status, 400);
    const { body } = await get(`${ada.name}/contributions?period=this-month&after=x`);
    assert.equal(body.error?.code, 3);
  });

  it('widens windows with published private numbers to whole days for callers without a token', async () => {
    const { service, simulator } = shared;
    const path = `${keeper.name}/contributions?private=true&since=2026-02-03T10:00:00Z&until=2026-02-05T11:00:00%2B02:00`;
    const token = await serviceToken(service, simulator, keeper);
    const own = JSON.parse((await service.get(path, bearer(token))).text) as Body;
    assert.deepEqual(own.meta_data['window'], {
      since: '2026-02-03T10:00:00Z',
      until: '2026-02-05T09:00:00Z',
      time_zone: 'UTC',
    });
    await service.database.pool.query('update accounts set publishes_private = true where name = $1', [keeper.name]);
    const { body } = await get(`${path}&v=2`);
    assert.equal(body.meta_data['includes_private'], true);
    assert.deepEqual(body.meta_data['window'], {
      since: '2026-02-03T00:00:00Z',
      until: '2026-02-06T00:00:00Z',
      time_zone: 'UTC',
    });
  });

  it('draws a card of the window', async () => {
    const { status, text } = await get(`${engines.name}/contributions?format=svg&period=2025`);
    assert.equal(status, 200);
    assert.match(text, /^<svg/);
    const misspelled = await get(`${engines.name}/contributions?format=svg&period=last-31d`);
    assert.match(misspelled.text, /last-30d/);
  });
});
