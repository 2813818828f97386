import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Allowance } from '../../../src/database/connections/counts.ts';
import { openDatabase } from '../../../src/database/connections/open.ts';
import { claimLookup, failLookup } from '../../../src/database/queue/lookups.ts';
import { createTestDatabase } from '../../database.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { clock } from '../../time.ts';
import { address, claimAll, jobsIn, keysIn, lookupsIn, minuteMs, toJob, visitor } from './claims.ts';

describe('limit of lookups for each party', () => {
  it('permits as many at once as in an hour, and one more each time that a share of the hour has passed', async () => {
    const { now, advance } = clock();
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const party = visitor(address());
    assert.deepEqual(await claimAll(connection, ['a', 'b', 'c', 'd'], now(), party), [0, 0, 30, 60]);
    assert.deepEqual(
      (await jobsIn(database)).map(({ key, minutes }) => [key, minutes]),
      [
        ['look_up a', 0],
        ['look_up b', 0],
        ['look_up c', 30],
        ['look_up d', 60],
      ],
    );
    assert.deepEqual(Object.values(await lookupsIn(database)), [
      'running',
      'running',
      'delayed_by_allowance',
      'delayed_by_allowance',
    ]);
    // The next place would be free after more than an hour: nothing is stored, and a retry can help in half an hour.
    assert.deepEqual(await claimAll(connection, ['e', 'e', 'e'], now(), party), [30, 30, 30]);
    assert.equal((await keysIn(database)).length, 4);
    advance(1800);
    assert.deepEqual(await claimAll(connection, ['e'], now(), party), [60]);
    advance(3 * 3600);
    assert.deepEqual(await claimAll(connection, ['f', 'g', 'h'], now(), party), [0, 0, 30]);
  });

  it('counts a lookup once: for simultaneous claims, repeated claims and a standing outcome', async () => {
    const { now } = clock();
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const party = visitor(address());
    const claims = await Promise.all(
      Array.from({ length: 100 }, () => claimLookup(connection, toJob('a'), now(), party)),
    );
    assert.equal(claims.filter(({ state }) => state === 'claimed').length, 1);
    await failLookup(connection, 'look_up a', { state: 'absent' }, new Date(now().getTime() + minuteMs));
    assert.deepEqual(await claimAll(connection, ['a', 'b', 'c', 'c', 'c', 'd'], now(), party), [
      undefined,
      0,
      30,
      30,
      30,
      60,
    ]);
  });

  it('counts against the address and its network, and other addresses and networks do not wait', async () => {
    const { now } = clock();
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const network: Allowance = { action: 'network', perHour: 3 };
    const from = (name: string, ...more: Allowance[]) => visitor(address(name), ...more);
    assert.deepEqual(await claimAll(connection, ['a', 'b'], now(), from('one', network)), [0, 0]);
    assert.deepEqual(await claimAll(connection, ['c', 'd'], now(), from('other', network)), [0, 20]);
    assert.deepEqual(await claimAll(connection, ['e'], now(), from('third', network)), [40]);
    assert.deepEqual(await claimAll(connection, ['f', 'g'], now(), from('elsewhere')), [0, 0]);
    // Images and work of the service itself count against no allowance.
    assert.deepEqual(await claimAll(connection, ['h'], now(), visitor()), [0]);
    assert.deepEqual(await claimAll(connection, ['i'], now()), [0]);
  });

  it('is shared by several nodes', async () => {
    const { now } = clock();
    await using created = await createTestDatabase();
    const open = () => openDatabase({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    const nodes = [await open(), await open()];
    const claims = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { connection } = nodes[index % 2] ?? assert.fail();
        return claimLookup(connection, toJob(String(index)), now(), visitor(address('address', 5)));
      }),
    );
    const states = claims.map(({ state }) => state);
    assert.equal(states.filter((state) => state === 'claimed').length, 5);
    assert.equal(states.filter((state) => state === 'delayed').length, 15);
    const rows = Object.values(await lookupsIn(nodes[0] ?? assert.fail()));
    assert.equal(rows.filter((state) => state === 'delayed_by_allowance').length, 5);
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('counts again from the present after a clock was wrong', async () => {
    const { now, advance } = clock();
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    advance(2 * 86_400);
    await claimAll(connection, ['a', 'b'], now(), visitor(address()));
    advance(-2 * 86_400);
    assert.deepEqual(await claimAll(connection, ['c', 'd', 'e'], now(), visitor(address())), [0, 0, 30]);
  });
});
