import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FileHost } from '../../../src/recognition/boards/file/schema.ts';
import { boardWith, reported } from './reported.ts';

const listFaults = (lines: string, parts?: { repositories?: string; points?: string }): string[] =>
  reported(boardWith(lines, parts)).map((report) => report.replace(/^\d+:\d+ /, ''));

describe('faults of a board', () => {
  it('reports what a rule cannot mean', () => {
    const cases: [string, string[]][] = [
      ['{ action: issue, at: merged, points: 1 }', ['error: an issue is never merged; expected created or closed']],
      ['{ action: commit, at: closed, points: 1 }', ['error: a commit is never closed; expected created']],
      [
        '{ action: issue, actor: reviewer, points: 1 }',
        [
          'error: reviewers has no issue; expected pull_request for reviewers, or issue with the actor author, resolved_by or assignees',
        ],
      ],
      [
        '{ action: commit, points: 5, per_day: 3 }',
        ['warning: per_day is less than the 5 points of one contribution; expected at least 5'],
      ],
      [
        "{ action: commit, points: 5, decay: 1, condition: 'count() >= 5' }",
        ['warning: decay has no effect: a rule with count() gives its points once; expected a rule without count()'],
      ],
      [
        '{ action: commit, points: 1, decay: -1 }',
        [
          'error: decay cannot be -1; expected a number from 0 to 100: the n-th of a day counts 1/(1 + decay * (n - 1))',
        ],
      ],
      [
        "{ action: commit, points: 1, condition: 'sum(prs) > 3' }",
        ['error: points are required in the condition of a point action; expected fields of the contribution'],
      ],
    ];
    for (const [rule, expected] of cases) assert.deepEqual(listFaults('', { points: `[${rule}]` }), expected, rule);
  });

  it('refuses keys without effect in a board and its parts', () => {
    const faults = listFaults(
      `people: { nonbinary: true }
grants: [{ person: ada, points: 1, reason: Talk, granted_by: bo, weight_of_vote: 2 }]
window: { since: '2026-10-01', lunar: true }
exclude_robots: true`,
      { points: '[{ action: commit, points: 1, limited_to: core }, { action: issue, points: 1, repositorys: [a] }]' },
    );
    assert.deepEqual(
      faults.map((fault) => fault.replace(/ is not a key of .*/, '')).toSorted(),
      ['exclude_robots', 'limited_to', 'lunar', 'nonbinary', 'repositorys', 'weight_of_vote'].map(
        (key) => `error: ${key}`,
      ),
    );
    const [near] = listFaults('', { points: '[{ action: commit, points: 1, per_dya: 3 }]' });
    assert.match(near ?? '', /^error: per_dya is not a key of .*; did you mean per_day\?$/);
  });

  it('refuses teams where a person is meant', () => {
    const grant = (person: string): string =>
      `grants: [{ person: '${person}', points: 1, reason: Talk, granted_by: bo }]`;
    assert.deepEqual(listFaults(grant('@acme/core')), [
      'error: @acme/core is a team, and a grant is for a person; expected a login',
    ]);
    assert.deepEqual(listFaults("people: { exclude: ['@acme/core'] }"), [
      'error: @acme/core is a team, and an exclusion is of a person; expected a login',
    ]);
    assert.deepEqual([...listFaults(grant('@ada')), ...listFaults(grant('codeberg/ada'))], []);
  });

  it('refuses people of a host that is not known', () => {
    const faults = (lines: string, host: Partial<FileHost> = known): string[] =>
      reported(boardWith(lines), host).map((report) => report.replace(/^\d+:\d+ /, ''));
    const known: Partial<FileHost> = { unreportedBy: (host) => (host === 'codeberg' ? [] : undefined) };
    const grant = (person: string): string =>
      `grants: [{ person: '${person}', points: 1, reason: Talk, granted_by: bo }]`;
    const refusal = (text: string, host: string, suggestion: string): string =>
      `error: ${text} is no account: no host has the name ${host} here; expected a login, or HOST/LOGIN of a host that is configured; did you mean ${suggestion}?`;
    assert.deepEqual(faults(grant('acme/core')), [refusal('acme/core', 'acme', 'core')]);
    assert.deepEqual(faults(grant('githb/ada')), [refusal('githb/ada', 'githb', 'github/ada')]);
    assert.deepEqual(faults('people: { exclude: [acme/core] }'), [refusal('acme/core', 'acme', 'core')]);
    assert.deepEqual(faults('teams: { red: [acme/core, ada] }'), [refusal('acme/core', 'acme', '@acme/core')]);
    for (const person of ['ada', 'github/ada', 'codeberg/ada', 'Codeberg/ada'])
      assert.deepEqual(faults(grant(person)), [], person);
    assert.deepEqual(faults(grant('acme/core'), { ...known, isStored: true }), []);
  });

  it('reports until when a rule decides, and keys of rules without effect', () => {
    const window = "window: { since: '2026-10-01', until: '2026-10-31' }";
    const merged = "action: pull_request, condition: 'merged = true', points: 1";
    const cases: [string, string, string[]][] = [
      [
        `{ ${merged}, at: created }`,
        window,
        [
          'warning: at: created counts what was decided until the end of the window; expected decided_until: a day, where later merges, ends and labels count',
        ],
      ],
      [`{ ${merged}, at: created, decided_until: 2026-11-15 }`, window, []],
      ['{ action: issue, at: created, points: 1 }', window, []],
      [
        `{ ${merged}, decided_until: 2026-11-15 }`,
        window,
        ['error: decided_until stands without at: created; expected at: created'],
      ],
      [
        `{ ${merged}, at: created, decided_until: 2026-10-15 }`,
        window,
        ['error: decided_until is before the end of the window; expected a later day'],
      ],
      [
        `{ ${merged}, at: created, decided_until: soon }`,
        window,
        ['error: soon is no day and no moment; expected a day, as YYYY-MM-DD, or YYYY-MM-DDTHH:MM:SSZ'],
      ],
      [
        `{ ${merged}, at: created, decided_until: 2026-11-15 }`,
        "window: { seasons: month, from: '2026-10-01' }",
        ['error: decided_until stands beside a window without until; expected a window with until'],
      ],
      [
        '{ action: commit, points: 1, own: true }',
        '',
        ['warning: own has no effect on commit of author; expected a review or comment'],
      ],
      [
        '{ action: issue_comment, points: 1, each: true }',
        '',
        ['warning: each has no effect: only reviews of one day are one; expected a rule about reviews'],
      ],
      ['{ action: review, points: 1, each: true, own: true }', '', []],
      ['{ actor: reviewer, action: pull_request, points: 1, own: true }', '', []],
    ];
    for (const [rule, lines, expected] of cases)
      assert.deepEqual(listFaults(lines, { points: `[${rule}]` }), expected, `${rule} ${lines}`);
  });

  it('reports patterns that name no repository, and exclusions without effect', () => {
    const cases: [string, string[]][] = [
      [
        '[acme]',
        ['error: acme names no repository; expected OWNER/NAME, OWNER/* or PROVIDER/OWNER/NAME, or the same after !'],
      ],
      [
        "['https://github.com/acme/tools.git']",
        [
          'error: https://github.com/acme/tools.git names no repository; expected OWNER/NAME, OWNER/* or PROVIDER/OWNER/NAME, or the same after !; did you mean acme/tools?',
        ],
      ],
      [
        "['*/tools']",
        [
          'error: */tools has a pattern in the name of its owner, which is named in full; expected OWNER/NAME, OWNER/* or PROVIDER/OWNER/NAME, or the same after !',
        ],
      ],
      [
        "['!acme/tools']",
        [
          'warning: !acme/tools excludes nothing: no repository of acme is included; expected an owner of included ones',
          'error: no repository is included; expected a pattern without !',
        ],
      ],
      [
        "[acme/*, '!acem/tools']",
        [
          'warning: !acem/tools excludes nothing: no repository of acem is included; expected an owner of included ones; did you mean acme?',
        ],
      ],
      ['[acme/*, Acme/*]', ['warning: Acme/* is here twice; expected each pattern once']],
      ['[acme/tool-?, group/sub/api]', []],
    ];
    for (const [repositories, expected] of cases)
      assert.deepEqual(listFaults('', { repositories }).toSorted(), expected.toSorted(), repositories);
  });

  it('reports windows that cannot be', () => {
    const cases: [string, string[]][] = [
      [
        '{ since: 2026-02-30 }',
        ['error: since must be a day that exists: 2026-02-30 does not; did you mean 2026-02-28?'],
      ],
      ['{ since: 2026-10-01T00:00:00+02:00, until: 2026-10-31 }', []],
      ['{ since: 2126-10-01 }', []],
      [
        '{ period: last-30d, since: 2026-10-01 }',
        ['error: period cannot be used together with since or until; keep one'],
      ],
      [
        '{ since: 2026-10-02, until: 2026-10-01 }',
        ['error: since must not be after until: 2026-10-02 is later than 2026-10-01; did you mean 2026-10-01?'],
      ],
      ['{ seasons: quarter }', ['error: the first day of the seasons is missing; expected from: a day, as YYYY-MM-DD']],
      [
        '{ from: 2026-10-01 }',
        ['error: from stands without seasons; expected seasons: month, or since in place of from'],
      ],
      [
        '{ seasons: quater, from: 2026-01-01 }',
        ['error: seasons cannot be quater; expected week, month, quarter or year; did you mean quarter?'],
      ],
      [
        '{ seasons: month, from: 2026-02-30 }',
        ['error: from must be a day that exists: 2026-02-30 does not; did you mean 2026-02-28?'],
      ],
      ['{ seasons: month, from: 1969-12-01 }', ['error: from must not be before 1970-01-01; did you mean 1970-01-01?']],
      [
        '{ seasons: month, from: 2026/1/2 }',
        ['error: 2026/1/2 is no day; expected a day, as YYYY-MM-DD; did you mean 2026-01-02?'],
      ],
      ['{ since: 1969-12-31 }', ['error: since must not be before 1970-01-01; did you mean 1970-01-01?']],
      ['{ until: 1969-12-31 }', ['error: until must not be before 1970-01-01; did you mean 1970-01-01?']],
      [
        '{ period: last-31d }',
        [
          'error: period must be a year, quarter, month or week such as 2026, 2026-Q3, 2026-10 or 2026-W42, or one of last-7d, last-30d, last-90d, last-365d, this-week, this-month, this-quarter, this-year, previous-week, previous-month, previous-quarter, previous-year; did you mean last-30d?',
        ],
      ],
      [
        '{ period: last-30d, time_zone: Europe/Berln }',
        ['error: time_zone must be the IANA name of a time zone, such as Europe/Berlin; did you mean Europe/Berlin?'],
      ],
    ];
    for (const [window, expected] of cases) assert.deepEqual(listFaults(`window: ${window}`), expected, window);
  });

  it('reports faults in lists of people', () => {
    const cases: [string, string[]][] = [
      [
        'people: { exclude: [a b] }',
        ['error: a part of the list exclude cannot be a b; expected a login, of another host as PROVIDER/LOGIN'],
      ],
      [
        'people: { only_members_of: core }',
        ['error: only_members_of cannot be core; expected a team, as ORGANIZATION/TEAM'],
      ],
      ['people: { only_members_of: acme/core }', []],
      ['people: { bots: yes }', ['error: bots cannot be yes; expected true or false']],
      ['teams: { red: [ada], blue: [Ada] }', ['warning: Ada is in the team red too; expected each member once']],
      ['teams: [ada]', ['error: teams has a list; expected names of teams, each with its members']],
      [
        'grants: [{ person: ada, points: 4, granted_by: bo }]',
        ['error: a part of the list grants has no reason; expected reason: the reason, which everyone can read'],
      ],
      [
        'grants: [{ person: ada, points: 4, granted_by: bo, reason: x, until: tomorrow }]',
        ['error: tomorrow is no day; expected a day, as YYYY-MM-DD'],
      ],
      [
        'grants: [{ person: ada, points: 4, granted_by: bo, reason: x, until: 2026-02-30 }]',
        ['error: until must be a day that exists: 2026-02-30 does not; did you mean 2026-02-28?'],
      ],
      ['grants: [{ person: ada, points: 4, granted_by: bo, reason: x, until: 9999-12-31 }]', []],
      ['threshold: 0', ['error: threshold cannot be 0; expected the points from which a person is eligible']],
      ['ties: split', ['error: ties cannot be split; expected shared or earliest']],
    ];
    for (const [lines, expected] of cases) assert.deepEqual(listFaults(lines), expected, lines);
  });

  it('reports teams whose members the service never reads, because they are not of the owner', () => {
    const never = 'a board uses the teams of its own account alone; expected a team of Acme';
    const file = boardWith(`people: { only_members_of: globex/core }
teams: { red: [ada, '@globex/tools', '@acme/tools'], blue: ['@codeberg/acme/core', '@github/ACME/core'] }`);
    assert.deepEqual(reported(file, { owner: 'Acme' }), [
      `8:34 warning: the members of globex/core are never known: ${never}`,
      `9:27 warning: the members of @globex/tools are never known: ${never}`,
      `9:67 warning: the members of @codeberg/acme/core are never known: ${never}`,
    ]);
    assert.deepEqual(reported(file), []);
    const groups = boardWith("teams: { red: ['@gitlab/acme/sub/core'] }");
    assert.deepEqual(reported(groups, { provider: 'gitlab', owner: 'acme' }), []);
  });

  it('reports conditions that are too long together', () => {
    const condition = Array.from({ length: 100 }, (_, index) => `labels in ['a${index}']`)
      .join(' | ')
      .slice(0, 1980);
    const whole = condition.slice(0, condition.lastIndexOf(' | '));
    const rule = `{ action: issue, points: 1, condition: "${whole}" }`;
    const most = Math.floor(20_000 / whole.length);
    const withRules = (count: number): string[] =>
      listFaults('', { points: `[${Array(count).fill(rule).join(', ')}]` });
    assert.deepEqual(withRules(most), []);
    const written = (most + 1) * whole.length;
    assert.deepEqual(withRules(most + 1), [
      `error: the conditions of the board have ${written} characters; expected at most 20000`,
    ]);
  });
});
