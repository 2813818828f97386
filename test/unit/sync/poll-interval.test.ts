import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { freshnessTable, readPollsPerHour } from '../../../scripts/freshness-table.ts';
import { pollIntervalMs, pollLimitsMs, wantedIntervalMs } from '../../../src/sync/listings/poll-schedule.ts';

const hourMs = 3_600_000;
const { shortest, longest } = pollLimitsMs;

/** The times since the last change of the repositories of one quota, in ms. */
const ages = fc.array(fc.oneof(fc.constant(null), fc.integer({ min: -1000, max: 40 * 24 * hourMs })), {
  minLength: 1,
  maxLength: 300,
});
const perHour = fc.integer({ min: 1, max: 2000 });

function listIntervals(all: readonly (number | null)[], pollsPerHour: number) {
  const intervals = all.map(wantedIntervalMs);
  const wantedPerHour = intervals.reduce((sum, interval) => sum + hourMs / interval, 0);
  const load = { repositories: all.length, wantedPerHour, pollsPerHour };
  return intervals.map((interval) => ({ wanted: interval, interval: pollIntervalMs(interval, load) }));
}

describe('pollIntervalMs', () => {
  it('keeps all polls of a quota within its share', () => {
    fc.assert(
      fc.property(ages, perHour, (all, most) => {
        const polls = listIntervals(all, most).reduce((sum, { interval }) => sum + hourMs / interval, 0);
        assert.ok(polls <= most * (1 + 1e-9), `${polls} of ${most}`);
      }),
    );
  });

  it('polls a repository never less often than one whose last change is older', () => {
    fc.assert(
      fc.property(ages, perHour, (all, most) => {
        const sorted = listIntervals(all, most).toSorted((left, right) => left.wanted - right.wanted);
        for (const [index, { interval }] of sorted.entries()) {
          assert.ok(interval <= (sorted[index + 1]?.interval ?? Number.POSITIVE_INFINITY) * (1 + 1e-9));
        }
      }),
    );
  });

  it('stays between five minutes and a day while half of the quota is a poll a day for each repository', () => {
    fc.assert(
      fc.property(ages, perHour, (all, most) => {
        const isEnough = all.length <= most * 12;
        for (const { interval } of listIntervals(all, most)) {
          assert.ok(interval >= shortest * (1 - 1e-9));
          assert.ok(interval <= (isEnough ? longest : (2 * hourMs * all.length) / most) * (1 + 1e-9));
        }
      }),
    );
  });

  it('gives each repository the interval that it wants where the quota suffices', () => {
    for (const { wanted: intervals, interval } of listIntervals([0, hourMs, null], 250)) {
      assert.equal(Math.round(interval), Math.round(intervals));
    }
  });

  it('polls active repositories more often than others where the quota is too small for a poll a day of each', () => {
    const [active, ...others] = listIntervals([0, null, null, null], 0.1).map(({ interval }) => interval / hourMs);
    assert.ok(active !== undefined && active < 24, `${active} hours`);
    for (const hours of others) assert.ok(hours > 24 && hours <= 80, `${hours} hours`);
  });
});

describe('wantedIntervalMs', () => {
  it('grows with the time since the last change, from five minutes to a day', () => {
    const intervals = [0, 15 * 60_000, hourMs, 3 * 24 * hourMs, 30 * 24 * hourMs, null].map(wantedIntervalMs);
    assert.deepEqual(intervals, [shortest, shortest, hourMs / 3, longest, longest, longest]);
  });
});

describe('the table of freshness', () => {
  const documentation = new URL('../../../docs/operations.md', import.meta.url);

  it('is in the documentation as the function computes it', async () => {
    const { github = 0 } = await readPollsPerHour();
    const text = await readFile(documentation, 'utf8');
    assert.ok(text.includes(freshnessTable(github)), 'run npx node scripts/freshness-table.ts');
  });

  it('is explained by the polls that providers permit', async () => {
    const { github, gitea, gitlab } = await readPollsPerHour();
    const text = await readFile(documentation, 'utf8');
    const sentence = `${github} polls an hour for each credential on GitHub, ${gitea} on Gitea, and ${gitlab} on GitLab`;
    assert.ok(text.includes(sentence), sentence);
  });
});
