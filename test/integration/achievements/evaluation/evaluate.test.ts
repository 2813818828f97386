import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from 'fast-check';
import { checkCondition } from '../../../../src/recognition/rules/conditions/check.ts';
import type { Achievement, PointAction, Trigger } from '../../../../src/recognition/rules/config.ts';
import { evaluate } from '../../../../src/recognition/rules/evaluation/evaluate-store.ts';
import { isThorough } from '../../../depth.ts';
import { reuseTestDatabase } from '../../../reused-database.ts';
import { evaluateNaively } from './naive.ts';
import {
  type AchievementText,
  type PointActionText,
  pointNames,
  randomAchievement,
  randomPointActions,
  type TriggerText,
} from './random-achievements.ts';
import { storeWorld } from './stored-world.ts';
import { beginning, emptyItem, type Item, names, randomWorld } from './world.ts';

let opened: Awaited<ReturnType<typeof reuseTestDatabase>>;

describe('evaluation of conditions', () => {
  before(async () => {
    opened = await reuseTestDatabase();
  });

  after(() => opened[Symbol.asyncDispose]());

  it('finds the same achievements and times for each person as the naive evaluation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record(settings), async ({ world, achievements, pointActions }) => {
        const { repositoryId, accountIds } = await storeWorld(opened.database.pool, world);
        const config = { achievements: achievements.map(toAchievement), pointActions: pointActions.map(toPointAction) };
        const earned = await evaluate(opened.database.connection, repositoryId, config);
        for (const [index, achievement] of achievements.entries()) {
          const evaluated = earned
            .filter((candidate) => candidate.achievement.name === String(index))
            .map(({ accountId, earnedAt }): [number, number] => [accountIds.indexOf(accountId), earnedAt.getTime()]);
          assert.deepEqual(
            inWords(evaluated),
            inWords(evaluateNaively(achievement, world, pointActions)),
            JSON.stringify(achievement),
          );
        }
      }),
      { numRuns: isThorough ? 40 : 4 },
    );
  });

  it('evaluates some people with the same results as in the evaluation of all', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record(settings),
        fc.subarray([0, 1, 2, 3, 4]),
        async ({ world, achievements, pointActions }, some) => {
          const { repositoryId, accountIds } = await storeWorld(opened.database.pool, world);
          const config = {
            achievements: achievements.map(toAchievement),
            pointActions: pointActions.map(toPointAction),
          };
          const selectedIds = some.map((person) => accountIds[person] ?? '');
          const ofSome = await evaluate(opened.database.connection, repositoryId, config, { accountIds: selectedIds });
          const ofAll = await evaluate(opened.database.connection, repositoryId, config);
          const namesEarned = (earned: typeof ofAll): string[] =>
            earned
              .map(
                ({ achievement, accountId, earnedAt }) => `${achievement.name} ${accountId} ${earnedAt.toISOString()}`,
              )
              .toSorted();
          assert.deepEqual(
            namesEarned(ofSome),
            namesEarned(ofAll.filter(({ accountId }) => selectedIds.includes(accountId))),
          );
        },
      ),
      { numRuns: isThorough ? 15 : 2 },
    );
  });

  it('finds the first and later moments of pull requests that are merged in another order than they were created', async () => {
    const day = (number: number): number => beginning + number * 86_400_000;
    const pull = (author: number, created: number, merged: number): Item => ({
      ...emptyItem,
      action: 'pull_request',
      author,
      createdAt: day(created),
      closedAt: day(merged),
      mergedAt: day(merged),
    });
    const { repositoryId, accountIds } = await storeWorld(opened.database.pool, {
      people: names.slice(0, 2).map((name) => ({ name, type: 'user' })),
      items: [pull(0, 0, 5), pull(0, 1, 4), pull(1, 0, 8), pull(1, 1, 6), pull(1, 2, 7)],
    });
    const conditions = [
      '(merged = true | comments > 9) & count() >= 1',
      '(merged = true | comments > 9) & count() >= 3',
    ];
    const achievements = conditions.map((condition) =>
      toAchievement({ day: null, groups: [[{ actor: 'author', action: 'pull_request', condition }]] }, 0),
    );
    const earned = await evaluate(opened.database.connection, repositoryId, { achievements, pointActions: [] });
    assert.deepEqual(
      earned.map(({ achievement, accountId, earnedAt }) => [
        achievements.indexOf(achievement),
        accountIds.indexOf(accountId),
        earnedAt.getTime(),
      ]),
      [
        [0, 0, day(4)],
        [0, 1, day(6)],
        [1, 1, day(8)],
      ],
    );
  });

  it('evaluates the largest numbers and the last dates like any other', async () => {
    const { repositoryId } = await storeWorld(opened.database.pool, {
      people: [{ name: 'Ada', type: 'user' }],
      items: [],
    });
    const largest = 2_147_483_647;
    const conditions = ['=', '!=', '>', '>=', '<', '<='].flatMap((operator) => [
      `count() ${operator} ${largest}`,
      `age(days) ${operator} ${largest}`,
      `age(seconds) ${operator} 0`,
      `comments ${operator} ${largest}`,
      `merged_at ${operator} 2999-12-31`,
      `created_at ${operator} 01-01-1970 00:00`,
      `sum(prs) ${operator} ${largest}`,
    ]);
    const texts = [...conditions, `rank(${largest}) sum(prs)`, `labels in ['\\', '{}', 'a"b', 'NULL']`].map(
      (condition): AchievementText => ({
        day: null,
        groups: [[{ actor: 'author', action: 'pull_request', condition }]],
      }),
    );
    const rule = { actor: 'author', action: 'commit', condition: 'count() >= 1', value: 1_000_000 } as const;
    const config = {
      achievements: texts.map(toAchievement),
      pointActions: pointNames.map((name) => toPointAction({ name, rules: [rule] })),
    };
    assert.deepEqual(await evaluate(opened.database.connection, repositoryId, config), []);
  });
});

function checked({ actor, action, condition: text }: TriggerText, isPointAction: boolean): Trigger {
  const { condition, faults } = checkCondition(text, {
    action,
    pointActions: isPointAction ? [] : pointNames,
    isPointAction,
  });
  if (condition === undefined) throw new Error(`${text}: ${faults[0]?.message}`);
  return { actor, action, condition, text };
}

function toAchievement({ day, groups }: AchievementText, index: number): Achievement {
  return {
    name: String(index),
    icon: '',
    description: '',
    evaluateAt: day === null ? null : new Date(beginning + day * 86_400_000),
    triggers: groups.map((group) => group.map((trigger) => checked(trigger, false))),
  };
}

function toPointAction({ name, rules }: PointActionText): PointAction {
  return { name, rules: rules.map((rule) => Object.assign(checked(rule, true), { value: rule.value })) };
}

const settings = {
  world: randomWorld,
  achievements: fc.array(randomAchievement, { minLength: 40, maxLength: 60, size: 'max' }),
  pointActions: randomPointActions,
};

/** Returns the people who earned an achievement, and the times, as text. */
function inWords(earned: Iterable<[person: number, at: number]>): string[] {
  return [...earned].map(([person, at]) => `${names[person]} ${new Date(at).toISOString()}`).toSorted();
}
