import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boardWith, reported } from './reported.ts';

/** Returns the faults of a board that also has an unknown value of `ties`, without their places. */
function besides(lines: string, parts?: { repositories?: string; points?: string }): string[] {
  const faults = reported(boardWith(`${lines}\nties: share`, parts)).map((report) => report.replace(/^\d+:\d+ /, ''));
  const others = faults.filter((fault) => !fault.includes('ties cannot be share'));
  assert.equal(others.length, faults.length - 1);
  return others;
}

describe('faults beside another one', () => {
  it('reports those of patterns, windows, teams and grants', () => {
    const cases: [string, string[]][] = [
      [
        'window: { since: 2026-02-30 }',
        ['since must be a day that exists: 2026-02-30 does not; did you mean 2026-02-28?'],
      ],
      ['window: { seasons: month }', ['the first day of the seasons is missing; expected from: a day, as YYYY-MM-DD']],
      ['teams: { red: [ada], blue: [Ada] }', ['Ada is in the team red too; expected each member once']],
      [
        'grants: [{ person: ada, points: 4, granted_by: bo, reason: x, until: 2026-02-30 }]',
        ['until must be a day that exists: 2026-02-30 does not; did you mean 2026-02-28?'],
      ],
    ];
    for (const [lines, expected] of cases)
      assert.deepEqual(
        besides(lines).map((fault) => fault.replace(/^\w+: /, '')),
        expected,
        lines,
      );
    assert.deepEqual(besides('', { repositories: "[acme/*, '', 'acme/tools/']" }), [
      'error: a part of the list repositories is empty; expected OWNER/NAME or OWNER/*, or the same after !',
      'error: acme/tools/ names no repository; expected OWNER/NAME, OWNER/* or PROVIDER/OWNER/NAME, or the same after !; did you mean acme/tools?',
    ]);
  });

  it('reports a slug that is an address', () => {
    const [fault, ...others] = reported(boardWith('ties: share').replace('slug: sprint', 'slug: Preview'));
    assert.match(fault ?? '', /^5:13 error: slug cannot be preview/);
    assert.equal(others.length, 1);
  });

  it('reports all faults of a window', () => {
    const window =
      'window: { since: 2026-02-30, until: 2026-4-1, time_zone: Europe/Berln, seasons: quarterly, from: 2026-13-01 }';
    const expected = [
      'since must be a day that exists: 2026-02-30 does not; did you mean 2026-02-28?',
      'until must be a day as YYYY-MM-DD, or an instant by RFC 3339, such as 2026-10-01T00:00:00+02:00; did you mean 2026-04-01?',
      'time_zone must be the IANA name of a time zone, such as Europe/Berlin; did you mean Europe/Berlin?',
      'seasons cannot be quarterly; expected week, month, quarter or year; did you mean quarter?',
      'from must be a day that exists: 2026-13-01 does not; did you mean 2026-12-01?',
      'seasons stand beside another window; expected seasons and from alone',
    ];
    assert.deepEqual(
      besides(window)
        .map((fault) => fault.replace(/^\w+: /, ''))
        .toSorted(),
      expected.toSorted(),
    );
    assert.deepEqual(besides('window: { since: 2026-10-02, until: 2026-10-01, time_zone: Mars/Olympus }'), [
      'error: since must not be after until: 2026-10-02 is later than 2026-10-01; did you mean 2026-10-01?',
      'error: time_zone must be the IANA name of a time zone, such as Europe/Berlin',
    ]);
  });

  it('reports the condition of a rule whose other keys are faulty, and the moment of a rule whose condition is', () => {
    const rules: [string, string[]][] = [
      ["{ actor: authr, action: commit, points: 1, condition: 'creatd_at > 2026-01-01' }", ['authr', 'creatd_at']],
      ["{ action: commit, points: 0, condition: 'creatd_at > 2026-01-01' }", ['points', 'creatd_at']],
      ["{ action: commit, condition: 'creatd_at > 2026-01-01' }", ['points', 'creatd_at']],
      ["{ action: commits, points: 1, condition: 'creatd_at > 2026-01-01' }", ['commits', 'creatd_at']],
      [
        "{ action: commit, point: 1, at: merged, condition: 'creatd_at > 2026-01-01' }",
        ['point', 'merged', 'creatd_at'],
      ],
      ['{ actor: reviewer, action: commit, points: 1, at: closd }', ['reviewer', 'closd']],
      [
        "{ actor: reviewer, action: commit, points: 3, per_day: 2, at: merged, condition: 'creatd_at > 2026-01-01' }",
        ['reviewer', 'per_day', 'merged', 'creatd_at'],
      ],
    ];
    for (const [rule, named] of rules) {
      const faults = reported(boardWith('', { points: `[${rule}]` }));
      assert.equal(faults.length, named.length, faults.join('\n'));
      for (const word of named)
        assert.ok(
          faults.some((fault) => fault.includes(word)),
          `${word} in ${faults.join('\n')}`,
        );
    }
  });
});
