import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { isThorough } from '../depth.ts';
import { findVisible } from '../mutation/assessor.ts';
import { dependents } from '../mutation/dependents.ts';
import { hosts } from '../mutation/hosts.ts';
import { Items } from '../mutation/items.ts';
import { openMutationDatabase } from '../mutation/mutation-database.ts';
import { startObservedHost } from '../mutation/observed-host.ts';
import { addRandomActivity } from '../mutation/random-world.ts';
import { type Outcome, readWorld, type Stage } from '../mutation/run.ts';
import { listTexts } from '../mutation/snapshot.ts';
import { UnexpectedItems } from '../mutation/unexpected.ts';

const seed = Number(process.env['MUTATION_SEED'] ?? (process.env['CI'] ? 1 : randomInt(1e6)));
const percent = 5;

/** A short run tries one host. */
const triedHosts = hosts.filter((_, index) => isThorough || index === seed % hosts.length);

describe('tolerance of unexpected items', () => {
  for (const host of triedHosts) {
    it(`returns true counters or names them as missing with ${percent} % unexpected items on ${host.name} (MUTATION_SEED=${seed})`, async () => {
      await using observed = await startObservedHost({
        ...host,
        createWorld: () => addRandomActivity(host.createWorld(), seed),
      });
      await using database = await openMutationDatabase(observed);
      await database.save('empty');
      const read = (stage: Stage): Promise<Outcome> => readWorld(observed, database, stage, { maxRequests: 20_000 });
      const expected = { first: await read('first'), again: await read('again') };
      assert.deepEqual([...expected.first.faults, ...expected.again.faults], []);
      const items = new Items(observed.world.world, expected.first.snapshot);
      const unexpected = new UnexpectedItems({ host, items, seed, percent });
      await database.restore('empty');
      observed.onExchange = (exchange) => unexpected.rewrite(exchange);
      for (const stage of ['first', 'again'] as const) {
        const found = await read(stage);
        assert.ok(unexpected.seenKeys.size > 0);
        const problems = [
          ...findExcess(found, expected[stage]),
          ...wrongCounters(found, expected[stage], unexpected.seenKeys.size),
          ...findChanges(found, expected[stage], unexpected.seenKeys),
        ];
        assert.deepEqual(problems, [], stage);
      }
    });
  }
});

function findExcess({ faults, requests, jobs }: Outcome, expected: Outcome): string[] {
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
  for (const [key, expectedRow] of expected.snapshot.rows) {
    if (!key.startsWith('counters ')) continue;
    const foundRow = found.snapshot.rows.get(key);
    const missing = new Set(listTexts(foundRow, 'missing'));
    for (const name of Object.keys(expectedRow).filter((column) => column !== 'missing')) {
      const [before, now] = [Number(expectedRow[name] ?? 0), Number(foundRow?.[name] ?? 0)];
      // A counter that was never complete is null.
      const isClose = foundRow?.[name] === null || (now <= before && now >= before - unexpected);
      const isRight = missing.has(name) ? isClose : foundRow?.[name] === expectedRow[name];
      if (!isRight) wrong.push(`${key} ${name}: ${now} instead of ${before}${missing.has(name) ? ', missing' : ''}`);
    }
  }
  return wrong;
}

/** Returns the items that differ without depending on an unexpected item, and the items that became visible. */
function findChanges(found: Outcome, expected: Outcome, seenKeys: ReadonlySet<string>): string[] {
  const affected = dependents(expected.snapshot, seenKeys);
  const isRepositoryOrItem = /^(?:contribution|commit|repository) /;
  const independent = [...expected.snapshot.rows].filter(([key]) => isRepositoryOrItem.test(key) && !affected.has(key));
  const wrong = independent.flatMap(([key, expectedRow]) => {
    const foundRow = found.snapshot.rows.get(key);
    return isDeepStrictEqual(foundRow, expectedRow)
      ? []
      : [`${key}: ${JSON.stringify(foundRow)} instead of ${JSON.stringify(expectedRow)}`];
  });
  const before = findVisible(expected.snapshot);
  const newlyVisible = [...findVisible(found.snapshot)].filter((key) => !before.has(key));
  return [...wrong, ...newlyVisible.map((key) => `${key} is shown`)];
}
