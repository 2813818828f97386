import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { outbox, webhookSecret } from '../../../simulators/github/deliver.ts';
import { type Simulator, startSimulator } from '../../../simulators/github/simulator.ts';
import { addIssue } from '../../../simulators/world/activity.ts';
import { daysOf } from '../../../simulators/world/expected-totals.ts';
import { createTestDatabase } from '../../database.ts';
import { decode } from '../../integration/access/forging.ts';
import { ada, bearer, keeper, sending, serviceToken } from '../../integration/access/owner.ts';
import { clock, until } from '../../time.ts';
import { everythingStored, untilIdle } from '../access/state.ts';
import { sendDelivery } from '../raw-request.ts';
import { type ServiceResponse, startTestService } from '../service.ts';

const calendarOf = (name: string): string => `${name}/contributions?format=svg&card=calendar`;
const inCollected = 'In repositories collected here';
const dayMs = 86_400_000;

/** Returns the total in the headline and the coverage below the days. */
function readCard({ text }: ServiceResponse): { total: number; coverage: string } {
  const total = /<title[^>]*>[^<]*: ([\d,]+) contributions? in the last year</.exec(text)?.[1] ?? '';
  const texts = [...text.matchAll(/<text[^>]*>([^<]*)</g)].map(([, said = '']) => said);
  return {
    total: Number(total.replaceAll(',', '') || Number.NaN),
    coverage: texts.find((said) => /contributions$|collected|counting/.test(said) && !/in the last/.test(said)) ?? '',
  };
}

/** Returns the number of contributions in the weeks that GitHub shows. */
function totalOf({ world }: Simulator, login: string, now: Date, { withPrivate }: { withPrivate: boolean }): number {
  const last = Date.parse(now.toISOString().slice(0, 10));
  const yearAgo = last - 365 * dayMs;
  const first = new Date(yearAgo - new Date(yearAgo).getUTCDay() * dayMs).toISOString().slice(0, 10);
  return daysOf(world)
    .filter(({ login: who, day, isPrivate }) => who === login && day >= first && (withPrivate || !isPrivate))
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

describe('the calendar card', () => {
  it("shows GitHub's calendar of a user, fetches it once for all callers, and collects nothing for it", async () => {
    const { now } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startTestService({ simulator, now, settings: { LOOKUP_BUDGET_MS: '30000' } });
    simulator.faults.add({ kind: 'slow', delayMs: 300, on: 'Calendar' });
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, index) => service.get(`${calendarOf(ada.name)}&width=${700 + index}`)),
    );
    for (const response of responses) {
      assert.equal(response.status, 200);
      const total = totalOf(simulator, ada.name, now(), { withPrivate: true });
      assert.deepEqual(readCard(response), { total, coverage: 'Public and private contributions' });
      // The user may stop publishing private contributions: no shared cache keeps them for long.
      assert.equal(response.headers.get('cache-control'), 'public, max-age=60');
    }
    assert.deepEqual([requestsFor(simulator, 'Calendar'), requestsFor(simulator, 'OwnedRepositories')], [1, 0]);

    const open = await service.get(calendarOf(keeper.name));
    const total = totalOf(simulator, keeper.name, now(), { withPrivate: false });
    assert.deepEqual(readCard(open), { total, coverage: 'Public contributions' });
    assert.match(open.headers.get('cache-control') ?? '', /^public, max-age=60, stale-while-revalidate=\d+$/);
    assert.notEqual(total, totalOf(simulator, keeper.name, now(), { withPrivate: true }));
  });

  it('follows deliveries, shows a stale calendar while it fetches a new one, and keeps the last good one', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using service = await startTestService({
      simulator,
      now,
      settings: { GITHUB_WEBHOOK_SECRET: webhookSecret },
    });
    const notes = simulator.world.repository(ada.name, 'notes') ?? assert.fail();
    const author = simulator.world.accountByLogin(ada.name) ?? assert.fail();
    const before = await service.get(calendarOf(ada.name));
    const sent = outbox(simulator);
    addIssue(simulator.world, notes, { author });
    for (const delivery of sent) await sendDelivery(service, 'github', delivery);
    const first = await until(async () => {
      const response = await service.get(calendarOf(ada.name));
      return readCard(response).total === readCard(before).total + 1 ? response : undefined;
    }, 'the delivered issue is counted');
    await untilIdle(service);
    addIssue(simulator.world, notes, { author });
    advance(3601);
    assert.equal((await service.get(calendarOf(ada.name))).text, first.text);
    const second = await until(async () => {
      const response = await service.get(calendarOf(ada.name));
      return readCard(response).total === readCard(first).total + 1 ? response : undefined;
    }, 'the new issue is counted');
    for (const kind of ['unavailable', 'primary_limit', 'malformed'] as const) {
      simulator.faults.clear();
      simulator.faults.add({ kind, on: 'Calendar', times: 1000 });
      advance(3700);
      const requestCount = requestsFor(simulator, 'Calendar');
      assert.equal((await service.get(calendarOf(ada.name))).text, second.text, kind);
      await until(
        async () => (requestsFor(simulator, 'Calendar') > requestCount ? true : undefined),
        `${kind} strikes`,
      );
      await untilIdle(service);
      assert.equal((await service.get(calendarOf(ada.name))).text, second.text, kind);
    }
  });

  it('draws days of collected repositories when no token is certain to see only public data', async () => {
    const { now, advance } = clock();
    await using simulator = await startSimulator({ now, repositories: 1 });
    await using database = await createTestDatabase();
    const { url: databaseUrl } = database;
    {
      await using before = await startTestService({ simulator, now, databaseUrl });
      assert.equal(readCard(await before.get(calendarOf(ada.name))).coverage, 'Public and private contributions');
    }
    await using service = await startTestService({ simulator, now, databaseUrl, tokens: ['organization_admin'] });
    advance(3700);
    const response = await until(async () => {
      advance(6);
      const seen = await service.get(calendarOf(ada.name));
      return readCard(seen).coverage === inCollected ? seen : undefined;
    }, 'days are those of collected repositories');
    assert.match(response.headers.get('cache-control') ?? '', /^public, max-age=60, stale-while-revalidate=\d+$/);
    const { rows } = await service.database.pool.query('select from calendars');
    assert.equal(rows.length, 0);
  });

  it('includes a calendar in the export, and erases it with its account', async () => {
    await using simulator = await startSimulator({ repositories: 1 });
    await using service = await startTestService({ simulator });
    const token = await serviceToken(service, simulator, ada);
    const id = String(decode(token).payload['sub']);
    const { total } = readCard(await service.get(calendarOf(ada.name)));
    const exported = await service.get(`${ada.name}/export`, bearer(token));
    const line = exported.text.split('\n').find((one) => one.startsWith('{"type" : "calendar"')) ?? assert.fail();
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
    await service.get(`${calendarOf(ada.name)}&width=500`);
    await until(
      async () => (requestsFor(simulator, 'Calendar') > requestCount ? true : undefined),
      'it is fetched again',
    );
    assert.equal((await service.get(ada.name, sending('DELETE', token))).status, 204);
    // The job itself runs on.
    await until(async () => ((await stored('graphile_worker.jobs')) === 0 ? true : undefined), 'the job has ended');
    assert.equal(await stored('calendars'), 0);
    assert.ok(!(await everythingStored(service)).includes(id));
  });
});
