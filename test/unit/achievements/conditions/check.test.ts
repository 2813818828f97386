import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkCondition } from '../../../../src/recognition/rules/conditions/check.ts';
import type { Action } from '../../../../src/recognition/rules/conditions/vocabulary.ts';

const pointActions = ['commits', 'prs'];

/** Returns the faults of a condition: `start-end severity: message; expected ...; did you mean ...?` for each. */
function listFaults(action: Action, text: string, isPointAction = false): string[] {
  return checkCondition(text, { action, pointActions, isPointAction }).faults.map(
    ({ start, end, severity, message, expected, suggestion }) =>
      `${start}-${end} ${severity}: ${message}` +
      `${expected === undefined ? '' : `; expected ${expected}`}${suggestion === undefined ? '' : `; did you mean ${suggestion}?`}`,
  );
}

describe('the check of a condition', () => {
  it('accepts conditions that people wrote', () => {
    const cases: [Action, string][] = [
      ['star', 'starred = true'],
      ['commit', 'count() >= 1'],
      ['issue', "labels in ['bug'] & reactors in ['elewis787', 'jeff10110322', 'simonmazzaroth']"],
      ['issue', "labels in ['bug'] & closed = true & reason = COMPLETED"],
      ['issue', "count(labels in ['bug', 'enhancement']) >= 25"],
      ['pull_request', 'count(merged = false & closed = true) > 2'],
      ['pull_request', 'created_at >= 01-09-2024 08:00:00 & merged_at <= 2024-01-19 20:00:00'],
      ['pull_request', "labels in {'2024-tidb-docs-dash','contribution'}"],
      ['pull_request', "merged = true & files in ['README.md', 'readme.md']"],
      ['pull_request', 'Merged = TRUE & Count () >= 4'],
      ['pull_request', 'sum(prs) >= 5 & merged = true'],
      ['pull_request', 'age(Days) < 10'],
      ['issue_comment', "emojis in ['thumbs_up'] & reactors in [alice, 'bob'] & labels in !['spam']"],
      ['point', 'rank(1) sum(commits, prs)'],
      ['point', "rank(1) & sum('prs') & actor in !['carol']"],
      ['point', 'points >= 100'],
      ['commit', 'created_at = "2024-02-29 23:59"'],
      ['discussion', 'answered = true & upvotes > 2'],
      ['issue', 'reason != "not_planned"'],
      ['review', 'state = approved & comments >= 2'],
      ['review', "state != 'Changes_Requested'"],
    ];
    for (const [action, text] of cases) assert.deepEqual(listFaults(action, text), [], text);
  });

  it('reports the first place at which a condition violates the grammar, with the words expected there', () => {
    for (const [text, expected] of syntax) {
      assert.deepEqual(listFaults('pull_request', text), [expected], text);
    }
  });

  it('reports unknown names with the known ones', () => {
    assert.deepEqual(listFaults('issue_comment', "reaction in ['THUMBS_UP'] & reactors in ['jeff']"), [
      "0-8 error: reaction is not a list; the names of reactions are in emojis; expected emojis in ['HEART']; did you mean emojis?",
    ]);
    assert.deepEqual(listFaults('issue', 'merged = true & createdAt > 01-01-2024'), [
      '0-6 error: merged is not a field of issue, only of pull_request; expected first, first_in_organization, closed, comments, reactions, labels, emojis, reactors, actor, reason, created_at or closed_at',
      '16-25 error: createdAt is not a field of issue; expected first, first_in_organization, closed, comments, reactions, labels, emojis, reactors, actor, reason, created_at or closed_at; did you mean created_at?',
    ]);
    assert.deepEqual(listFaults('point', 'sum(PRs, reviews) > 5'), [
      '4-7 error: PRs is not a point action of the file; expected commits or prs; did you mean prs?',
      '9-16 error: reviews is not a point action of the file; expected commits or prs',
    ]);
    assert.deepEqual(listFaults('issue', "emojis in ['👍', 'HART', nope]"), [
      '11-15 error: 👍 is not the name of a reaction; expected THUMBS_UP, THUMBS_DOWN, LAUGH, HOORAY, CONFUSED, HEART, ROCKET or EYES; did you mean THUMBS_UP?',
      '17-23 error: HART is not the name of a reaction; expected THUMBS_UP, THUMBS_DOWN, LAUGH, HOORAY, CONFUSED, HEART, ROCKET or EYES; did you mean HEART?',
      '25-29 error: nope is not the name of a reaction; expected THUMBS_UP, THUMBS_DOWN, LAUGH, HOORAY, CONFUSED, HEART, ROCKET or EYES',
    ]);
    assert.deepEqual(listFaults('issue', 'age(day) < 3'), [
      '4-7 error: day is not a unit of time; expected seconds, minutes, hours or days; did you mean days?',
    ]);
    assert.deepEqual(listFaults('issue', 'reason = complete'), [
      '9-17 error: complete is not a reason; expected REOPENED, COMPLETED or NOT_PLANNED; did you mean COMPLETED?',
    ]);
    assert.deepEqual(listFaults('review', 'state = aproved'), [
      '8-15 error: aproved is not a state; expected approved, changes_requested, commented or dismissed; did you mean approved?',
    ]);
    assert.deepEqual(listFaults('review', "state in ['approved']"), [
      '0-5 error: state is not a list; expected state = changes_requested',
    ]);
    const [fault] = checkCondition('sum(x) > 1', { action: 'point', pointActions: [], isPointAction: false }).faults;
    assert.equal(fault?.message, 'the file defines no point action');
  });

  it('translates words of other languages', () => {
    for (const [condition, suggestion] of [
      ["labels not in ['bug']", 'labels in ![...]'],
      ['additions between 1 and 5', 'additions >= 1 & additions <= 5'],
      ["labels contains 'bug'", "labels in ['bug']"],
      ['merged is true', '='],
    ] as const) {
      assert.ok(listFaults('pull_request', condition)[0]?.endsWith(`; did you mean ${suggestion}?`), condition);
    }
    assert.deepEqual(listFaults('pull_request', 'merged\u200b = true'), [
      '6-7 error: an invisible character is here (U+200B); expected nothing',
    ]);
  });

  it('reads a count that equals a number as one that reached it, because people may pass it unseen', () => {
    const surroundings = { action: 'issue', pointActions: [], isPointAction: false } as const;
    const { condition, faults } = checkCondition('count() = 3', surroundings);

    assert.deepEqual(condition, { kind: 'count', condition: null, operator: '>=', value: 3, start: 0, end: 11 });
    assert.deepEqual(
      faults.map(({ severity, message }) => [severity, message]),
      [['warning', 'this holds from the 3rd on, and >= says so']],
    );
  });

  it('rejects a comparison that a type does not allow', () => {
    const cases: [Action, string, string][] = [
      ['pull_request', 'merged > true', '0-6 error: merged is not compared with >; expected = or != and true or false'],
      ['pull_request', 'merged = yes', '9-12 error: merged is compared with yes; expected true or false'],
      [
        'pull_request',
        "merged = 'true'",
        "9-15 error: 'true' in quotes is a text; expected true without quotes; did you mean true?",
      ],
      ['pull_request', 'merged = 1', '9-10 error: merged is compared with 1; expected true or false'],
      [
        'pull_request',
        'comments = many',
        '11-15 error: comments is compared with many; expected a whole number up to 2147483647',
      ],
      [
        'pull_request',
        "labels = 'bug'",
        "0-14 error: labels is a list, which is not compared with =; expected labels in [...]; did you mean labels in ['bug']?",
      ],
      [
        'pull_request',
        'comments in [3]',
        '0-8 error: comments is not a list; expected a comparison like comments = ...',
      ],
      ['pull_request', 'count() >= true', '11-15 error: count() is compared with a number; expected a whole number'],
      [
        'pull_request',
        'age(days) = soon',
        '12-16 error: age() is compared with a number; expected a whole number of days',
      ],
      [
        'issue',
        'reason > COMPLETED',
        '0-6 error: reason is not compared with >; expected = or != and REOPENED, COMPLETED or NOT_PLANNED',
      ],
      ['issue', "reason in ['COMPLETED']", '0-6 error: reason is not a list; expected reason = COMPLETED'],
      [
        'review',
        'age(days) < 3',
        '0-9 error: a review has no end, and so no age; expected age() of pull_request, issue or discussion',
      ],
      ['issue', 'count(count() > 1) > 1', '6-13 error: count() stands inside count(); expected fields inside count()'],
      [
        'issue',
        'count(sum(prs) > 1) > 1',
        '6-14 error: points are required in count(); expected fields of the contribution',
      ],
      ['point', 'count() > 1', '0-7 error: points are not counted; expected points, or sum() of point actions'],
      ['point', 'points > few', '9-12 error: points are compared with a number; expected a whole number'],
      ['point', 'rank(0) sum(prs)', '5-6 error: there is no rank 0; expected a rank from 1'],
      [
        'issue',
        "reactors in ['@bob', 'two words']",
        '13-19 error: @bob is not a login; expected the name of an account, without @; did you mean bob?',
      ],
      ['issue', "labels in ['']", '11-13 error: this value is empty; expected a word, or words in quotes'],
    ];
    for (const [action, text, expected] of cases) assert.equal(listFaults(action, text)[0], expected, text);
    assert.deepEqual(listFaults('issue', 'sum(prs) > 1 | rank(1) sum(prs)', true), [
      '0-8 error: points are required in the condition of a point action; expected fields of the contribution',
      '15-31 error: points are required in the condition of a point action; expected fields of the contribution',
    ]);
  });

  it('rejects an impossible date, and suggests the date that was probably meant', () => {
    const forms = 'MM-DD-YYYY or YYYY-MM-DD, then maybe HH:MM or HH:MM:SS (UTC)';
    const cases: [string, string][] = [
      ['19-01-2024', `there is no month 19; expected ${forms}; did you mean 01-19-2024?`],
      ['02-30-2024', `that month has 29 days, there is no day 30; expected ${forms}`],
      ['02-29-2023', `that month has 28 days, there is no day 29; expected ${forms}`],
      ['1-9-2024', `1-9-2024 is not a date; expected ${forms}; did you mean 01-09-2024?`],
      ['2024/01/19', `2024/01/19 is not a date; expected ${forms}; did you mean 2024-01-19?`],
      [
        '2024-01-19T20:00:00Z',
        `2024-01-19T20:00:00Z is not a date; expected ${forms}; did you mean 2024-01-19 20:00:00?`,
      ],
      ['01-19-2024 24:00', `there is no hour 24; expected ${forms}`],
      ['01-19-2024 23:60', `there is no minute 60; expected ${forms}`],
      ["'01-19-2024 23:00:61'", `there is no second 61; expected ${forms}`],
      ['01-19-24', `01-19-24 is not a date; expected ${forms}`],
      ['01-19-0024', `the year 24 is not between 1970 and 2999; expected ${forms}`],
      ['yesterday', `yesterday is not a date; expected ${forms}`],
    ];
    for (const [date, expected] of cases) {
      const [text] = listFaults('issue', `created_at >= ${date}`);
      assert.equal(text?.replace(/^\d+-\d+ error: /, ''), expected);
    }
    assert.match(
      listFaults('issue', 'created_at >= 2024')[0] ?? '',
      /created_at is compared with 2024; expected MM-DD-YYYY/,
    );
  });

  it('warns of a valid condition that is probably a mistake', () => {
    const never = 'this never holds together with what stands before it';
    const cases: [Action, string, string][] = [
      [
        'issue',
        'count() < 5',
        '0-11 warning: this also holds for people of whom nothing is counted; expected a comparison like count() >= 1',
      ],
      ['issue', 'created_at >= 05-01-2024 & created_at <= 04-30-2024', `27-51 warning: ${never}`],
      ['issue', 'comments > 5 & comments < 6', `15-27 warning: ${never}`],
      ['issue', 'count(closed = true & closed != true) >= 1', `22-36 warning: ${never}`],
      ['issue', 'comments < 0 & closed = true', '0-12 warning: this never holds'],
      [
        'star',
        'starred = false',
        '0-15 warning: this holds for no account: accounts that did not star are not known here; expected starred = true',
      ],
      [
        'commit',
        "files in ['docs/*']",
        '10-18 warning: docs/* is compared letter by letter; expected a whole path from the top of the repository, as in docs/index.md',
      ],
      [
        'commit',
        "files in ['./README.md']",
        '10-23 warning: no file has the path ./README.md; expected a whole path from the top of the repository, as in docs/index.md; did you mean README.md?',
      ],
    ];
    for (const [action, text, expected] of cases) {
      assert.deepEqual(listFaults(action, text), [expected], text);
      assert.ok(checkCondition(text, { action, pointActions, isPointAction: false }).condition);
    }
    assert.deepEqual(listFaults('issue', 'created_at >= 05-01-2024 & created_at <= 05-01-2024'), []);
  });
});

