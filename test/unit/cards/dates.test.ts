import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadLanguage } from '../../../src/views/languages/language.ts';

const dayMs = 86_400_000;

describe('dates of cards and pages', () => {
  it('are the day of a time in UTC, from its first to its last moment, also before 1970', () => {
    const { date } = loadLanguage('en');
    const first = Date.parse('2026-11-21T00:00:00.000Z');
    for (const at of [first, first + dayMs - 1]) assert.equal(date(new Date(at)), 'Nov 21, 2026');
    assert.equal(date(new Date(first - 1)), 'Nov 20, 2026');
    assert.equal(date(new Date(first + dayMs)), 'Nov 22, 2026');
    assert.equal(date(new Date(-1)), 'Dec 31, 1969');
    assert.equal(date(new Date(0)), 'Jan 1, 1970');
  });

  it('are the same after many others, and in each language its own', () => {
    const { date } = loadLanguage('de');
    const written = (): string => date(new Date('2026-11-21T12:00:00Z'));
    assert.equal(written(), '21. Nov. 2026');
    for (let day = 0; day < 2500; day += 1) date(new Date(day * dayMs));
    assert.equal(written(), '21. Nov. 2026');
    assert.equal(date(new Date(0)), '1. Jan. 1970');
  });
});
