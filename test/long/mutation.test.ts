import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isThorough } from '../depth.ts';
import { isDivisible, recordBaseline } from '../mutation/baseline.ts';
import { openExperiment, type Verdict } from '../mutation/experiment.ts';
import { hosts } from '../mutation/hosts.ts';
import { openMutationDatabase } from '../mutation/mutation-database.ts';
import { hash, type Mutation } from '../mutation/mutations.ts';
import { startObservedHost } from '../mutation/observed-host.ts';
import { formatReport } from '../mutation/report.ts';
import { readWorld, type Stage } from '../mutation/run.ts';

/**
 * Each run tries the same sample, so that its result depends on the code alone; `MUTATION_SEED` chooses another one.
 */
const seed = Number(process.env['MUTATION_SEED'] ?? '1');
const mutationsOfHost = isThorough ? 40 : 1;
const stages: Stage[] = isThorough ? ['first', 'again'] : ['first'];

describe('one unexpected value', () => {
  for (const host of hosts) {
    it(`withstands one unexpected value in a response of ${host.name} (MUTATION_SEED=${seed})`, async () => {
      await using experiment = await openExperiment(host, { stages, seed, provesUnread: false });
      const verdicts: Verdict[] = [];
      for (const mutation of sample(experiment.mutations)) verdicts.push(await experiment.attempt(mutation));
      assert.equal(verdicts.length, mutationsOfHost);
      assert.ok(
        verdicts.every(({ failures }) => failures.length === 0),
        formatReport(verdicts),
      );
    });
  }
});

const divisible = hosts.filter(isDivisible);

describe('Baseline', () => {
  for (const host of divisible.filter((_, index) => isThorough || index === seed % divisible.length)) {
    it(`has the same outcome for runs from each of its steps on ${host.name} (MUTATION_SEED=${seed})`, async () => {
      await using observed = await startObservedHost(host);
      await using database = await openMutationDatabase(observed);
      for (const stage of ['first', 'again'] as const) {
        const baseline = await recordBaseline(observed, database, stage);
        for await (const from of baseline.restoreEach()) {
          const { snapshot, faults, jobs } = await readWorld(observed, database, stage, { from });
          assert.deepEqual(faults, []);
          assert.equal(jobs, baseline.outcome.jobs);
          assert.deepEqual(snapshot.rows, baseline.outcome.snapshot.rows, `before ${JSON.stringify(from.steps[0])}`);
          assert.deepEqual(snapshot.reasons, baseline.outcome.snapshot.reasons);
        }
      }
    });
  }
});

/** Returns mutations of as many operations as possible. */
function sample(mutations: readonly Mutation[]): Mutation[] {
  const shuffled = mutations.toSorted((left, right) => hash(`${seed} ${left.id}`) - hash(`${seed} ${right.id}`));
  const turns = new Map<string, number>();
  const toTurn = ({ stage, operation }: Mutation): number => {
    const key = `${stage} ${operation}`;
    const turn = turns.get(key) ?? 0;
    turns.set(key, turn + 1);
    return turn;
  };
  const ordered = shuffled.map((mutation) => ({ mutation, turn: toTurn(mutation) }));
  return ordered
    .toSorted((left, right) => left.turn - right.turn)
    .slice(0, mutationsOfHost)
    .map(({ mutation }) => mutation);
}
