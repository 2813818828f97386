import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Simulator, type SimulatorOptions, startSimulator } from '../../../../simulators/github/simulator.ts';
import type { TokenName } from '../../../../simulators/github/tokens.ts';
import { addCommit } from '../../../../simulators/world/activity.ts';
import { listDays } from '../../../../simulators/world/expected-totals.ts';
import { createGitHubProvider } from '../../../../src/hosts/github/provider.ts';
import type { Call, KnownAccount, Provider } from '../../../../src/hosts/interface/provider.ts';
import type { ReportedCalendar } from '../../../../src/model/contribution.ts';
import { AppError } from '../../../../src/model/errors.ts';

const now = (): Date => new Date('2026-11-19T12:00:00Z');
const newCall = (): Call => ({
  urgency: 'interactive',
  signal: new AbortController().signal,
  cost: { requests: 0, points: 0 },
});

interface ProviderFixture extends AsyncDisposable {
  simulator: Simulator;
  provider: Provider;
  fetch(login: string, call?: Call): Promise<ReportedCalendar | null>;
}

async function openProvider(tokens: TokenName[], options: SimulatorOptions = {}): Promise<ProviderFixture> {
  const simulator = await startSimulator({ now, ...options });
  const provider = createGitHubProvider({
    name: 'github',
    url: simulator.url,
    apiUrl: simulator.apiUrl,
    tokens: tokens.map((name) => simulator.tokens[name]),
    webhookSecret: undefined,
    app: undefined,
    connectTimeoutMs: 2000,
    now,
  });
  return {
    simulator,
    provider,
    fetch: async (login, call = newCall()) => {
      assert.ok(provider.accounts.fetchCalendar);
      return provider.accounts.fetchCalendar(knownAccount(simulator, login), call);
    },
    [Symbol.asyncDispose]: async () => {
      await provider.close();
      await simulator.close();
    },
  };
}

function knownAccount({ world }: Simulator, login: string): KnownAccount {
  const { id, nodeId } = world.accountByLogin(login) ?? assert.fail(login);
  return { externalId: String(id), handle: nodeId, type: 'user', name: login, memory: null };
}

/**
 * Returns the contributions of an account in the world by day, from `from` on; days without contributions are absent.
 */
function expectedDays({ world }: Simulator, login: string, from: string, { withPrivate }: { withPrivate: boolean }) {
  const days: Record<string, number> = {};
  for (const { day, isPrivate, login: accountLogin, ...counts } of listDays(world)) {
    if (accountLogin !== login || day < from || (isPrivate && !withPrivate)) continue;
    days[day] = (days[day] ?? 0) + Object.values(counts).reduce((sum, count) => sum + count, 0);
  }
  return days;
}

function daysIn({ firstDay, counts }: ReportedCalendar): Record<string, number> {
  const toDay = (index: number): string =>
    new Date(Date.parse(firstDay) + index * 86_400_000).toISOString().slice(0, 10);
  return Object.fromEntries(
    counts.map((count, index) => [toDay(index), count] as const).filter(([, count]) => count > 0),
  );
}

function toSum(days: Record<string, number>): number {
  return Object.values(days).reduce((sum, count) => sum + count, 0);
}

const calendarRequests = ({ simulator }: ProviderFixture): string[] =>
  simulator.requests.filter(({ name }) => name === 'Calendar').map(({ token }) => token);

