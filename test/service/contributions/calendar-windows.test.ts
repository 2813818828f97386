import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listDays } from '../../../simulators/world/expected-totals.ts';
import { findByName } from '../../../src/accounts/store.ts';
import { saveReportedCalendar } from '../../../src/contributions/calendar/calendar-store.ts';
import { ada } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';

describe('windows of the cards of days', () => {
  const { now } = clock();
  const shared = shareStoredService({
    simulator: { now },
    service: { now, tokens: ['public_only'], settings: { LOOKUP_BUDGET_MS: '100' } },
  });

  /** Stores a calendar that GitHub reports, of 1 to 14 June 2026, with contributions on the first ten days. */
  const report = async (): Promise<void> => {
    const { connection } = shared.service.database;
    const holder = await findByName(connection, 'github', ada.name);
    const counts = Array.from({ length: 14 }, (_, index) => (index < 10 ? index + 1 : 0));
    const calendar = { firstDay: '2026-06-01', counts, total: 55, includesPrivate: false, fetchedAt: now() };
    await saveReportedCalendar(connection, holder?.account.id ?? assert.fail(), calendar);
  };

  const describeCard = async (card: 'calendar' | 'streak', query: string): Promise<string> => {
    const { service } = shared;
    const { status, text } = await service.get(`${ada.name}/contributions?format=svg&card=${card}&${query}`);
    assert.equal(status, 200, text);
    return /<desc[^>]*>(.*?)</s.exec(text)?.[1] ?? text;
  };

  it("are cut from GitHub's calendar, in any time zone", async () => {
    await report();
    assert.match(
      await describeCard('calendar', 'since=2026-06-02&until=2026-06-04'),
      /^9 contributions · Jun 2 – 4, 2026\. Public contributions · as of/,
    );
    assert.match(
      await describeCard('calendar', 'since=2026-06-02&until=2026-06-04&time_zone=Pacific/Kiritimati'),
      /^9 contributions · Jun 2 – 4, 2026\./,
    );
    assert.match(await describeCard('calendar', 'since=2026-06-16'), /^0 contributions · Jun 16, 2026\./);
    assert.match(await describeCard('calendar', 'since=2026-06-02&until=x'), /^until must be a day/);
  });

  it('have the collected days where GitHub reports others, and at most the last year of a longer window', async () => {
    await report();
    const own = listDays(shared.simulator.world).filter(({ login, isPrivate }) => login === ada.name && !isPrivate);
    const sumFrom = (first: string, last: string): number =>
      own
        .filter(({ day }) => day >= first && day <= last)
        .flatMap((day) => [day.commits, day.issues, day.pull_requests, day.reviews, day.discussions])
        .reduce((sum, count) => sum + count, 0);
    const { day } = own.find(({ day }) => day < '2026-06-01') ?? assert.fail();
    const count = sumFrom(day, day);
    assert.ok(count > 0);
    assert.match(
      await describeCard('calendar', `since=${day}&until=${day}`),
      new RegExp(`^${count} contributions? · [^.]*\\. Public contributions · in repositories collected here`),
    );
    const year = sumFrom('2025-06-01', '2026-05-31').toLocaleString('en');
    assert.match(
      await describeCard('calendar', 'since=2020-01-01&until=2026-05-31'),
      new RegExp(`^${year} contributions? · Jun 1, 2025 – May 31, 2026\\. `),
    );
  });

  it('have every day of a leap year', async () => {
    for (const [query, days] of [
      ['period=2020', 'Jan 1 – Dec 31, 2020'],
      ['since=2015-01-01&until=2024-02-29', 'Mar 1, 2023 – Feb 29, 2024'],
    ] as const) {
      assert.match(await describeCard('calendar', query), new RegExp(`^\\d+ contributions? · ${days}\\.`));
      assert.match(await describeCard('streak', query), new RegExp(` ${days} · Public`));
    }
  });

  it('have streaks of their days, the current one up to their end', async () => {
    await report();
    assert.match(
      await describeCard('streak', 'since=2026-06-03&until=2026-06-06'),
      /^Current streak: 4 days \(Jun 3 – 6, 2026\)\. Longest streak: 4 days \(Jun 3 – 6, 2026\)\. Jun 3 – 6, 2026 · Public/,
    );
    assert.match(
      await describeCard('streak', 'since=2026-06-03&until=2026-06-13'),
      /^Current streak: 0 days\. Longest/,
    );
  });
});
