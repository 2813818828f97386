import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Ranking, Scope } from '../../../src/contributions/contributors/contributor.ts';
import {
  endDifferentRankings,
  findParts,
  findRanking,
  makePart,
} from '../../../src/contributions/contributors/ranking-store.ts';
import { countAll } from '../../../src/contributions/contributors/store.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { openTestDatabase } from '../../database.ts';
import { applyChange, changes, startWorld } from '../../integration/contributions/random-changes.ts';
import {
  isStored,
  readPages,
  scopes,
  start,
  sumContributors,
  withoutBots,
} from '../../integration/contributors/contributor-lists.ts';

describe('listing contributors in parts', () => {
  it('equals the sum over all repositories when changes come between the parts', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    const history = fc.array(fc.tuple(changes, fc.boolean()), { minLength: 5, maxLength: 12 });
    const makeNext = async (scope: Scope): Promise<Ranking | undefined> => {
      const parts = await findParts(connection, scope, 1);
      return inTransaction(connection, (transaction) => makePart(transaction, scope, parts, start));
    };
    const check = async (ranking: Ranking, scope: Scope): Promise<void> => {
      const rows = await sumContributors(connection, scope);
      assert.deepEqual(await readPages(connection, ranking), rows);
      assert.equal(await countAll(connection, ranking, withoutBots), rows.length);
    };
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        await startWorld(connection);
        for (const [change, isKilled] of steps) {
          await applyChange(connection, change, isKilled);
          for (const scope of scopes) {
            if (!(await isStored(connection, scope))) continue;
            const isMade = (await findRanking(connection, scope)) !== undefined;
            const ranking = await makeNext(scope);
            assert.equal((await findRanking(connection, scope)) !== undefined, ranking !== undefined);
            assert.ok(!isMade || ranking !== undefined);
            if (ranking !== undefined) await check(ranking, scope);
          }
        }
        for (const scope of scopes) {
          if (!(await isStored(connection, scope))) continue;
          let ranking: Ranking | undefined;
          while (ranking === undefined) ranking = await makeNext(scope);
          await check(ranking, scope);
          assert.deepEqual(await endDifferentRankings(connection, [scope.accountId], start), []);
        }
      }),
      { numRuns: 5 },
    );
  });
});
