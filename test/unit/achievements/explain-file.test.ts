import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readConfigFile } from '../../../src/recognition/achievements/config-file.ts';
import { explainDemand, explainFile } from '../../../src/recognition/rules/file/explain-file.ts';
import { corpusFile, fileWith, readText } from './reported.ts';

function explained(actor: string, action: string, condition: string): string {
  const [sentence = ''] = explainFile(
    readText(fileWith(`{ actor: ${actor}, action: ${action}, condition: ${JSON.stringify(condition)} }`)).config,
  );
  return sentence.replace('Hero: a person needs ', '');
}

describe('explanation of an achievements file', () => {
  it('says what a person needs', () => {
    for (const [actor, action, condition, sentence] of [
      ['author', 'pull_request', 'merged = true', 'at least one pull request of their own, which is merged.'],
      [
        'author',
        'pull_request',
        "merged = true & labels in ['bug', 'fix'] & count() >= 5",
        "at least 5 pull requests of their own, each of which is merged and has the labels 'bug' or 'fix'.",
      ],
      [
        'resolved_by',
        'issue',
        'count(reason = COMPLETED) > 2 | age(days) < 3',
        '(more than 2 issues that they closed, each of which was closed as completed or at least one issue that they closed, which was open for fewer than 3 days).',
      ],
      [
        'author',
        'review',
        'state = changes_requested & comments > 1',
        'at least one review of their own, which is a request for changes and has more than 1 comments.',
      ],
      [
        'author',
        'commit',
        "files in ['docs/index.md'] & created_at <= 2024-05-06",
        "at least one commit of their own, which has changes of the files 'docs/index.md' and was created on or before 2024-05-06.",
      ],
      ['author', 'star', 'starred = true', 'at least one star for the repository, which is starred.'],
      [
        'assignees',
        'pull_request',
        'comments >= 3',
        'at least one pull request assigned to them, which has at least 3 comments.',
      ],
    ] as const) {
      assert.equal(explained(actor, action, condition), sentence);
    }
  });

  it('shows how several triggers are joined, and what points are given for', () => {
    const { config } = readText(`version: 0.0.1
actions:
  - action:
      type: point
      name: prs
      triggers: [ { trigger: { actor: author, action: pull_request, condition: merged = true, value: 10 } } ]
achievements:
  - achievement:
      name: Hero
      type: once
      metadata: { date: 2024-01-19 }
      triggers:
        - trigger: { actor: author, action: issue, condition: closed = true, operator: "|" }
        - trigger: { actor: author, action: review }
        - trigger: { actor: author, action: point, condition: rank(1) sum(prs) }
`);

    assert.deepEqual(explainFile(config), [
      'prs: 10 points for each pull request of their own, which is merged.',
      'Hero: a person needs (at least one issue of their own, which is closed or at least one review of their own) and rank 1 by points of prs at 2024-01-20T00:00 UTC, when it is decided once.',
    ]);
  });

  it('names the achievements for which lines and files are collected', () => {
    const trigger = (action: string, condition: string): string =>
      `[ { trigger: { actor: author, action: ${action}, condition: "${condition}" } } ]`;
    const { config } = readText(`version: 0.0.1
achievements:
  - achievement: { name: Docs, triggers: ${trigger('pull_request', "files in ['docs/a.md']")} }
  - achievement: { name: Merged, triggers: ${trigger('pull_request', 'additions > 5')} }
  - achievement: { name: Lines, triggers: ${trigger('commit', 'additions > 5 & deletions > 5')} }
  - achievement: { name: Guides, triggers: ${trigger('pull_request', "files in ['docs/b.md']")} }
`);
    assert.deepEqual(
      explainDemand(config).map((sentence) => sentence.slice(0, sentence.indexOf(';'))),
      [
        'Changed files of pull requests are collected only because this file needs them, for Docs and Guides',
        'Changed lines of commits are collected only because this file needs them, for Lines',
      ],
    );
  });

  it('explains every achievement of public files', () => {
    const names = readdirSync(new URL('corpus', import.meta.url)).map((file) => file.replace('.yaml', ''));
    for (const name of names) {
      const { config } = readConfigFile(corpusFile(name));
      const sentences = explainFile(config);
      assert.equal(sentences.length, config.achievements.length + config.pointActions.length, name);
      for (const sentence of sentences) assert.match(sentence, /^.+: .+\.$/s);
    }
  });
});
