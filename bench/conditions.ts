import { checkCondition } from '../src/recognition/rules/conditions/check.ts';
import type { Action } from '../src/recognition/rules/conditions/vocabulary.ts';
import type { BenchResult } from './bench-result.ts';
import { median } from './load.ts';
import { sized } from './size.ts';

const conditions: readonly [Action, string][] = [
  ['star', 'starred = true'],
  ['pull_request', "merged = true & labels in ['bug'] & count() >= 5"],
  ['issue', "count(labels in ['bug', 'enhancement']) >= 250"],
  ['pull_request', 'merged = true & created_at >= 05-24-2023 & created_at <= 2024-01-15 20:00:00'],
  ['issue', "labels in ['bug'] & reactors in ['ada', 'bob', 'carol'] & reason = COMPLETED"],
  ['pull_request', '(age(days) < 10 | additions > 500) & count(merged = true) >= 3'],
];
const goalPerSecond = 10_000;
const perRound = sized(20_000, 60);
const rounds = sized(7, 1);

/** Measures the conditions that are read and checked in a second, against the claim of ten thousand. */
export async function run(): Promise<BenchResult[]> {
  const speeds = Array.from({ length: rounds }, () => {
    const begun = performance.now();
    for (let index = 0; index < perRound; index += 1) {
      const [action, text] = conditions[index % conditions.length] ?? ['star', ''];
      const { condition } = checkCondition(text, { action, pointActions: [], isPointAction: false });
      if (condition === undefined) throw new Error(`${text} has a fault`);
    }
    return (perRound * 1000) / (performance.now() - begun);
  });
  const perSecond = median(speeds);
  return [
    {
      name: 'conditions',
      ratio: perSecond / goalPerSecond,
      goal: '>=1',
      baseline: '10,000 conditions/s',
      detail: `${Math.round(perSecond).toLocaleString('en')} conditions/s`,
    },
  ];
}
