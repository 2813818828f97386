import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { saveContributions } from '../../../src/contributions/items/contribution-store.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { Contribution } from '../../../src/model/contribution.ts';
import { awardRepository } from '../../../src/recognition/achievements/awards/award.ts';
import { readConfigFile } from '../../../src/recognition/achievements/config-file.ts';
import { AchievementFiles } from '../../../src/recognition/achievements/files/achievement-files.ts';
import { requestFullEvaluation, saveFile } from '../../../src/recognition/achievements/files/store.ts';
import { reuseTestDatabase } from '../../reused-database.ts';
import { type NewItem, storeRepository } from '../boards/store-repository.ts';

const now = new Date('2026-07-01T00:00:00Z');
const issue = (author: string, at: string) => ({ kind: 'issue', author, at: `${at}T00:00:00Z` }) as const;
const fields = ['first', 'first_in_organization'] as const;
type Action = 'issue' | 'pull_request' | 'review';

/** Returns a file with achievements for the first contributions of each action, and a receiver of their announcements. */
function toFile(actions: readonly Action[]): string {
  const achievements = actions.flatMap((action) =>
    fields.map((field) => ({ name: `${field} ${action}`, field, action })),
  );
  return JSON.stringify({
    version: '0.0.1',
    achievements: achievements.map(({ name, field, action }) => ({
      achievement: {
        name,
        description: 'x',
        icon: 'https://x.example/x.png',
        triggers: [{ trigger: { actor: 'author', action, condition: `${field} = true` } }],
      },
    })),
    webhooks: [
      {
        webhook: {
          name: 'chat',
          type: 'slack',
          metadata: { url: 'https://chat.example/x' },
          events: achievements.map(({ name }) => ({ event: { type: 'achievement', value: name } })),
        },
      },
    ],
  });
}

const achievementFiles = new AchievementFiles();

/** Opens a database with a repository whose file announces firsts, and whose contributions are still being read. */
async function openFirsts(actions: readonly Action[], items: readonly NewItem[]) {
  const opened = await reuseTestDatabase();
  const { connection, pool } = opened.database;
  const { repositoryId, ownerId } = await storeRepository(pool, { owner: 'acme', name: 'app', items, newId: uuidv7 });
  const file = { path: 'p', oid: uuidv7(), ...readConfigFile(Buffer.from(toFile(actions))) };
  await inTransaction(connection, (transaction) =>
    saveFile(transaction, repositoryId, { file, revision: null, readAt: now, isNew: true, newId: uuidv7 }),
  );
  await pool.query(`insert into streams (repository_id, name, covers, is_deep) values ($1, 'items', $2, true)`, [
    repositoryId,
    actions,
  ]);
  return {
    opened,
    repositoryId,
    ownerId,
    award: async (newId: () => string = uuidv7): Promise<void> => {
      const context = { connection, now: () => now, newId, achievementFiles };
      while ((await awardRepository(context, repositoryId)) === 'more');
    },
    complete: () => pool.query('update streams set completed_at = now(), known_until = now(), scan_started_at = null'),
    announced: async (): Promise<string[]> => {
      const { rows } = await pool.query<{ text: string }>(
        `select content ->> 'achievement' || ' ' || (content ->> 'person') as text from notifications`,
      );
      return rows.map((row) => row.text).toSorted();
    },
  };
}

