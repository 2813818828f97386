import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { countImported } from '../../../../src/contributions/count-imported-store.ts';
import { inTransaction } from '../../../../src/database/connections/transaction.ts';
import { exportLines, importLines, readHeader } from '../../../../src/database/copy/export.ts';
import {
  findRevoked,
  provideStatusEntry,
  setRevoked,
} from '../../../../src/recognition/achievements/credentials/status-store.ts';
import { reuseTestDatabase } from '../../../reused-database.ts';
import { until } from '../../../time.ts';
import { storeAwards } from '../stored-awards.ts';

describe('entries of status lists', () => {
  it('stay the same for an award, and differ between awards, when several nodes issue at the same time', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const { awardIds } = await storeAwards(opened.database, 30);
    const entries = await Promise.all(
      [...awardIds, ...awardIds, ...awardIds].map(async (id) => {
        const entry = await provideStatusEntry(connection, id, randomBytes);
        return `${id} ${entry?.list} ${entry?.position}`;
      }),
    );
    assert.equal(new Set(entries).size, 30);
    assert.equal(new Set(entries.map((entry) => entry.slice(37))).size, 30);
  });

  it('take a position of their own where every node draws the same, and begin a new list when all drawn are taken', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const { awardIds } = await storeAwards(opened.database, 18);
    // The node draws the positions 0 to 15.
    const drawing = (size: number): Buffer => {
      const bytes = Buffer.alloc(size);
      for (let index = 0; index < size / 4; index += 1) bytes.writeUInt32BE(index, index * 4);
      return bytes;
    };
    const taken: string[] = [];
    for (let index = 0; index < awardIds.length; index += 3) {
      const entries = await Promise.all(
        awardIds.slice(index, index + 3).map((id) => provideStatusEntry(connection, id, drawing)),
      );
      taken.push(...entries.map((entry) => `${entry?.list}:${entry?.position}`));
    }
    assert.deepEqual(
      taken.toSorted(),
      [...Array.from({ length: 16 }, (_, position) => `0:${position}`), '1:0', '1:1'].toSorted(),
    );
  });

  it('are revoked for good with the award: a restored award gets another entry', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const { awardIds, ownerId } = await storeAwards(opened.database, 2);
    const [awardId = '', otherAwardId = ''] = awardIds;
    const first = (await provideStatusEntry(connection, awardId, randomBytes)) ?? assert.fail();
    await provideStatusEntry(connection, otherAwardId, randomBytes);
    assert.deepEqual(await findRevoked(connection, first.list), []);

    const change = (revocation: { at: Date; reason: string } | null) =>
      inTransaction(connection, (transaction) => setRevoked(transaction, { ownerId, awardId }, revocation));
    await change({ at: new Date(), reason: 'by mistake' });
    assert.deepEqual(await findRevoked(connection, first.list), [first.position]);
    assert.equal(await provideStatusEntry(connection, awardId, randomBytes), undefined);

    await change(null);
    const second = (await provideStatusEntry(connection, awardId, randomBytes)) ?? assert.fail();
    assert.notEqual(second.position, first.position);
    assert.deepEqual(await findRevoked(connection, first.list), [first.position]);
  });

  it('are revoked when the award is erased, and then hold no reference to it', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const { awardIds, ownerId } = await storeAwards(opened.database, 2);
    const entries = await Promise.all(awardIds.map((id) => provideStatusEntry(connection, id, randomBytes)));
    const positions = entries.map((entry) => entry?.position ?? assert.fail());
    await pool.query('delete from accounts where id = (select account_id from awards where id = $1)', [awardIds[0]]);
    assert.deepEqual(await findRevoked(connection, 0), [positions[0]]);
    await pool.query('delete from accounts where id = $1', [ownerId]);
    assert.deepEqual(new Set(await findRevoked(connection, 0)), new Set(positions));
  });

  it('are not made for an award whose revocation is under way', async () => {
    await using opened = await reuseTestDatabase();
    const { connection, pool } = opened.database;
    const { awardIds, ownerId } = await storeAwards(opened.database, 1);
    const awardId = awardIds[0] ?? '';
    const making = await inTransaction(connection, async (transaction) => {
      await setRevoked(transaction, { ownerId, awardId }, { at: new Date(), reason: 'by mistake' });
      const entry = provideStatusEntry(connection, awardId, randomBytes);
      await until(async () => {
        const { rows } = await pool.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows[0];
      }, 'it waits for the revocation');
      return { entry };
    });
    assert.equal(await making.entry, undefined);
  });

  it('stay in their places when the database is exported and imported', async () => {
    await using source = await reuseTestDatabase();
    await using target = await reuseTestDatabase();
    const { connection } = source.database;
    const { awardIds } = await storeAwards(source.database, 2);
    const [kept = '', erased = ''] = awardIds;
    const [entry, revoked] = [
      await provideStatusEntry(connection, kept, randomBytes),
      await provideStatusEntry(connection, erased, randomBytes),
    ];
    await source.database.pool.query('delete from awards where id = $1', [erased]);
    const lines = exportLines(connection);
    const { value: header } = await lines.next();
    await importLines(target.database, { migration: readHeader(header ?? undefined), lines: lines }, countImported);
    assert.deepEqual(await provideStatusEntry(target.database.connection, kept, randomBytes), entry);
    assert.deepEqual(await findRevoked(target.database.connection, 0), [revoked?.position]);
  });

  it('are in no list before the first credential', async () => {
    await using opened = await reuseTestDatabase();
    assert.equal(await findRevoked(opened.database.connection, 0), undefined);
  });
});
