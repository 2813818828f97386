import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listDays } from '../../../simulators/world/expected-totals.ts';
import { findByName } from '../../../src/accounts/store.ts';
import { saveReportedCalendar } from '../../../src/contributions/calendar/calendar-store.ts';

import { calendarJob } from '../../../src/contributions/items/jobs.ts';
import { announce } from '../../../src/database/queue/announcements.ts';
import { failLookup, type Outcome } from '../../../src/database/queue/lookups.ts';
import { AppError } from '../../../src/model/errors.ts';
import type { TestService } from '../../e2e/service.ts';
import { ada, bearer, engines, keeper, serviceToken } from '../../integration/access/owner.ts';
import { clock } from '../../time.ts';
import { shareStoredService } from '../http/stored-service.ts';

const toCalendar = (name: string): string => `${name}/contributions?format=svg&card=calendar`;
const inCollected = 'Public contributions · in repositories collected here';
const final = /^public, max-age=60, stale-while-revalidate=\d+$/;

/** Requests a calendar. @returns its total, the coverage below the days, and for how long caches keep it. */
async function draw(service: TestService, path: string, init?: RequestInit) {
  const { status, text, headers } = await service.get(path, init);
  assert.equal(status, 200, text);
  const total = /<title[^>]*>[^<]*: ([\d,]+) contributions? in the last year</.exec(text)?.[1] ?? '';
  const texts = [...text.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text = '']) => text);
  return {
    total: Number(total.replaceAll(',', '') || Number.NaN),
    coverage: (texts.find((text) => text.startsWith('Public ')) ?? '').replace(/ · as of [A-Z][a-z]+ \d+, \d{4}$/, ''),
    cacheControl: headers.get('cache-control') ?? '',
    text,
  };
}

async function findId({ database }: TestService, name: string): Promise<string> {
  const holder = await findByName(database.connection, 'github', name);
  return holder?.account.id ?? assert.fail(name);
}

