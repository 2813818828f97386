import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findByName } from '../../../src/accounts/store.ts';
import { saveReportedCalendar } from '../../../src/contributions/calendar/calendar-store.ts';
import { calendarJob, fetchWindowJob } from '../../../src/contributions/items/jobs.ts';
import { saveReportedWindow } from '../../../src/contributions/windows/counted-window-store.ts';
import { failLookup, type Outcome } from '../../../src/database/queue/lookups.ts';
import { ada } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';

interface Series {
  meta_data: { missing?: string[]; source: string; includes_private: boolean };
  data: { contributions: Record<string, number>; source: string; calendar_total?: number; window: { since: string } }[];
}

/** The days of GitHub's calendar: from Sunday, 15 June 2025 up to the present one. */
const firstDay = '2025-06-15';
const days = 366;

describe('series of users whose contributions are not collected', () => {
  const { now } = clock();
  const shared = shareStoredService({
    simulator: { now },
    service: { now, tokens: ['public_only'], settings: { LOOKUP_BUDGET_MS: '100' } },
  });
  const findId = async (): Promise<string> => {
    const holder = await findByName(shared.service.database.connection, 'github', ada.name);
    return holder?.account.id ?? assert.fail();
  };
  /** Stores that GitHub counts more than is collected, that nothing is collected, and the outcome of lookups. */
  const prepare = async (outcome: Outcome): Promise<void> => {
    const { connection, pool } = shared.service.database;
    await pool.query('delete from contribution_days');
    await pool.query('delete from contributions');
    await pool.query('delete from calendars');
    await pool.query('delete from reported_windows');
    await pool.query('update counters set commits = commits + 100, issues = issues + 100');
    const accountId = await findId();
    const until = new Date(now().getTime() + 3_600_000);
    await failLookup(connection, calendarJob(accountId).key, outcome, until);
    for (const range of [
      { first: '2026-06-01', last: '2026-06-15' },
      { first: '2026-06-08', last: '2026-06-14' },
      { first: '2026-06-15', last: '2026-06-15' },
    ]) {
      await failLookup(connection, fetchWindowJob({ accountId, ...range }).key, outcome, until);
    }
  };
  const storeCalendar = async (includesPrivate = false): Promise<void> => {
    const counts = Array.from({ length: days }, (_, index) => index % 7);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const calendar = { firstDay, counts, total, includesPrivate, fetchedAt: now() };
    await saveReportedCalendar(shared.service.database.connection, await findId(), calendar);
  };
  const sumFrom = (first: string, last: string): number => {
    const place = (day: string): number => (Date.parse(day) - Date.parse(firstDay)) / 86_400_000;
    let sum = 0;
    for (let index = place(first); index <= Math.min(place(last), days - 1); index += 1) sum += index % 7;
    return sum;
  };
  let number = 0;
  const read = async (query: string): Promise<Series> => {
    // Stored responses do not know what a test changes in the database.
    const { status, text } = await shared.service.get(`${ada.name}/contributions?${query}&v=${(number += 1)}`);
    assert.equal(status, 200, text);
    return JSON.parse(text) as Series;
  };
  const drawn = async (query: string): Promise<string> => {
    const { status, text } = await shared.service.get(
      `${ada.name}/contributions?format=svg&show=trend&${query}&radius=${(number += 1) % 30}`,
    );
    assert.equal(status, 200, text);
    return /<desc[^>]*>(.*?)</s.exec(text)?.[1] ?? text;
  };

  it("have the sums of GitHub's calendar, and a dash for each window of which it lacks days", async () => {
    await prepare({ state: 'absent' });
    await storeCalendar();
    const { meta_data: metadata, data } = await read('period=this-month&limit=14');
    const totals = data.map(({ calendar_total: total }) => total);
    const months = data.map(({ window }) => window.since.slice(0, 7));
    const toEnd = (month: string): string =>
      new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10);
    const expected = months.map((month) => (month < '2025-07' ? undefined : sumFrom(`${month}-01`, toEnd(month))));
    assert.deepEqual(totals, expected);
    assert.ok(['commits', 'issues'].every((name) => metadata.missing?.includes(name)));
    const bars = expected.toReversed().map((total) => total ?? '–');
    const text = await drawn('period=this-month&limit=14');
    assert.ok(text.includes(bars.join(', ')), text);
    assert.match(text, /calendar/);
  });

  for (const [name, query] of [
    ['days', 'since=2026-06-15&until=2026-06-15&limit=20'],
    ['weeks in a time zone', 'period=previous-week&limit=8&time_zone=Asia/Kolkata'],
  ] as const) {
    it(`have the sums of GitHub's calendar for ${name}`, async () => {
      await prepare({ state: 'absent' });
      await storeCalendar();
      const { data } = await read(query);
      assert.ok(data.every(({ calendar_total: total }) => total !== undefined));
      assert.ok(data.some(({ calendar_total: total = 0 }) => total > 0));
      const values = data.map(({ calendar_total: total }) => total).toReversed();
      assert.ok((await drawn(query)).includes(`: ${values.join(', ')}.`));
    });
  }

  it('draw dashes in place of zeros without a calendar', async () => {
    await prepare({ state: 'absent' });
    const { data } = await read('period=this-month&limit=12');
    assert.ok(data.every((item) => !('calendar_total' in item)));
    assert.ok(
      (await drawn('period=this-month&limit=12')).includes(`: ${Array.from({ length: 12 }, () => '–').join(', ')}.`),
    );
  });

  it("name the private contributions of GitHub's calendar", async () => {
    await prepare({ state: 'absent' });
    await storeCalendar(true);
    assert.equal((await read('period=this-month&limit=3')).meta_data.includes_private, true);
  });

  it("have GitHub's own counters of the windows of which they are stored, as each window alone has", async () => {
    await prepare({ state: 'absent' });
    await storeCalendar();
    const { connection } = shared.service.database;
    const counters = { commits: 40, issues: 3, pull_requests: 2, reviews: 1 };
    for (const range of [
      { first: '2026-06-01', last: '2026-06-15' },
      { first: '2026-04-01', last: '2026-04-30' },
    ]) {
      await saveReportedWindow(connection, await findId(), range, { counters, fetchedAt: now() });
    }
    const { meta_data: metadata, data } = await read('period=this-month&limit=3');
    assert.deepEqual(
      data.map(({ source }) => source),
      ['host', 'collected', 'host'],
    );
    assert.equal(metadata.source, 'host');
    for (const [index, period] of [
      [0, 'this-month'],
      [2, '2026-04'],
    ] as const) {
      const alone = await read(`period=${period}`);
      assert.deepEqual(data[index]?.contributions, alone.data[0]?.contributions);
    }
    assert.match(await drawn('period=this-month&limit=3'), /Commits: 40, /);
  });
});
