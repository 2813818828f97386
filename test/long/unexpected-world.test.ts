import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { isThorough } from '../depth.ts';
import { dependents } from '../mutation/dependents.ts';
import { openGround } from '../mutation/ground.ts';
import { hosts } from '../mutation/hosts.ts';
import { Items } from '../mutation/items.ts';
import { visibleIn } from '../mutation/judge.ts';
import { addRandomActivity } from '../mutation/random-world.ts';
import { type Outcome, readWorld, type Stage } from '../mutation/run.ts';
import { openScene } from '../mutation/scene.ts';
import { textsOf } from '../mutation/snapshot.ts';
import { UnexpectedItems } from '../mutation/unexpected.ts';

const seed = Number(process.env['MUTATION_SEED'] ?? (process.env['CI'] ? 1 : randomInt(1e6)));
const percent = 5;

/** A short run tries one host. */
const tried = hosts.filter((_, index) => isThorough || index === seed % hosts.length);

describe('tolerance of unexpected items', () => {
  for (const host of tried) {
    it(`returns true counters or names them as missing with ${percent} % unexpected items on ${host.name} (MUTATION_SEED=${seed})`, async () => {
      await using scene = await openScene({
        ...host,
        createWorld: () => addRandomActivity(host.createWorld(), seed),
      });
      await using ground = await openGround(scene);
      await ground.save('empty');
      const read = (stage: Stage): Promise<Outcome> => readWorld(scene, ground, stage, { maxRequests: 20_000 });
      const expected = { first: await read('first'), again: await read('again') };
      assert.deepEqual([...expected.first.faults, ...expected.again.faults], []);
      const items = new Items(scene.world.world, expected.first.snapshot);
      const unexpected = new UnexpectedItems({ host, items, seed, percent });
      await ground.restore('empty');
      scene.onExchange = (exchange) => unexpected.rewrite(exchange);
      for (const stage of ['first', 'again'] as const) {
        const found = await read(stage);
        assert.ok(unexpected.met.size > 0);
        const problems = [
          ...endsLate(found, expected[stage]),
          ...wrongCounters(found, expected[stage], unexpected.met.size),
          ...changed(found, expected[stage], unexpected.met),
        ];
        assert.deepEqual(problems, [], stage);
      }
    });
  }
});

function endsLate({ faults, requests, jobs }: Outcome, expected: Outcome): string[] {
  return [
    ...faults,
    ...(requests > 2 * expected.requests + 30 ? [`${requests} requests instead of ${expected.requests}`] : []),
    ...(jobs > 2 * expected.jobs + 30 ? [`${jobs} jobs instead of ${expected.jobs}`] : []),
  ];
}

/**
 * Returns wrong counters: a counter that is not named as missing must be true, a missing one may be too small by at
 * most the number of unexpected items.
 */
function wrongCounters(found: Outcome, expected: Outcome, unexpected: number): string[] {
  const wrong: string[] = [];
  for (const [key, was] of expected.snapshot.rows) {
    if (!key.startsWith('counters ')) continue;
    const is = found.snapshot.rows.get(key);
    const missing = new Set(textsOf(is, 'missing'));
    for (const name of Object.keys(was).filter((column) => column !== 'missing')) {
      const [before, now] = [Number(was[name] ?? 0), Number(is?.[name] ?? 0)];
      // A counter that was never complete is null.
      const isClose = is?.[name] === null || (now <= before && now >= before - unexpected);
      const isRight = missing.has(name) ? isClose : is?.[name] === was[name];
      if (!isRight) wrong.push(`${key} ${name}: ${now} instead of ${before}${missing.has(name) ? ', missing' : ''}`);
    }
  }
  return wrong;
}

/** Returns the items that differ without depending on an unexpected item, and the items that became visible. */
function changed(found: Outcome, expected: Outcome, met: ReadonlySet<string>): string[] {
  const affected = dependents(expected.snapshot, met);
  const things = /^(?:contribution|commit|repository) /;
  const others = [...expected.snapshot.rows].filter(([key]) => things.test(key) && !affected.has(key));
  const wrong = others.flatMap(([key, was]) => {
    const is = found.snapshot.rows.get(key);
    return isDeepStrictEqual(is, was) ? [] : [`${key}: ${JSON.stringify(is)} instead of ${JSON.stringify(was)}`];
  });
  const before = visibleIn(expected.snapshot);
  const shown = [...visibleIn(found.snapshot)].filter((key) => !before.has(key));
  return [...wrong, ...shown.map((key) => `${key} is shown`)];
}