describe('the calendar card', () => {
  const { now } = clock();
  const shared = shareStoredService({
    simulator: { now },
    service: { now, tokens: ['public_only'], settings: { LOOKUP_BUDGET_MS: '100' } },
  });

  const endLookup = async (name: string, outcome: Outcome): Promise<void> => {
    const { connection } = shared.service.database;
    const until = new Date(now().getTime() + 3_600_000);
    await failLookup(connection, calendarJob(await findId(shared.service, name)).key, outcome, until);
  };
  const report = async (name: string, includesPrivate: boolean): Promise<void> => {
    const calendar = { firstDay: '2026-06-01', counts: [1, 0, 3], total: 4, includesPrivate, fetchedAt: now() };
    await saveReportedCalendar(shared.service.database.connection, await findId(shared.service, name), calendar);
  };

  it('draws collected days, and marks them as not final, until GitHub has returned a calendar', async () => {
    const collected = await draw(shared.service, toCalendar(ada.name));
    const days = listDays(shared.simulator.world).filter(
      ({ login, day, isPrivate }) => login === ada.name && !isPrivate && day > '2025-06-15' && day <= '2026-06-15',
    );
    const counts = days.flatMap((day) => [day.commits, day.issues, day.pull_requests, day.reviews, day.discussions]);
    assert.equal(
      collected.total,
      counts.reduce((sum, count) => sum + count, 0),
    );
    assert.equal(collected.coverage, `${inCollected} · still counting`);
    assert.equal(collected.cacheControl, 'public, max-age=5');
    const error = new AppError('provider_unavailable', 'GitHub cannot be reached.');
    await endLookup(ada.name, { state: 'failed', error });
    const failed = await draw(shared.service, `${toCalendar(ada.name)}&v=2`);
    assert.deepEqual([failed.coverage, failed.cacheControl], [collected.coverage, collected.cacheControl]);
    // Nothing is drawn before the repositories are listed.
    await shared.service.database.pool.query('update accounts set listed_at = null where name = $1', ['person-1']);
    assert.match((await draw(shared.service, toCalendar('person-1'))).text, />Collecting</);
  });

  it('draws collected days as final when GitHub shows no calendar', async () => {
    await endLookup('person-2', { state: 'absent' });
    const drawn = await draw(shared.service, toCalendar('person-2'));
    assert.equal(drawn.coverage, inCollected);
    assert.match(drawn.cacheControl, final);
  });

  it("draws GitHub's calendar, and keeps one with private contributions for a minute alone", async () => {
    await report(ada.name, true);
    const published = await draw(shared.service, `${toCalendar(ada.name)}&width=600`);
    assert.deepEqual([published.total, published.coverage], [4, 'Public and private contributions']);
    assert.equal(published.cacheControl, 'public, max-age=60');
    await report('person-3', false);
    const open = await draw(shared.service, toCalendar('person-3'));
    assert.deepEqual([open.total, open.coverage], [4, 'Public contributions']);
    assert.match(open.cacheControl, final);
  });

  it("draws collected days in an owner's calendar with private contributions", async () => {
    await report(keeper.name, false);
    const token = await serviceToken(shared.service, shared.simulator, keeper);
    const own = await draw(shared.service, `${toCalendar(keeper.name)}&private=true`, bearer(token));
    assert.equal(own.coverage, 'Public and private contributions · in repositories collected here');
    assert.equal(own.cacheControl, 'private, no-store');
    const open = await draw(shared.service, `${toCalendar(keeper.name)}&private=true`);
    assert.equal(open.coverage, 'Public contributions');
    assert.notEqual(own.total, open.total);
  });

  it("marks an organization's days as not final while its repositories are being collected", async () => {
    const { connection, pool } = shared.service.database;
    const id = await findId(shared.service, engines.name);
    const owned = 'where repository_id in (select id from repositories where owner_id = $1)';
    await pool.query(`update streams set completed_at = null ${owned}`, [id]);
    await announce(connection, { kind: 'account', key: id });
    const early = await draw(shared.service, toCalendar(engines.name));
    assert.equal(early.coverage, `${inCollected} · still counting`);
    assert.equal(early.cacheControl, 'public, max-age=5');
    await pool.query(`update streams set completed_at = $2 ${owned}`, [id, now()]);
    await announce(connection, { kind: 'account', key: id });
    const drawn = await draw(shared.service, `${toCalendar(engines.name)}&v=2`);
    assert.equal(drawn.coverage, inCollected);
    assert.match(drawn.cacheControl, final);
  });

  it('gives the card of streaks its days, with days off, weeks and the present day of a time zone', async () => {
    const { service } = shared;
    // Monday to Friday of the week before the present Monday.
    const week = { firstDay: '2026-06-08', counts: [1, 1, 1, 1, 1, 0, 0], total: 5, includesPrivate: false };
    await saveReportedCalendar(service.database.connection, await findId(service, ada.name), {
      ...week,
      fetchedAt: now(),
    });
    await announce(service.database.connection, { kind: 'account', key: await findId(service, ada.name) });
    const streaks = async (query: string): Promise<string> => {
      const { text } = await service.get(`${ada.name}/contributions?format=svg&card=streak${query}`);
      return /<desc[^>]*>(.*?) · as of/.exec(text)?.[1] ?? text;
    };
    assert.equal(
      await streaks(''),
      'Current streak: 0 days. Longest streak: 5 days (Jun 8 – 12, 2026). Public contributions',
    );
    assert.match(
      await streaks('&days_off=sat,sun'),
      /^Current streak: 5 days \(Jun 8 – 12, 2026\)\..* Days off: Sat, Sun · /,
    );
    // In that time zone, the present Monday is over.
    assert.match(await streaks('&days_off=sat,sun&time_zone=Pacific/Kiritimati'), /^Current streak: 0 days\./);
    assert.match(await streaks('&by=week'), /^Current streak: 1 week /);
    const { text } = await service.get(`${ada.name}/contributions?format=svg&card=streak&days_off=sunday`);
    assert.match(text, /<desc[^>]*>days_off must be one of mon, tue, wed, thu, fri, sat, sun\.</);
  });
});
