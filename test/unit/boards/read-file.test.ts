import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boardWith, readText, reported } from './reported.ts';

/** The example of the specification. */
const example = `version: 1
boards:
  - board:
      name: Release 4 sprint
      slug: release-4                      # letters, digits, hyphens; unique per owner; not "preview"
      description: Everything that ships in 4.0.
      repositories: [acme/*, "!acme/sandbox", codeberg/acme/tools]
      private: false
      window: { since: 2026-10-01, until: 2026-10-31, time_zone: Europe/Berlin }
      points:
        - { actor: author, action: pull_request, condition: "merged = true", at: merged, points: 5, per_day: 20 }
        - { actor: reviewer, action: pull_request, condition: "merged = true", points: 3 }
        - { actor: author, action: issue, condition: "labels in ['bug'] & closed = true & reason = COMPLETED", points: 2 }
        - { action: commit, points: 1, decay: 0.5 }
      people: { bots: false, exclude: [acme-ci], only_members_of: acme/core }
      teams: { red: [ada, "@acme/compilers"], blue: [grace] }
      grants:
        - { person: ada, points: 40, reason: Release manager, granted_by: grace, until: 2026-12-31 }
      self_merged: false
      spam_labels: [spam, invalid]
      threshold: 50
      ties: shared
`;

