import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findByName } from '../../../src/accounts/store.ts';
import { calendarJob } from '../../../src/contributions/items/jobs.ts';
import { failLookup } from '../../../src/database/queue/lookups.ts';
import { contributionKinds, namesOfKinds } from '../../../src/model/kinds.ts';
import { ada, engines, keeper } from '../../integration/access/owner.ts';
import { makeContribution, storeContributions } from '../../integration/contributions/stored-repository.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';

const people = [ada.name, engines.name, keeper.name];

describe('days in a time zone', () => {
  const { now } = clock();
  const shared = shareStoredService({
    simulator: { now },
    service: { now, tokens: ['public_only'], settings: { LOOKUP_BUDGET_MS: '100' } },
  });
  const findId = async (name: string): Promise<string> => {
    const holder = await findByName(shared.service.database.connection, 'github', name);
    return holder?.account.id ?? assert.fail(name);
  };
  /** Stores that GitHub has no calendar of an account, so that its days are collected ones. */
  const withoutCalendar = async (name: string): Promise<void> => {
    const until = new Date(now().getTime() + 3_600_000);
    await failLookup(
      shared.service.database.connection,
      calendarJob(await findId(name)).key,
      { state: 'absent' },
      until,
    );
  };
  const describeCard = async (name: string, card: 'calendar' | 'streak', query: string): Promise<string> => {
    const { status, text } = await shared.service.get(`${name}/contributions?format=svg&card=${card}&${query}`);
    assert.equal(status, 200, text);
    return /<desc[^>]*>(.*?)</s.exec(text)?.[1] ?? text;
  };

  for (const name of people) {
    it(`have the contributions that the counters of the same window have: ${name}`, async () => {
      await withoutCalendar(name);
      for (const window of [
        'since=2025-06-16&until=2026-06-15',
        'period=2026-04&time_zone=Asia/Kolkata',
        'period=2025&time_zone=America/New_York',
        'period=2026-Q1&time_zone=Australia/Lord_Howe',
      ]) {
        const { body } = await shared.service.get(`${name}/contributions?${window}`);
        const counters: Record<string, number> = Object(body.data[0]).contributions;
        const sum = namesOfKinds(contributionKinds).reduce((total, counter) => total + (counters[counter] ?? 0), 0);
        const drawn = await describeCard(name, 'calendar', window);
        assert.match(drawn, new RegExp(`^${sum.toLocaleString('en')} contributions? ·`), window);
      }
    });
  }

  it('make the streaks of a person, wherever the days of UTC end', async () => {
    const { connection, pool } = shared.service.database;
    await withoutCalendar(ada.name);
    const { rows } = await pool.query<{ id: string }>("select id from repositories where name = 'engine-1'");
    const author = await findId(ada.name);
    const moments = ['2026-06-12T10:00Z', '2026-06-12T20:00Z', '2026-06-13T20:00Z', '2026-06-14T20:00Z'];
    const issues = moments.map((moment) => {
      const at = new Date(moment);
      return makeContribution({ externalId: moment, author, createdAt: at, updatedAt: at });
    });
    await storeContributions(connection, rows[0]?.id ?? assert.fail(), issues);
    const window = 'since=2026-06-12&until=2026-06-15';
    assert.match(await describeCard(ada.name, 'streak', window), /^Current streak: 3 days \(Jun 12 – 14, 2026\)/);
    const zone = 'time_zone=Asia/Kolkata';
    const expected = /^Current streak: 4 days \(Jun 12 – 15, 2026\)/;
    assert.match(await describeCard(ada.name, 'streak', `${window}&${zone}`), expected);
    assert.match(await describeCard(ada.name, 'streak', zone), /^Current streak: \d+ days \([^)]*15, 2026\)/);
  });
});