describe('announcements of firsts', () => {
  it('are made once, also by two writers, after a stop and after renames, and never of an old history', async () => {
    const items = [issue('old-hand', '2026-01-01'), issue('old-hand', '2026-06-30'), issue('ada', '2026-06-20')];
    const { opened, repositoryId, award, complete, announced } = await openFirsts(['issue'], items);
    await using _ = opened;
    const { connection, pool } = opened.database;
    await award();
    assert.deepEqual(await announced(), [], 'the history is being read');
    await complete();
    const stop = (): never => {
      throw new Error('stopped');
    };
    await assert.rejects(award(stop), /stopped/);
    assert.deepEqual(await announced(), []);
    await Promise.all([award(), award(), award()]);
    const firsts = ['first issue ada', 'first_in_organization issue ada'];
    assert.deepEqual(await announced(), firsts);

    await pool.query(`update accounts set name = name || '-2'`);
    await pool.query(`update repositories set name = 'engine'`);
    await requestFullEvaluation(connection, repositoryId);
    await award();
    assert.deepEqual(await announced(), firsts, 'after renames');
    const { rows } = await pool.query<{ count: number }>('select count(*)::integer as count from awards');
    assert.equal(rows[0]?.count, 4, 'old firsts are awards without an announcement');
  });

  it('are made once for each kind, also after a transfer to an owner in whose repositories the people were before', async () => {
    const items: NewItem[] = [
      issue('ada', '2026-06-20'),
      { kind: 'pull_request', author: 'ada', at: '2026-06-20T00:00:00Z' },
      { kind: 'pull_request', author: 'ada', at: '2026-06-21T00:00:00Z', mergedAt: '2026-06-22T00:00:00Z' },
      { kind: 'review', author: 'ada', at: '2026-06-23T00:00:00Z' },
    ];
    const actions = ['issue', 'pull_request', 'review'] as const;
    const { opened, repositoryId, award, complete, announced } = await openFirsts(actions, items);
    await using _ = opened;
    const { connection, pool } = opened.database;
    await complete();
    await award();
    const ofAda = actions.flatMap((action) => fields.map((field) => `${field} ${action} ada`)).toSorted();
    assert.deepEqual(await announced(), ofAda);

    const [globex, bob, engine] = [uuidv7(), uuidv7(), uuidv7()];
    for (const [id, name] of [
      [globex, 'globex'],
      [bob, 'bob'],
    ])
      await pool.query(
        `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
         values ($1, 'github', $2, '', 'user', $2, now(), now(), now())`,
        [id, name],
      );
    await pool.query(
      `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
         listed_at, installed_at, created_at, updated_at)
       values ($1, 'github', '2', '', $2, 'engine', false, false, now(), now(), now(), now(), now())`,
      [engine, globex],
    );
    await pool.query(
      `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
       select $1, 'issue', name, id, '2026-01-01', now(), now() from accounts where name in ('ada', 'bob')`,
      [engine],
    );
    await pool.query('update repositories set owner_id = $1 where id = $2', [globex, repositoryId]);
    await pool.query(
      `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at)
       values ($1, 'issue', 'of bob', $2, '2026-06-25', now(), now())`,
      [repositoryId, bob],
    );
    await requestFullEvaluation(connection, repositoryId);
    await Promise.all([award(), award()]);
    assert.deepEqual(await announced(), ['first issue bob', ...ofAda].toSorted());
  });

  it('are made once of a contribution that two writers store at the same time', async () => {
    const { opened, repositoryId, award, complete, announced } = await openFirsts(
      ['issue'],
      [issue('ada', '2026-01-01')],
    );
    await using _ = opened;
    const { connection, pool } = opened.database;
    await complete();
    await award();
    const bob = uuidv7();
    await pool.query(
      `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
       values ($1, 'github', 'bob', '', 'user', 'bob', now(), now(), now())`,
      [bob],
    );
    const contribution: Contribution = {
      kind: 'issue',
      externalId: 'of bob',
      parentExternalId: null,
      author: 'bob',
      createdAt: new Date('2026-06-25'),
      updatedAt: new Date('2026-06-25'),
      closedAt: null,
      mergedAt: null,
      answered: false,
      answeredBy: null,
      heading: { number: 1, title: 'An issue' },
      details: null,
    };
    const accountIds = new Map([['bob', bob]]);
    const write = async (): Promise<void> => {
      await inTransaction(connection, (transaction) =>
        saveContributions(transaction, {
          repositoryId,
          contributions: [contribution],
          accountIds,
          wholeParents: [],
          seenAt: now,
        }),
      );
      await award();
    };
    await Promise.all([write(), write()]);
    assert.deepEqual(await announced(), ['first issue bob', 'first_in_organization issue bob']);
    const { rows } = await pool.query(`select from contributions where external_id = 'of bob'`);
    assert.equal(rows.length, 1);
  });
});