const syntax: [string, string][] = [
  ['', '0-0 error: the condition is empty; expected a condition, as in count() >= 1'],
  [
    'merged = true , count () >= 4',
    '14-15 error: found ,; expected & or | before another term, or the end; did you mean &?',
  ],
  [
    'merged = true AND closed = true',
    '14-17 error: found AND; expected & or | before another term, or the end; did you mean &?',
  ],
  ['merged = true && closed = true', '14-16 error: && is not an operator here; did you mean &?'],
  ['merged == true', '7-9 error: == is not an operator here; did you mean =?'],
  ['count() => 5', '8-10 error: => is not an operator here; did you mean >=?'],
  [
    'merged',
    '6-6 error: found the end of the condition; expected one of = != > >= < <= or in after merged; did you mean merged = true?',
  ],
  ['5 <= count()', '0-1 error: found 5; expected a field or a function first, as in count() >= 5'],
  [
    'count() >=',
    '10-10 error: found the end of the condition; expected a number, a date, true, false, a word, or a string in quotes',
  ],
  ['count() 5', '8-9 error: found 5; expected one of = != > >= < <='],
  ['cont() >= 5', '0-4 error: cont is not a function; expected count, age, sum or rank; did you mean count?'],
  ['count(merged = true >= 5', '20-22 error: found >=; expected &, | or )'],
  ['(merged = true', '14-14 error: found the end of the condition; expected &, | or )'],
  ['merged = true)', '13-14 error: found ); expected & or | before another term, or the end'],
  [
    "labels in 'bug'",
    "10-15 error: found the string 'bug'; expected a set: [any of these], ![none], {all} or !{not all}; did you mean ['bug']?",
  ],
  [
    "labels in {'bug', good first issue']",
    "23-28 error: found first; expected , or }; did you mean 'good first issue'?",
  ],
  ["labels in ['bug'}", '16-17 error: found }; expected , or ]'],
  ["labels in ['bug',]", '17-18 error: found ]; expected a value, like a label in quotes'],
  ["labels ['bug']", '7-8 error: found [; expected in before a set; did you mean labels in [?'],
  ["labels = ['bug']", '9-10 error: found [; expected in before a set, as in labels in [...]'],
  ["labels in ['bug]", "11-16 error: this string has no end; expected a closing '"],
  ["labels in ['bug\n']", "11-15 error: this string has no end; expected a closing '"],
  ['labels in [‘bug’]', `11-12 error: ‘ does not quote here; expected ' or "`],
  [
    'rank(1)',
    '7-7 error: found the end of the condition; expected the sum that orders people, as in rank(1) sum(commits)',
  ],
  [
    'rank(1) sum(prs) > 5',
    '17-18 error: found >; expected the end of the ranking; to compare the sum too, repeat it: & sum(...) >= 10',
  ],
  ['rank(first) sum(prs)', '5-10 error: found first; expected a rank, as in rank(1)'],
  ['sum() > 5', '4-5 error: found ); expected the name of a point action'],
  ['sum(prs commits) > 5', '8-15 error: found commits; expected , or )'],
  ['age() < 5', '4-5 error: found ); expected seconds, minutes, hours or days'],
  ['count() >= 99999999999', '11-22 error: 99999999999 is too large; expected at most 2147483647'],
];
