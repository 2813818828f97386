import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Range, toCounters } from '../../../simulators/world/expected-totals.ts';
import type { Account } from '../../../simulators/world/model.ts';
import type { World } from '../../../simulators/world/world.ts';
import { countParts } from '../../../src/contributions/windows/counted-window-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { readWindow, windowsUpTo } from '../../../src/model/windows/window.ts';
import { sampled } from '../../depth.ts';
import { findId, openWorld } from './stored-windows.ts';

const now = new Date('2026-06-15T12:00:00Z');

describe('counters of windows', () => {
  let stored: Awaited<ReturnType<typeof openWorld>>;
  let world: World;
  let connection: Connection;
  before(async () => {
    stored = await openWorld({ now });
    ({ world, connection } = stored);
  });
  after(() => stored.opened[Symbol.asyncDispose]());

  const count = async (login: string, ranges: readonly Range[]) => {
    const isOwner = world.accountByLogin(login)?.type === 'Organization';
    const id = await findId(connection, login);
    const bounds = [ranges.at(-1)?.since ?? null, ...ranges.toReversed().map(({ until }) => until)];
    return (await countParts(connection, { id, isOwner, withPrivate: false }, { bounds })).toReversed();
  };
  const logins = (type: Account['type']): string[] =>
    world.accounts.filter((account) => account.type === type && !account.isDeleted).map(({ login }) => login);
  const counted = (): string[] => [...sampled(logins('User'), 6), ...logins('Bot'), ...logins('Organization')];

  const windows: Record<string, string>[] = [
    { since: '2020-01-01' },
    { until: '2026-05-01' },
    { period: 'last-30d' },
    { period: '2026-Q1' },
    { period: '2026-04', time_zone: 'Pacific/Kiritimati' },
    { period: '2026-04', time_zone: 'Pacific/Niue' },
    { period: '2025', time_zone: 'America/New_York' },
    { since: '2026-03-29', until: '2026-03-29', time_zone: 'Europe/Berlin' },
    { since: '2026-02-03T04:05:06Z', until: '2026-05-06T17:18:19.250Z' },
    { since: '2026-02-03T04:05:06Z' },
    { until: '2026-02-03', time_zone: 'Asia/Kathmandu' },
  ];
  for (const text of windows) {
    it(`agree with the world for ${new URLSearchParams(text).toString()}`, async () => {
      const window = readWindow(text, now) ?? assert.fail();
      for (const login of counted()) {
        assert.deepEqual(await count(login, [window]), [toCounters(world, login, undefined, window)], login);
      }
    });
  }

  it('agree with the world in a series', async () => {
    for (const timeZone of ['UTC', 'America/St_Johns']) {
      const window = readWindow({ period: 'this-month', time_zone: timeZone }, now) ?? assert.fail();
      const series = windowsUpTo(window, 24);
      for (const login of counted()) {
        const expected = series.map((range) => toCounters(world, login, undefined, range));
        assert.deepEqual(await count(login, series), expected, `${login} ${timeZone}`);
      }
    }
  });

  it('add up to more than zero', () => {
    const window = readWindow({ since: '2015-01-01', until: '2026-06-01' }, now) ?? assert.fail();
    const sums = new Map<string, number>();
    for (const login of counted()) {
      for (const [name, n] of Object.entries(toCounters(world, login, undefined, window))) {
        sums.set(name, (sums.get(name) ?? 0) + n);
      }
    }
    assert.deepEqual(
      [...sums].filter(([, sum]) => sum === 0),
      [],
    );
  });
});
