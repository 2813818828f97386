import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wholeDays } from '../../../src/contributions/windows/counted-window.ts';
import { readWindow, toWindowMeaning, type WindowText } from '../../../src/model/windows/window.ts';

const now = new Date('2026-11-23T09:30:00Z');

function widened(text: WindowText): (string | null)[] {
  const { since, until } = toWindowMeaning(wholeDays(readWindow(text, now) ?? assert.fail()));
  return [since, until];
}

describe('widening of windows to whole days (UTC)', () => {
  it('keeps all of the window', () => {
    assert.deepEqual(widened({ since: '2026-02-03T10:00:00Z', until: '2026-02-05T11:00:00+02:00' }), [
      '2026-02-03T00:00:00Z',
      '2026-02-06T00:00:00Z',
    ]);
  });

  it('leaves out the end where the last day of all is in the window', () => {
    assert.deepEqual(widened({ since: '2026-02-03', until: '9999-12-31', time_zone: 'Pacific/Kiritimati' }), [
      '2026-02-02T00:00:00Z',
      null,
    ]);
  });
});
