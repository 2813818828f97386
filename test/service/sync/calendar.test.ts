import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outbox, webhookSecret } from '../../../simulators/github/deliver.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import { listDays } from '../../../simulators/world/expected-totals.ts';
import { createTestDatabase } from '../../database.ts';
import { readAllTables } from '../../e2e/access/state.ts';
import { sendDelivery } from '../../e2e/raw-request.ts';
import type { ServiceResponse } from '../../e2e/service.ts';
import { decode } from '../../integration/access/forge-token.ts';
import { ada, bearer, jsonRequest, keeper, serviceToken } from '../../integration/access/owner.ts';
import { clock, until } from '../../time.ts';
import { startSteppedService } from './stepped-service.ts';

const toCalendar = (name: string): string => `${name}/contributions?format=svg&card=calendar`;
const inCollected = 'Public contributions · in repositories collected here';
const dayMs = 86_400_000;

/** Returns the total in the headline and the coverage below the days. */
function readCard({ text }: ServiceResponse): { total: number; coverage: string } {
  const total = /<title[^>]*>[^<]*: ([\d,]+) contributions? in the last year</.exec(text)?.[1] ?? '';
  const texts = [...text.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text = '']) => text);
  return {
    total: Number(total.replaceAll(',', '') || Number.NaN),
    coverage: (texts.find((text) => text.startsWith('Public ')) ?? '').replace(/ · as of [A-Z][a-z]+ \d+, \d{4}$/, ''),
  };
}

/** Returns the number of contributions in the weeks that GitHub shows. */
function toTotal({ world }: Simulator, login: string, now: Date, { withPrivate }: { withPrivate: boolean }): number {
  const last = Date.parse(now.toISOString().slice(0, 10));
  const yearAgo = last - 365 * dayMs;
  const first = new Date(yearAgo - new Date(yearAgo).getUTCDay() * dayMs).toISOString().slice(0, 10);
  return listDays(world)
    .filter(
      ({ login: accountLogin, day, isPrivate }) =>
        accountLogin === login && day >= first && (withPrivate || !isPrivate),
    )
    .flatMap(({ commits, issues, pull_requests, reviews, discussions }) => [
      commits,
      issues,
      pull_requests,
      reviews,
      discussions,
    ])
    .reduce((sum, count) => sum + count, 0);
}

const requestsFor = (simulator: Simulator, name: string): number =>
  simulator.requests.filter((request) => request.name === name).length;

