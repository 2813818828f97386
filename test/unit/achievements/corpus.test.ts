import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readConfigFile } from '../../../src/recognition/achievements/config-file.ts';
import { corpusFile, reported } from './reported.ts';

/** Files of public repositories (owner__repository), the number of parts of each that count, and all reports on it. */
const unknownAchievement = (position: string, name: string): string =>
  `${position} error: there is no achievement ${name}; expected the name of an achievement of the file`;
const corpus: [name: string, counts: { achievements: number; events: number }, reports: string[]][] = [
  ['VauntDev__docs', { achievements: 2, events: 0 }, []],
  ['VauntDev__example', { achievements: 5, events: 5 }, []],
  ['VauntDev__tqla', { achievements: 5, events: 0 }, []],
  [
    'daytonaio__content',
    { achievements: 6, events: 1 },
    [
      unknownAchievement('75:20', 'Tech Scribe'),
      unknownAchievement('78:20', 'Parable Crafter'),
      unknownAchievement('81:20', 'Koan Master'),
      unknownAchievement('87:20', 'Cosmic Observer'),
      unknownAchievement('90:20', 'Quantum Proposer'),
    ],
  ],
  ['nexu-io__nexu', { achievements: 20, events: 0 }, []],
  ['serverpod__serverpod', { achievements: 20, events: 15 }, []],
];

describe('achievements files of public repositories', () => {
  for (const [name, counts, reports] of corpus) {
    it(`counts every part without a fault and reports each fault in ${name}`, () => {
      const { config } = readConfigFile(corpusFile(name));
      const events = config.webhooks.flatMap(({ achievements }) => achievements);
      assert.deepEqual({ achievements: config.achievements.length, events: events.length }, counts);
      assert.deepEqual(reported(corpusFile(name)), reports);
    });
  }

  it('reads the contents of the files as they are written', () => {
    const { config } = readConfigFile(corpusFile('VauntDev__tqla'));
    const sunrise = config.achievements.find(({ name }) => name === 'Tqla Sunrise');
    assert.equal(sunrise?.description, 'a shining example of your contribution to tqla!');
    assert.deepEqual(
      sunrise?.triggers.map((group) => group.map(({ actor, action, text }) => `${actor} ${action} ${text}`)),
      [['author pull_request merged = true', 'reviewers pull_request merged = true']],
    );
    const { webhooks } = readConfigFile(corpusFile('serverpod__serverpod')).config;
    const { achievements, ...webhook } = webhooks[0] ?? { achievements: [] };
    assert.deepEqual(webhook, {
      name: 'achievements',
      type: 'github',
      repository: 'serverpod/serverpod',
      title: 'Serverpod Achievements',
    });
    assert.equal(achievements[0], 'Nebula Novice');
  });
});
