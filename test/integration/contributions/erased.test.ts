import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { eraseRest } from '../../../bench/erase-person.ts';
import { findRepository } from '../../../src/accounts/repositories/store.ts';
import { findById } from '../../../src/accounts/store.ts';
import { releaseOptOuts } from '../../../src/accounts/visibility/opt-out-store.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { ContributionPage, Provider } from '../../../src/hosts/interface/provider.ts';
import { newCost, type SyncContext } from '../../../src/sync/context.ts';
import { readStream } from '../../../src/sync/streams/read-stream.ts';
import { SkipCollector } from '../../../src/sync/streams/skips.ts';
import { findStreams } from '../../../src/sync/streams/stream-store.ts';
import { begin, erase, grace, now, prepare, pullBy, saveGrace, untilWaiting } from './erasure-fixture.ts';
import { findOrphans } from './orphans.ts';

describe('removal of an erased account from rows', () => {
  it('clears every column that names the account', async () => {
    await using prepared = await prepare();
    const { connection, person } = prepared;
    await inTransaction(connection, prepared.store);
    await inTransaction(connection, (transaction) => erase(transaction, person));
    await eraseRest(connection, now);
    assert.deepEqual(await findOrphans(connection), []);
    const { rows } = await prepared.pool.query(
      'select account_id, answered_by, resolved_by, merged_by, assignees, reviewers, reactors from contributions',
    );
    assert.deepEqual(rows, [
      {
        account_id: null,
        answered_by: null,
        resolved_by: null,
        merged_by: null,
        assignees: [],
        reviewers: [],
        reactors: [null],
      },
    ]);
  });

  it('clears rows that were stored while the account was erased', async () => {
    await using prepared = await prepare();
    const { connection, database, person } = prepared;
    const storing = await begin(connection, prepared.store);
    const erasing = inTransaction(connection, (transaction) => erase(transaction, person));
    await untilWaiting(database);
    await storing.commit();
    await erasing;
    await eraseRest(connection, now);
    assert.deepEqual(await findOrphans(connection), []);
  });

  it('stores no row that names an account which is erased meanwhile', async () => {
    await using prepared = await prepare();
    const { connection, database, person } = prepared;
    const erasing = await begin(connection, (transaction) => erase(transaction, person));
    const storing = inTransaction(connection, prepared.store);
    const outcome = assert.rejects(storing, { code: 'conflict' });
    await untilWaiting(database);
    await erasing.commit();
    await outcome;
    await eraseRest(connection, now);
    assert.deepEqual(await findOrphans(connection), []);
  });

  it('stores no row either when the account is deleted without the erasure lock', async () => {
    await using prepared = await prepare();
    const { connection, database, person } = prepared;
    const deleting = await begin(connection, async (transaction) => {
      await sql`delete from accounts where id = ${person.id}`.execute(transaction);
    });
    const outcome = assert.rejects(inTransaction(connection, prepared.store), { code: 'conflict' });
    await untilWaiting(database);
    await deleting.commit();
    await outcome;
    assert.deepEqual(await findOrphans(connection), []);
  });

  it('leaves the account out of the next pages of a scan that met it before', async () => {
    await using prepared = await prepare();
    const { connection, person } = prepared;
    const repository = (await findRepository(connection, prepared.repositoryId)) ?? assert.fail();
    const account = (await findById(connection, repository.ownerId)) ?? assert.fail();
    await connection
      .insertInto('streams')
      .values({ repository_id: repository.id, name: 'pulls', covers: ['pull_request'] })
      .execute();
    const [stream = assert.fail()] = await findStreams(connection, repository.id);
    const toPage = (number: number): ContributionPage => ({
      contributions: [pullBy(grace.externalId, number)],
      actors: [grace],
      wholeParents: [],
      nextCursor: number < 3 ? String(number) : null,
      total: null,
      pageSize: 1,
    });
    const read = async (_name: string, _known: unknown, { cursor }: { cursor: string | null }) => {
      if (cursor === '2') await inTransaction(connection, (transaction) => erase(transaction, person));
      return toPage(Number(cursor ?? 0) + 1);
    };
    const provider = { name: 'github', streams: { list: [], read } } as unknown as Provider;
    const context = { connection, now: () => now, newId: uuidv7 } as unknown as SyncContext;
    const skips = new SkipCollector({ urgency: 'background', signal: AbortSignal.any([]), cost: newCost() });
    const repositoryAtHost = {} as Parameters<NonNullable<Provider['streams']>['read']>[1];
    await readStream(
      context,
      { account, repository, known: repositoryAtHost, provider, call: skips.call, skips },
      stream,
      'everything',
    );
    await eraseRest(connection, now);
    assert.deepEqual(await findOrphans(connection), []);
    const { rows } = await prepared.pool.query('select account_id from contributions');
    assert.deepEqual(
      rows,
      Array.from({ length: 3 }, () => ({ account_id: null })),
    );
  });

  it('gives a person who is stored again another id', async () => {
    await using prepared = await prepare();
    const { connection, person } = prepared;
    await inTransaction(connection, (transaction) => erase(transaction, person));
    await inTransaction(connection, (transaction) => releaseOptOuts(transaction, 'github', grace));
    assert.notEqual(await saveGrace(connection), person.id);
  });
});