describe('the contribution calendar of GitHub', () => {
  it("fetches GitHub's calendar for one point, with the private contributions that the user publishes", async () => {
    await using fixture = await openProvider(['second_public_only']);
    const { user } = fixture.simulator.accounts;
    const call = newCall();
    const calendar = (await fixture.fetch(user, call)) ?? assert.fail();
    // 19 November 2026 is a Thursday: 52 weeks and five days.
    assert.deepEqual([calendar.firstDay, calendar.counts.length], ['2025-11-16', 369]);
    const expected = expectedDays(fixture.simulator, user, calendar.firstDay, { withPrivate: true });
    assert.deepEqual(daysIn(calendar), expected);
    assert.equal(calendar.total, toSum(expected));
    assert.equal(calendar.includesPrivate, true);
    assert.notDeepEqual(expected, expectedDays(fixture.simulator, user, calendar.firstDay, { withPrivate: false }));
    assert.equal(call.cost.points, 1);
  });

  it('counts only public contributions of a user who does not publish private ones', async () => {
    await using fixture = await openProvider(['second_public_only']);
    const { private_owner: owner } = fixture.simulator.accounts;
    const calendar = (await fixture.fetch(owner)) ?? assert.fail();
    const expected = expectedDays(fixture.simulator, owner, calendar.firstDay, { withPrivate: false });
    assert.deepEqual(daysIn(calendar), expected);
    assert.equal(calendar.includesPrivate, false);
    assert.notDeepEqual(expected, expectedDays(fixture.simulator, owner, calendar.firstDay, { withPrivate: true }));
  });

  it('uses no token that may see private data: scope repo, own profile, fine-grained', async () => {
    for (const token of ['organization_admin', 'profile_reader', 'private_owner'] as const) {
      await using fixture = await openProvider([token]);
      assert.equal(await fixture.fetch(fixture.simulator.accounts.user), null, token);
      assert.deepEqual(calendarRequests(fixture), [], token);
    }
    await using mixed = await openProvider(['organization_admin', 'private_owner', 'public_only']);
    assert.ok(await mixed.fetch(mixed.simulator.accounts.user));
    assert.deepEqual(calendarRequests(mixed), ['public_only']);
  });

  it('requests the scopes of an unused token once', async () => {
    await using fixture = await openProvider(['private_owner', 'public_only']);
    await fixture.fetch(fixture.simulator.accounts.user);
    await fixture.fetch(fixture.simulator.accounts.user);
    assert.deepEqual(
      fixture.simulator.requests.map(({ name, token }) => `${name} ${token}`),
      ['GET /rate_limit private_owner', 'GET /rate_limit public_only', 'Calendar public_only', 'Calendar public_only'],
    );
  });

  it('has no calendars without a token, and none of a deleted account', async () => {
    await using anonymous = await openProvider([]);
    assert.equal(anonymous.provider.accounts.fetchCalendar, undefined);
    await using fixture = await openProvider(['public_only']);
    const { user } = fixture.simulator.accounts;
    const account = knownAccount(fixture.simulator, user);
    const deletedAccount = fixture.simulator.world.accountByLogin(user) ?? assert.fail();
    deletedAccount.isDeleted = true;
    fixture.simulator.world.markChanged();
    assert.equal(await fixture.provider.accounts.fetchCalendar?.(account, newCall()), null);
  });

  it('takes another token when one has no quota left', async () => {
    await using fixture = await openProvider(['public_only', 'second_public_only']);
    const { user } = fixture.simulator.accounts;
    await fixture.fetch(user);
    const [first = ''] = calendarRequests(fixture);
    fixture.simulator.faults.add({ kind: 'primary_limit', on: 'Calendar', token: first, times: 10 });
    assert.ok(await fixture.fetch(user));
    fixture.simulator.faults.add({ kind: 'primary_limit', on: 'Calendar', times: 10 });
    await assert.rejects(fixture.fetch(user), isError('provider_rate_limited'));
  });

  it('fetches a year that is too large in pieces, which fit together', async () => {
    await using fixture = await openProvider(['public_only'], { heavyLimit: 20 });
    const { simulator } = fixture;
    const { heavy } = simulator.accounts;
    const repository = simulator.world.repository(heavy, 'cobol') ?? assert.fail();
    for (let index = 0; index < 60; index += 1) {
      const at = new Date(now().getTime() - (60 - index) * 6 * 86_400_000);
      addCommit(simulator.world, repository, { author: { name: 'Grace', email: 'grace@mail.example' }, at });
    }
    const calendar = (await fixture.fetch(heavy)) ?? assert.fail();
    const expected = expectedDays(simulator, heavy, calendar.firstDay, { withPrivate: false });
    assert.deepEqual(daysIn(calendar), expected);
    assert.deepEqual([calendar.firstDay, calendar.counts.length], ['2025-11-16', 369]);
    assert.equal(calendar.total, toSum(expected));
    assert.ok(simulator.requests.some(({ status }) => status === 502));
    simulator.faults.add({ kind: 'bad_gateway', on: 'Calendar', times: 1000 });
    const requestCount = calendarRequests(fixture).length;
    await assert.rejects(fixture.fetch(heavy), isError('provider_unavailable'));
    assert.ok(calendarRequests(fixture).length - requestCount <= 5, 'it does not go on for ever');
  });

  it('refuses a calendar with missing days', async () => {
    await using fixture = await openProvider(['public_only']);
    const days = ['data', 'node', 'contributionsCollection', 'contributionCalendar', 'weeks', 3, 'contributionDays'];
    for (const value of [[], 'none', [{ date: '2025-12-24T00:00:00Z', contributionCount: 1 }]]) {
      fixture.simulator.faults.add({ kind: 'surprise', on: 'Calendar', path: days, value });
      await assert.rejects(fixture.fetch(fixture.simulator.accounts.user), isError('provider_invalid_response'));
    }
  });
});

function isError(code: AppError['code']): (error: unknown) => boolean {
  return (error) => error instanceof AppError && error.code === code;
}
