import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { installByOperator } from '../../../src/accounts/installations/operator-store.ts';
import {
  findInstallationsByAccount,
  findUsable,
  listInstallations,
  saveSelection,
} from '../../../src/accounts/installations/store.ts';
import { findByName } from '../../../src/accounts/store.ts';
import { isNameOptedOut, releaseOptOuts } from '../../../src/accounts/visibility/opt-out-store.ts';
import { type ErasedAtOnce, eraseNext } from '../../../src/app/owners/erasure/erase.ts';
import { exportAccount } from '../../../src/app/owners/export-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import {
  findAchievementHolders,
  findAwardedAchievement,
  findEarnable,
  findPublicAchievement,
} from '../../../src/recognition/achievements/awards/holders-store.ts';
import { findForeignIds, importAwards } from '../../../src/recognition/achievements/awards/import-store.ts';
import { findAward, findAwardPage } from '../../../src/recognition/achievements/awards/page-store.ts';
import { findAwarded, recordAwarded } from '../../../src/recognition/achievements/awards/work-store.ts';
import {
  findRevoked,
  isAwardStanding,
  provideStatusEntry,
  setRevoked,
} from '../../../src/recognition/achievements/credentials/status-store.ts';
import { claimNext } from '../../../src/recognition/notifications/outbox-store.ts';
import { findNotification, findNotifications } from '../../../src/recognition/notifications/report-store.ts';
import { isOnCluster, openTestDatabase } from '../../database.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { watchChangedRows } from '../changed-rows.ts';
import { grace, now, saveGrace } from '../contributions/erasure-fixture.ts';
import { begin, fill, receiver } from './large-account.ts';

const few: ErasedAtOnce = { hidden: 2, erased: 1, found: 30, changed: 7, listed: 3, seasons: 2, others: 50 };
/** The tables of which a person may have any number of rows, except those that have tests of their own. */
const tables = [
  'awards',
  'notifications',
  'credential_statuses',
  'pending_evaluations',
  'former_names',
  'lookups',
  'installations',
  'covered_repositories',
];
/** More than the transaction that begins an erasure may change in all of these tables together. */
const tooMany = 250;

type Filled = Awaited<ReturnType<typeof fill>>;

async function eraseRest(connection: Connection): Promise<void> {
  while ((await eraseNext(connection, now, few)) > 0);
}

/** Returns what each reader shows of a person's awards, names, and installations. */
async function readAll(connection: Connection, { person, award }: Filled): Promise<Record<string, unknown>> {
  const audience = { accountId: person.id, isOwner: true, includesPrivate: true, now };
  const { achievementId, ownerId } = award;
  const lines: string[] = [];
  for (const id of [ownerId, person.id])
    for await (const line of exportAccount(connection, id, new Date())) lines.push(line);
  const exported = lines.map((line) => JSON.parse(line) as { type: string });
  const at = { accountId: person.id, awardId: award.id };
  const [earnable] = await findEarnable(connection, { ownerId, repositoryId: null }, 1);
  return {
    page: (await findAwardPage(connection, audience, { limit: 5 })).length,
    award: await findAward(connection, audience, award.id),
    achievement: (await findPublicAchievement(connection, { ownerId, id: achievementId }))?.holders,
    awarded: await findAwardedAchievement(connection, at),
    listed: (await findAchievementHolders(connection, achievementId, { limit: 9, after: undefined })).length,
    earnable: earnable?.newest,
    evaluated: (await findAwarded(connection, { achievementIds: [achievementId], accountIds: [person.id] })).length,
    standing: await isAwardStanding(connection, award.id),
    entry: await provideStatusEntry(connection, award.id, randomBytes).then((entry) => entry?.list),
    messages: (await findNotifications(connection, ownerId, { limit: 9 })).length,
    message: (await findNotification(connection, ownerId, award.notificationId))?.id,
    exported: exported.filter(({ type }) => /award|notification|former_name/.test(type)).length,
    former: (await findByName(connection, 'github', 'grace-1'))?.state,
    installations: (await findInstallationsByAccount(connection, person)).length,
    installed: (await listInstallations(connection)).length,
    usable: (await findUsable(connection, 'github')).length,
  };
}