describe('the boards file', () => {
  it('reads the example of the specification', () => {
    assert.deepEqual(reported(example), []);
    const [board] = readText(example).boards;
    assert.ok(board);
    const { rules, definition: _definition, repositories, ...rest } = board;
    assert.deepEqual(rest, {
      name: 'Release 4 sprint',
      slug: 'release-4',
      description: 'Everything that ships in 4.0.',
      isPrivate: false,
      window: { kind: 'range', since: '2026-10-01', until: '2026-10-31', timeZone: 'Europe/Berlin' },
      people: {
        withBots: false,
        exclude: [{ provider: 'github', login: 'acme-ci' }],
        newcomersAlone: false,
        onlyMembersOf: { provider: 'github', organization: 'acme', team: 'core' },
      },
      teams: [
        {
          name: 'red',
          people: [{ provider: 'github', login: 'ada' }],
          hostTeams: [{ provider: 'github', organization: 'acme', team: 'compilers' }],
        },
        { name: 'blue', people: [{ provider: 'github', login: 'grace' }], hostTeams: [] },
      ],
      grants: [
        {
          person: { provider: 'github', login: 'ada' },
          points: 40,
          reason: 'Release manager',
          grantedBy: 'grace',
          until: '2026-12-31',
        },
      ],
      countsSelfMerged: false,
      spamLabels: ['spam', 'invalid'],
      threshold: 50,
      ties: 'shared',
    });
    assert.deepEqual(
      rules.map(({ actor, action, text, points, perDay, decay, at }) => [
        actor,
        action,
        text,
        points,
        perDay,
        decay,
        at,
      ]),
      [
        ['author', 'pull_request', 'merged = true', 5, 20, 0, 'merged'],
        ['reviewers', 'pull_request', 'merged = true', 3, null, 0, null],
        ['author', 'issue', "labels in ['bug'] & closed = true & reason = COMPLETED", 2, null, 0, null],
        ['author', 'commit', '', 1, null, 0.5, null],
      ],
    );
    assert.deepEqual(
      repositories.map(({ isIncluded, places }) => ({
        isIncluded,
        places: places.map((place) => Object.values(place).join(' ')),
      })),
      [
        { isIncluded: true, places: ['github acme *'] },
        { isIncluded: false, places: ['github acme sandbox'] },
        { isIncluded: true, places: ['github codeberg/acme tools', 'codeberg acme tools'] },
      ],
    );
  });

  it('reads a board again from its own definition', () => {
    const [board] = readText(example).boards;
    assert.ok(board);
    const { provider: _provider, ...fields } = Object(board.definition);
    const again = readText(JSON.stringify({ version: 1, boards: [{ board: fields }] }));
    assert.deepEqual(again.reports, []);
    assert.deepEqual(Object(again.boards[0]).definition, board.definition);
  });

  it('skips a faulty board alone, and reports every fault of it with its place', () => {
    const file = `version: 1
boards:
  - board:
      name: Faulty
      slug: faulty one
      repositorys: [acme/*]
      points:
        - { actor: authr, action: commit, points: 1 }
        - { action: commits, points: 1 }
        - { action: issue, condition: "lables in ['bug']", points: 0 }
        - { action: issue, condition: "lables in ['bug']", points: 1 }
  - board: { name: Whole, slug: whole, repositories: [acme/tools], points: [{ action: commit, points: 1 }] }
  - board: { name: Other, slug: Whole, repositories: [acme/tools], points: [{ action: commit, points: 1 }] }
`;
    assert.deepEqual(reported(file), [
      '5:13 error: slug cannot be faulty one; expected letters, digits and hyphens, for its address',
      '6:7 error: repositorys is not a key of board, and has no effect; expected name, slug, description, repositories, private, window, points, people, teams, grants, self_merged, spam_labels, threshold or ties; did you mean repositories?',
      '8:20 error: actor cannot be authr; expected author, resolved_by, assignees, reviewers or reviewer; did you mean author?',
      '9:21 error: action cannot be commits; expected pull_request, review, commit, issue, issue_comment, pull_request_comment, discussion or star; did you mean commit?',
      '10:40 error: lables is not a field of issue; expected first, first_in_organization, closed, comments, reactions, labels, emojis, reactors, actor, reason, created_at or closed_at; did you mean labels?',
      '10:68 error: points cannot be 0; expected a whole number from 1 to 1000000',
      '11:40 error: lables is not a field of issue; expected first, first_in_organization, closed, comments, reactions, labels, emojis, reactors, actor, reason, created_at or closed_at; did you mean labels?',
      '13:33 error: there is another board with the slug Whole; expected a slug of its own',
    ]);
    assert.deepEqual(
      readText(file).boards.map(({ name }) => name),
      ['Whole'],
    );
  });

  it('limits the number of boards, repositories and rules', () => {
    const list = (count: number, part: (index: number) => string): string =>
      `[${Array.from({ length: count }, (_, index) => part(index)).join(', ')}]`;
    const rule = '{ action: commit, points: 1 }';
    const boards = (count: number): string =>
      `boards: ${list(count, (index) => `{ board: { name: B, slug: b${index}, repositories: [a/b], points: [${rule}] } }`)}`;
    const limits: [string, string, string[]][] = [
      [boards(50), boards(51), ['error: the list boards has 51 parts; expected at most 50']],
      [
        boardWith('', { repositories: list(500, (index) => `a/r${index}`) }),
        boardWith('', { repositories: list(501, (index) => `a/r${index}`) }),
        ['error: the list repositories has 501 parts; expected at most 500'],
      ],
      [
        boardWith('', { points: list(50, () => rule) }),
        boardWith('', { points: list(51, () => rule) }),
        ['error: the list points has 51 parts; expected at most 50'],
      ],
    ];
    for (const [largest, tooLarge, expected] of limits) {
      assert.deepEqual(reported(largest), []);
      assert.deepEqual(
        reported(tooLarge).map((report) => report.replace(/^\d+:\d+ /, '')),
        expected,
      );
    }
  });

  it('reports a file that is no list of boards', () => {
    assert.deepEqual(reported(''), ['1:1 error: the file is empty; expected version, boards']);
    assert.deepEqual(reported('version: 2\nboards: []\n'), [
      '1:10 warning: this version is not known, and read as 1; expected 1',
    ]);
    assert.deepEqual(reported('boards:\n  - board:\n    name: x\n'), [
      '3:5 error: name is not indented deeper than board; expected the keys of board two spaces further in',
    ]);
  });
});
