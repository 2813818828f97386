import fc from 'fast-check';
import { moments } from '../../../src/recognition/boards/board.ts';
import { trigger } from '../achievements/evaluation/random-achievements.ts';
import type { RuleText } from './naive-board.ts';

/** A rule of a board, with a moment that its action has. */
export const randomRule: fc.Arbitrary<RuleText> = fc
  .record({
    trigger: trigger(true),
    points: fc.integer({ min: 1, max: 9 }),
    perDay: fc.option(fc.integer({ min: 1, max: 20 }), { freq: 2 }),
    decay: fc.constantFrom(0, 0, 0.5, 1, 3),
    at: fc.option(fc.constantFrom(...moments), { freq: 2 }),
  })
  .map(({ trigger: read, ...rest }) => {
    const ends = { pull_request: moments, issue: ['created', 'closed'], discussion: ['created', 'closed'] };
    const possible: readonly string[] = Object.entries(ends).find(([action]) => action === read.action)?.[1] ?? [
      'created',
    ];
    return Object.assign(rest, read, { at: possible.includes(rest.at ?? '') ? rest.at : null });
  });

/** Returns a rule as a file has it. */
export function writtenRule({ actor, action, condition, points, perDay, decay, at }: RuleText): object {
  return {
    actor,
    action,
    ...(condition !== '' && { condition }),
    points,
    ...(perDay !== null && { per_day: perDay }),
    ...(decay > 0 && { decay }),
    ...(at !== null && { at }),
  };
}
