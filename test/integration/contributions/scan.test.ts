import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { saveContributions } from '../../../src/contributions/items/contribution-store.ts';
import { countSeen, deleteSeen, removeUnseen } from '../../../src/contributions/items/scan-store.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { type Contribution, noDetails } from '../../../src/model/contribution.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { addRepository } from './stored-repository.ts';

const stream = 'issues';
const dayMs = 86_400_000;
/** A day by its number; scans begin on days above 100. */
const day = (number: number): Date => new Date(Date.UTC(2026, 0, 1) + number * dayMs);

function issue(number: number, facts: Partial<Contribution> = {}): Contribution {
  return {
    kind: 'issue',
    externalId: String(number),
    parentExternalId: null,
    author: null,
    createdAt: day(number),
    updatedAt: day(number),
    closedAt: null,
    mergedAt: null,
    answered: false,
    answeredBy: null,
    details: { ...noDetails, number, labels: ['bug'] },
    ...facts,
  };
}

/** Stores a page as a full scan does, or as a delivery or poll does. */
async function save(
  { connection }: Database,
  repositoryId: string,
  contributions: Contribution[],
  read: { startedAt: Date; isScan: boolean },
): Promise<void> {
  await inTransaction(connection, (transaction) =>
    saveContributions(transaction, {
      repositoryId,
      contributions,
      accountIds: new Map(),
      wholeParents: [],
      seenAt: read.startedAt,
      ...(read.isScan && { scan: { stream, isFull: true } }),
    }),
  );
}

/** Returns the place of each stored row; an update moves a row. */
async function findPlaces({ pool }: Database): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ id: string; place: string }>(
    `select external_id as id, ctid::text || ' ' || xmin || ' ' || xmax as place from contributions`,
  );
  return new Map(rows.map(({ id, place }) => [id, place]));
}

describe('full scan of a stream', () => {
  it('rewrites only contributions that changed, and removes those that it did not see', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const repositoryId = await addRepository(database.connection);
    const first = { startedAt: day(101), isScan: true };
    await save(
      database,
      repositoryId,
      [1, 2, 3, 4, 5, 6].map((number) => issue(number)),
      first,
    );
    await deleteSeen(database.connection, repositoryId, stream);
    const before = await findPlaces(database);

    const startedAt = day(102);
    const scan = { repositoryId, stream, kinds: ['issue'], startedAt } as const;
    await save(database, repositoryId, [issue(1), issue(2, { closedAt: day(50) })], { startedAt, isScan: true });
    assert.equal(await countSeen(database.connection, scan), 2);
    // The third carries no details, as before an installation.
    await save(database, repositoryId, [issue(3, { details: null }), issue(7)], { startedAt, isScan: true });
    // A page may be read twice.
    await save(database, repositoryId, [issue(3), issue(7)], { startedAt, isScan: true });
    // Meanwhile the fifth changes, and a poll reports the sixth as it was.
    await save(database, repositoryId, [issue(5, { updatedAt: day(103) })], { startedAt: day(103), isScan: false });
    await save(database, repositoryId, [issue(6)], { startedAt: day(103), isScan: false });
    assert.equal(await countSeen(database.connection, scan), 6);
    await inTransaction(database.connection, (transaction) => removeUnseen(transaction, scan));
    await deleteSeen(database.connection, repositoryId, stream);

    const after = await findPlaces(database);
    assert.deepEqual([...after.keys()].toSorted(), ['1', '2', '3', '5', '6', '7']);
    const same = [...after].filter(([id, place]) => before.get(id) === place).map(([id]) => id);
    assert.deepEqual(same.toSorted(), ['1', '3']);
    const { rows } = await database.pool.query(
      `select (select count(*) from scan_pages) as pages,
         (select closed_at is not null from contributions where external_id = '2') as "isClosed",
         (select labels from contributions where external_id = '3') as labels`,
    );
    assert.deepEqual(rows, [{ pages: 0, isClosed: true, labels: ['bug'] }]);
  });

  it('does not replace a newer state, and does not remove it', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const repositoryId = await addRepository(database.connection);
    await save(database, repositoryId, [issue(1, { updatedAt: day(90), closedAt: day(90) })], {
      startedAt: day(101),
      isScan: false,
    });
    const startedAt = day(102);
    await save(database, repositoryId, [issue(1)], { startedAt, isScan: true });
    await inTransaction(database.connection, (transaction) =>
      removeUnseen(transaction, { repositoryId, stream, kinds: ['issue'], startedAt }),
    );
    const { rows } = await database.pool.query('select closed_at from contributions');
    assert.deepEqual(rows, [{ closed_at: day(90) }]);
  });
});