describe("fetching of GitHub's calendars", () => {
  it('fetches a calendar once for all callers, with nothing else, and draws it', async () => {
    const { now } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startSteppedService({ simulator, now });
    await service.getAfterWork(ada.name);
    const getAll = (): Promise<ServiceResponse[]> =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) => service.get(`${toCalendar(ada.name)}&width=${700 + index}`)),
      );
    await getAll();
    await service.work();
    for (const response of await getAll()) {
      assert.equal(response.status, 200);
      const total = toTotal(simulator, ada.name, now(), { withPrivate: true });
      assert.deepEqual(readCard(response), { total, coverage: 'Public and private contributions' });
      // The user may stop publishing private contributions: no shared cache keeps them for long.
      assert.equal(response.headers.get('cache-control'), 'public, max-age=60');
    }
    assert.deepEqual([requestsFor(simulator, 'Calendar'), requestsFor(simulator, 'OwnedRepositories')], [1, 0]);

    await service.getAfterWork(keeper.name);
    const open = await service.getAfterWork(toCalendar(keeper.name));
    const total = toTotal(simulator, keeper.name, now(), { withPrivate: false });
    assert.deepEqual(readCard(open), { total, coverage: 'Public contributions' });
    assert.match(open.headers.get('cache-control') ?? '', /^public, max-age=60, stale-while-revalidate=\d+$/);
    assert.notEqual(total, toTotal(simulator, keeper.name, now(), { withPrivate: true }));
  });

  it('follows deliveries, and shows the stored calendar while a new one is fetched, or cannot be', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startSteppedService({
      simulator,
      now,
      settings: { GITHUB_WEBHOOK_SECRET: webhookSecret },
    });
    const { world } = simulator;
    const notes = world.repository(ada.name, 'notes') ?? assert.fail();
    const author = world.accountByLogin(ada.name) ?? assert.fail();
    await service.getAfterWork(ada.name);
    const before = await service.getAfterWork(toCalendar(ada.name));
    const sent = outbox(simulator);
    addIssue(world, notes, { author });
    for (const delivery of sent) await sendDelivery(service, 'github', delivery);
    await service.work();
    const first = await service.getAfterWork(toCalendar(ada.name));
    assert.equal(readCard(first).total, readCard(before).total + 1, 'the delivered issue is counted');
    addIssue(world, notes, { author });
    advance(3601);
    assert.equal((await service.get(toCalendar(ada.name))).text, first.text);
    const second = await service.getAfterWork(toCalendar(ada.name));
    assert.equal(readCard(second).total, readCard(first).total + 1, 'the new issue is counted');
    for (const kind of ['unavailable', 'primary_limit', 'malformed'] as const) {
      simulator.faults.clear();
      simulator.faults.add({ kind, on: 'Calendar', times: 1000 });
      advance(3700);
      const requestCount = requestsFor(simulator, 'Calendar');
      assert.equal((await service.get(toCalendar(ada.name))).text, second.text, kind);
      await service.work();
      assert.ok(requestsFor(simulator, 'Calendar') > requestCount, kind);
      assert.equal((await service.get(toCalendar(ada.name))).text, second.text, kind);
    }
  });

  it('shows days of collected repositories instead when no token is certain to see only public data', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using database = await createTestDatabase();
    const { url: databaseUrl } = database;
    {
      await using before = await startSteppedService({ simulator, now, databaseUrl });
      await before.getAfterWork(ada.name);
      assert.equal(
        readCard(await before.getAfterWork(toCalendar(ada.name))).coverage,
        'Public and private contributions',
      );
    }
    await using service = await startSteppedService({ simulator, now, databaseUrl, tokens: ['organization_admin'] });
    advance(3700);
    await service.getAfterWork(toCalendar(ada.name));
    advance(6);
    const response = await service.getAfterWork(toCalendar(ada.name));
    assert.equal(readCard(response).coverage, inCollected);
    assert.match(response.headers.get('cache-control') ?? '', /^public, max-age=60, stale-while-revalidate=\d+$/);
    const { rows } = await service.database.pool.query('select from calendars');
    assert.equal(rows.length, 0);
  });

  it('exports a calendar with its account, and erases it, also one that is being fetched', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startSteppedService({ simulator });
    const token = await serviceToken(service, simulator, ada);
    const id = String(decode(token).payload['sub']);
    await service.getAfterWork(ada.name);
    const { total } = readCard(await service.getAfterWork(toCalendar(ada.name)));
    const exported = await service.get(`${ada.name}/export`, bearer(token));
    const line =
      exported.text.split('\n').find((candidate) => candidate.startsWith('{"type" : "calendar"')) ?? assert.fail();
    const { data } = JSON.parse(line) as { data: { total: number; counts: number[] } };
    assert.equal(data.total, total);
    assert.equal(
      data.counts.reduce((sum, count) => sum + count, 0),
      total,
    );
    const { pool } = service.database;
    const stored = async (table: string): Promise<number> => (await pool.query(`select from ${table}`)).rows.length;
    assert.equal(await stored('calendars'), 1);
    // A calendar that arrives after its account was erased is not stored.
    await pool.query("update calendars set fetched_at = '2000-01-01'");
    simulator.faults.add({ kind: 'slow', delayMs: 700, on: 'Calendar' });
    const requestCount = requestsFor(simulator, 'Calendar');
    const working = service.get(`${toCalendar(ada.name)}&width=500`);
    await until(
      async () => (requestsFor(simulator, 'Calendar') > requestCount ? true : undefined),
      'it is fetched again',
    );
    assert.equal((await service.get(ada.name, jsonRequest('DELETE', token))).status, 204);
    await working;
    assert.equal(await stored('calendars'), 0);
    assert.ok(!(await readAllTables(service)).includes(id));
  });
});
