import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileWith, readText, reported } from './reported.ts';

const star = '{ actor: author, action: star, condition: starred = true }';
const keyNames = 'name, icon, description, type, metadata or triggers';

const conditionIn = (condition: string): string =>
  fileWith(`\n            actor: author\n            action: pull_request\n            condition: ${condition}`);

/** Returns the icon that was read, or the message of the first report. */
const toIcon = (icon: string): unknown => {
  const { config, reports } = readText(fileWith(star, `      icon: ${icon}\n`));
  return reports[0]?.message ?? config.achievements[0]?.icon;
};

const triggers = (...operators: string[]): string =>
  `achievements:\n  - achievement:\n      name: Hero\n      triggers:\n${operators
    .map((operator) => `        - trigger: { actor: author, action: star, condition: starred = true${operator} }\n`)
    .join('')}`;

const groups = (file: string): unknown => readText(file).config.achievements[0]?.triggers.map((group) => group.length);

const webhook = (keys: string, value = 'Hero'): string =>
  `${fileWith(star)}webhooks:\n  - webhook: { name: news, ${keys}, events: [ { event: { type: achievement, value: ${value} } } ] }\n`;

const url = (type: string, address: string): string => `type: ${type}, metadata: { url: '${address}' }`;

describe('the achievements file', () => {
  it('skips a faulty achievement alone, and reports every fault of it', () => {
    const file = `achievements:
  - achievement:
      name: Faulty
      typ: once
      triggers:
        - trigger: { actor: authr, action: star, condition: strred = true }
        - trigger: { actor: author, action: star, condition: stared = true }
  - achievement: { name: Whole, triggers: [ { trigger: ${star} } ] }
  - achievement: { name: Whole, triggers: [ { trigger: ${star} } ] }
`;
    assert.deepEqual(reported(file), [
      `4:7 error: typ is not a key of achievement, and has no effect; expected ${keyNames}; did you mean type?`,
      '6:29 error: actor cannot be authr; expected author, resolved_by, assignees, reviewers or reviewer; did you mean author?',
      '6:61 error: strred is not a field of star; expected starred, created_at or actor; did you mean starred?',
      '7:62 error: stared is not a field of star; expected starred, created_at or actor; did you mean starred?',
      '9:26 error: there is another achievement Whole; expected a name of its own',
    ]);
    assert.deepEqual(
      readText(file).config.achievements.map(({ name }) => name),
      ['Whole'],
    );
  });

  it('reports keys and parts in the wrong place once', () => {
    const cases: [string, string[]][] = [
      [
        'achievements:\n  - achievement:\n    name: Flat\n    triggers: []\n',
        [
          '3:5 error: name is not indented deeper than achievement; expected the keys of achievement two spaces further in',
        ],
      ],
      [
        `achievements:\n  - name: Bare\n    triggers: [ { trigger: ${star} } ]\n`,
        [
          '2:5 error: name stands without achievement; expected "achievement:" in the line before, and its keys indented below it',
        ],
      ],
      [
        fileWith('', ''),
        ['6:20 error: trigger has nothing; expected the keys actor, condition, action, operator or own'],
      ],
      [
        'achievements:\n  achievement: {}\n',
        ['2:3 error: the list achievements has keys; expected a list, each part after "- "'],
      ],
      [
        'acheivements: []\n',
        [
          '1:1 error: acheivements is not a key of the file, and has no effect; expected version, actions, achievements or webhooks; did you mean achievements?',
        ],
      ],
      ['', ['1:1 error: the file is empty; expected version, achievements']],
      ['# only a comment\n', ['1:1 error: the file is empty; expected version, achievements']],
      ['just text', ['1:1 error: the file has text; expected the keys version, actions, achievements or webhooks']],
      [
        'version: 2\nachievements: []\n',
        ['1:10 warning: this version is not known, and read as 0.0.1; expected 0.0.1'],
      ],
      [
        fileWith('{ actor: author, action: star, condition: [1] }'),
        [
          '6:62 error: condition has a list; expected a condition, as in merged = true & count() >= 5; without one, everything of this action counts',
        ],
      ],
      [
        fileWith('{ actor: author, action: star, condition: }'),
        ['6:22 warning: there is no condition, so that each star counts; expected condition: count() >= 1'],
      ],
      [
        fileWith('{ actor: resolved_by, action: pull_request, condition: merged = true }'),
        [
          '6:50 error: resolved_by has no pull_request; expected issue or discussion for resolved_by, or pull_request with the actor author, assignees or reviewers',
        ],
      ],
      [
        fileWith('{ Actor: Author, action: star, condition: starred = true }'),
        [
          '6:22 warning: Actor is not written so; expected actor',
          '6:29 warning: Author is not written so; expected author',
        ],
      ],
    ];
    for (const [file, expected] of cases) assert.deepEqual(reported(file), expected, file);
  });

  it('reports places in a condition as places in the file, in every YAML notation', () => {
    const field =
      'first, first_in_organization, merged, closed, comments, reactions, additions, deletions, changed_files, commits, labels, emojis, reactors, files, actor, created_at, merged_at or closed_at';
    const fault = (position: string): string[] => [
      `${position} error: coments is not a field of pull_request; expected ${field}; did you mean comments?`,
    ];
    assert.deepEqual(reported(conditionIn('merged = true & coments > 5')), fault('9:40'));
    assert.deepEqual(reported(conditionIn(`"labels in ['b'] & coments > 5"`)), fault('9:43'));
    assert.deepEqual(reported(conditionIn(`'labels in [''b''] & coments > 5'`)), fault('9:45'));
    assert.deepEqual(reported(conditionIn(`"labels in [\\"b\\"] & coments > 5"`)), fault('9:45'));
    assert.deepEqual(reported(conditionIn(`merged = true\n              &   coments > 5`)), fault('10:19'));
    assert.deepEqual(
      reported(conditionIn(`>-\n              merged = true &\n              coments > 5`)),
      fault('11:15'),
    );
    assert.deepEqual(
      reported(conditionIn(`|\n              merged = true &\n\n              coments > 5`)),
      fault('12:15'),
    );
    assert.deepEqual(reported(conditionIn('merged = true & coments > 5').replaceAll('\n', '\r\n')), fault('9:40'));
  });

  it('requires a day for type once, and warns of a day without that type', () => {
    const forms = 'MM-DD-YYYY or YYYY-MM-DD';
    const cases: [string, string[]][] = [
      ['type: once', [`5:13 error: the date of the evaluation is missing; expected metadata: { date: ${forms} }`]],
      [
        'metadata: { date: 01-19-2024 }',
        [
          '5:25 warning: this date has no effect: the achievement can be earned at any time; expected type: once beside it, or no date',
        ],
      ],
      [
        'type: once\n      metadata: { date: 19-01-2024 }',
        [`6:25 error: there is no month 19; expected a day, as ${forms}; did you mean 01-19-2024?`],
      ],
      [
        'type: once\n      metadata: { date: 2024-01-19 12:00 }',
        [`6:25 error: 2024-01-19 12:00 has a time; expected a day, as ${forms}`],
      ],
      ['type: once\n      metadata: { Date: 2024-01-19 }', ['6:19 warning: Date is not written so; expected date']],
      ['type: never', ['5:13 error: type cannot be never; expected ongoing or once']],
    ];
    for (const [keys, expected] of cases) assert.deepEqual(reported(fileWith(star, `      ${keys}\n`)), expected, keys);
    const { config } = readText(fileWith(star, '      type: once\n      metadata: { date: 2024-01-19 }\n'));
    assert.equal(config.achievements[0]?.evaluateAt?.toISOString(), '2024-01-20T00:00:00.000Z');
  });

  it('reads names as text, even where YAML reads another type, and icons as URLs or paths', () => {
    for (const [name, expected] of [
      ['2024', '2024'],
      ['007', '007'],
      ['yes', 'yes'],
      ['true', 'true'],
      ['1e3', '1e3'],
      ["'null'", 'null'],
      ['"Größe \\u00e9 🏆"', 'Größe é 🏆'],
    ]) {
      const { config, reports } = readText(fileWith(star).replace('Hero', name ?? ''));
      assert.deepEqual([config.achievements[0]?.name, reports], [expected, []]);
    }
    for (const name of ['null', '~', '""', "'  '"]) {
      assert.match(reported(fileWith(star).replace('Hero', name))[0] ?? '', /^4:13 error: name (has nothing|is empty)/);
    }
    assert.equal(toIcon('https://serverpod.dev/badges/pr-1.webp'), 'https://serverpod.dev/badges/pr-1.webp');
    assert.equal(toIcon('./.vaunt/a b.png'.replace(' ', '_')), '.vaunt/a_b.png');
    assert.equal(toIcon('Bilder/Größe.SVG'), 'Bilder/Größe.SVG');
    for (const icon of [
      '<icon_url>',
      'icon_url',
      '../a.png',
      'a/../b.png',
      '/etc/a.png',
      'javascript:alert(1).png',
      'https://user:secret@host/a.png',
      'file.txt',
      'data:image/png',
    ]) {
      assert.match(String(toIcon(`"${icon}"`)), / is not an image, and the achievement has none$/, icon);
    }
  });

  it('suggests an address without a space for an icon', () => {
    const { reports } = readText(fileWith(star, '      icon: "https://a.org/b c.png"\n'));

    assert.equal(reports[0]?.suggestion, 'https://a.org/b%20c.png');
  });

  it('takes a trigger without a condition for each contribution, unless another key may be meant as one', () => {
    const { config } = readText(fileWith('{ actor: author, action: star }'));

    assert.deepEqual(config.achievements[0]?.triggers[0]?.[0]?.condition, { kind: 'and', terms: [], start: 0, end: 0 });
    assert.deepEqual(readText(fileWith('{ actor: author, action: star, if: starred = true }')).config.achievements, []);
  });

  it('reports a sign without quotes, which would be an empty text', () => {
    const file = triggers('', '').replace(
      '        - trigger: { actor: author, action: star, condition: starred = true }\n',
      '        - trigger:\n            actor: author\n            action: star\n            condition: starred = true\n            operator: |\n',
    );

    assert.match(reported(file)[0] ?? '', /^9:23 error: operator has a sign without quotes.*; did you mean "\|"\?$/);
    assert.deepEqual(readText(file).config.achievements, []);
  });

  it('groups triggers that are joined by "|"', () => {
    const or = ', operator: "|"';
    const and = ', operator: "&"';
    assert.deepEqual(groups(triggers(and, '', '')), [1, 1, 1]);
    assert.deepEqual(groups(triggers(or, or, '')), [3]);
    assert.deepEqual(reported(triggers(or, or, '')), []);
    assert.deepEqual(groups(triggers(and, or, or)), [1, 2]);
    assert.deepEqual(reported(triggers(and, or, or)), [
      '6:88 warning: triggers joined by "|" count as one here, and all the others have to hold besides; expected triggers that are joined in one way alone',
      '7:88 warning: there is no next trigger that this one could be joined to; expected operator at the trigger before it, or not at all',
    ]);
  });

  it('requires conditions on points to name point actions that exist and have no errors', () => {
    const file = `actions:
  - action: { type: point, name: prs, triggers: [ { trigger: { actor: author, action: pull_request, condition: merged = true, value: 10 } } ] }
  - action: { type: points, name: broken, triggers: [ { trigger: { actor: author, action: point, condition: points > 1, value: 0, operator: "&" } } ] }
  - action: { type: point, name: prs, triggers: [] }
achievements:
  - achievement: { name: A, triggers: [ { trigger: { actor: author, action: point, condition: sum(prs) >= 5 } } ] }
  - achievement: { name: B, triggers: [ { trigger: { actor: author, action: point, condition: 'sum(prs, broken) >= 5' } } ] }
  - achievement: { name: C, triggers: [ { trigger: { actor: author, action: point, condition: rank(1) sum(prz) } } ] }
  - achievement: { name: D, triggers: [ { trigger: { actor: author, action: point, condition: rank(1) sum(prs) } } ] }
`;
    assert.deepEqual(reported(file), [
      '3:21 error: type cannot be points; expected point; did you mean point?',
      '3:91 error: action cannot be point; expected pull_request, review, commit, issue, issue_comment, pull_request_comment, discussion or star',
      '3:128 error: value cannot be 0; expected a whole number from 1 to 1000000',
      '3:131 warning: operator is not a key of trigger, and has no effect; expected actor, condition, action, value or own',
      '4:34 error: there is another point action prs; expected a name of its own',
      '4:49 error: the list triggers is empty; expected at least one part after "- "',
      '7:95 error: the point action broken that this requires has an error; expected a point action without errors',
      '8:107 error: prz is not a point action of the file; expected prs or broken; did you mean prs?',
      '9:95 warning: every account that ever has this rank gets the achievement; expected type: once with a date, at which the rank counts',
    ]);
    const { config } = readText(file);
    assert.deepEqual(
      config.achievements.map(({ name }) => name),
      ['A', 'D'],
    );
    assert.deepEqual(
      config.pointActions.map(({ name, rules }) => [name, rules.map(({ value }) => value)]),
      [['prs', [10]]],
    );
  });

  it('requires webhooks to name achievements that exist, and valid targets', () => {
    const discussion = 'type: github, metadata: { discussion: { repository: o/n, title: T } }';
    assert.deepEqual(reported(webhook(discussion)), []);
    assert.deepEqual(reported(webhook(discussion.replace('o/n', 'group/sub.group/project'))), []);
    assert.deepEqual(reported(webhook(url('slack', 'https://hooks.slack.example/services/x'))), []);
    assert.deepEqual(readText(webhook(url('http', 'https://example.org/hook'))).config.webhooks, [
      { name: 'news', type: 'http', url: 'https://example.org/hook', achievements: ['Hero'] },
    ]);
    const cases: [string, string][] = [
      [
        webhook(discussion, 'Heroes'),
        '8:146 error: there is no achievement Heroes; expected the name of an achievement of the file; did you mean Hero?',
      ],
      [webhook(discussion.replace('o/n', 'o')), '8:80 error: repository cannot be o; expected owner/name'],
      [webhook(discussion.replace('o/n', 'o//n')), '8:80 error: repository cannot be o//n; expected owner/name'],
      [
        webhook(url('http', 'http://example.org')),
        '8:57 error: url cannot be http://example.org; expected an address that begins with https://',
      ],
      [
        webhook(url('discord', 'https://user@example.org')),
        '8:60 error: url cannot be https://user@example.org; expected an address that begins with https://',
      ],
      [
        webhook(url('github', 'https://example.org')),
        '8:52 error: metadata has no discussion; expected discussion: where the comments go',
      ],
      [webhook(url('email', 'x')), '8:34 error: type cannot be email; expected github, http, slack or discord'],
    ];
    for (const [file, expected] of cases) assert.equal(reported(file)[0], expected);
  });
});