const nothing = {
  page: 0,
  award: undefined,
  achievement: 0,
  awarded: undefined,
  listed: 0,
  earnable: null,
  evaluated: 0,
  standing: false,
  entry: undefined,
  messages: 0,
  message: undefined,
  exported: 0,
  former: undefined,
  installations: 0,
  installed: 0,
  usable: 0,
};

describe('the transaction that begins the erasure of an account with many rows', () => {
  it('changes a bounded number of rows, and hides all of them', { skip: isOnCluster }, async () => {
    await using opened = await openTestDatabase();
    const { database } = opened;
    const { connection, pool } = database;
    const filled = await fill(database, 300);
    const { award, person } = filled;
    const before = await readAll(connection, filled);
    for (const [reader, value] of Object.entries(before))
      assert.notDeepEqual(value, nothing[reader as keyof typeof nothing], reader);
    assert.deepEqual(await findRevoked(connection, 1), []);

    const changed = await watchChangedRows(database, tables);
    await begin(connection, person);
    const parts = await changed();
    assert.ok(parts.length === 1 && (parts[0] ?? 0) < tooMany, JSON.stringify(parts));
    assert.deepEqual(await readAll(connection, filled), nothing);
    assert.equal((await findRevoked(connection, 1))?.length, 300);
    const revocation = { at: now, reason: 'mistake' };
    await inTransaction(connection, async (transaction) => {
      const target = { ownerId: award.ownerId, awardId: award.id };
      assert.equal(await setRevoked(transaction, target, revocation), 'absent');
      const again = [{ achievementId: award.achievementId, accountId: person.id, awardedAt: now }];
      assert.deepEqual(await recordAwarded(transaction, again, { now, newId: uuidv7 }), []);
    });
    const attempt = await claimNext(connection, receiver, { now, random: 0 });
    assert.equal(attempt?.isWithheld, true);

    await eraseRest(connection);
    for (const part of await changed()) assert.ok(part < tooMany, String(part));
    for (const table of tables.filter((name) => name !== 'credential_statuses'))
      assert.deepEqual((await pool.query(`select from ${table}`)).rows, [], table);
    assert.equal((await findRevoked(connection, 1))?.length, 300);
    for (const name of ['grace', 'grace-1', 'grace-300'])
      assert.ok(await isNameOptedOut(connection, 'github', name), name);
    assert.equal(await isNameOptedOut(connection, 'github', 'grace-301'), false);
  });
});

describe('owners who return before the last rows are deleted', () => {
  it('may import the same awards and install the service again', async () => {
    await using opened = await reuseTestDatabase();
    const { database } = opened;
    const { connection } = database;
    const { award, person, repositoryId } = await fill(database, 120);
    await begin(connection, person);
    assert.ok(await releaseOptOuts(connection, 'github', person));
    const returned = await saveGrace(connection);
    assert.notEqual(returned, person.id);
    const facts = { repositoryId, icon: '', description: '', awardedAt: now };
    const awards = [{ ...facts, id: award.id, name: 'another' }];
    assert.deepEqual(await findForeignIds(connection, returned, awards), []);
    const options = { now, newId: uuidv7 };
    await inTransaction(connection, async (to) => {
      assert.deepEqual(await importAwards(to, returned, awards, options), { added: 1, existing: 0 });
    });
    const selection = { provider: 'github', installation: '12' };
    assert.equal(await inTransaction(connection, (to) => saveSelection(to, selection, ['5'], now)), false);
    await inTransaction(connection, async (to) => {
      const account = { externalId: grace.externalId, name: grace.name };
      await installByOperator(to, { provider: 'github', account, repository: '5' }, now);
    });
    await eraseRest(connection);
    const { rows } = await sql`select account_id as id, imported_at from awards`.execute(connection);
    assert.deepEqual(rows, [{ id: returned, imported_at: now }]);
    const installed = await listInstallations(connection);
    assert.deepEqual(
      installed.map(({ id, selected, account }) => [id, selected, account.externalId]),
      [['operator 7', 1, grace.externalId]],
    );
    const own = await connection.selectFrom('covered_repositories').select('repository_external_id as id').execute();
    assert.deepEqual(own, [{ id: '5' }]);
    const { rows: names } = await sql`select from former_names`.execute(connection);
    assert.deepEqual(names, []);
  });
});
