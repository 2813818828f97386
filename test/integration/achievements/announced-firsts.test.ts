import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LRUCache } from 'lru-cache';
import { v7 as uuidv7 } from 'uuid';
import { awardRepository } from '../../../src/achievements/awards/award.ts';
import { type EvaluatedConfig, readFile } from '../../../src/achievements/files/read-file.ts';
import { requestFullEvaluation, saveFile } from '../../../src/achievements/files/store.ts';
import { inTransaction } from '../../../src/database/transaction.ts';
import { openTestDatabase } from '../../database.ts';
import { storeRepository } from '../boards/store-repository.ts';

const now = new Date('2026-07-01T00:00:00Z');
const issue = (author: string, at: string) => ({ kind: 'issue', author, at: `${at}T00:00:00Z` }) as const;
const fields = ['first', 'first_in_organization'];
const text = JSON.stringify({
  version: '0.0.1',
  achievements: fields.map((field) => ({
    achievement: {
      name: field,
      description: 'x',
      icon: 'https://x.example/x.png',
      triggers: [{ trigger: { actor: 'author', action: 'issue', condition: `${field} = true` } }],
    },
  })),
  webhooks: [
    {
      webhook: {
        name: 'chat',
        type: 'slack',
        metadata: { url: 'https://chat.example/x' },
        events: fields.map((value) => ({ event: { type: 'achievement', value } })),
      },
    },
  ],
});

describe('announcements of firsts', () => {
  it('are made once, also by two writers, after a stop and after renames, and never of an old history', async () => {
    await using opened = await openTestDatabase();
    const { connection, pool } = opened.database;
    const items = [issue('old-hand', '2026-01-01'), issue('old-hand', '2026-06-30'), issue('ada', '2026-06-20')];
    const { repositoryId } = await storeRepository(pool, { owner: 'acme', name: 'app', items, newId: uuidv7 });
    const readAt = now;
    const file = readFile({ path: 'p', oid: 'o', text, sizeBytes: text.length }, []);
    await inTransaction(connection, (transaction) =>
      saveFile(transaction, repositoryId, { file, revision: null, readAt, isNew: true, newId: uuidv7 }),
    );
    const award = async (newId: () => string = uuidv7): Promise<void> => {
      const context = {
        connection,
        now: () => now,
        newId,
        parsedFiles: new LRUCache<string, EvaluatedConfig>({ max: 1 }),
      };
      while ((await awardRepository(context, repositoryId)) === 'more');
    };
    const announced = async (): Promise<string[]> => {
      const { rows } = await pool.query<{ text: string }>(
        `select content ->> 'achievement' || ' ' || (content ->> 'person') as text from notifications`,
      );
      return rows.map((row) => row.text).toSorted();
    };

    await pool.query(
      `insert into streams (repository_id, name, covers, is_deep) values ($1, 'issues', '{issue}', true)`,
      [repositoryId],
    );
    await award();
    assert.deepEqual(await announced(), [], 'the history is being read');
    await pool.query('update streams set completed_at = now(), known_until = now(), scan_started_at = null');
    const stop = (): never => {
      throw new Error('stopped');
    };
    await assert.rejects(award(stop), /stopped/);
    assert.deepEqual(await announced(), []);
    await Promise.all([award(), award(), award()]);
    const once = ['first ada', 'first_in_organization ada'];
    assert.deepEqual(await announced(), once);

    await pool.query(`update accounts set name = name || '-2'`);
    await pool.query(`update repositories set name = 'engine'`);
    await requestFullEvaluation(connection, repositoryId);
    await award();
    assert.deepEqual(await announced(), once, 'after renames');
    const { rows } = await pool.query<{ count: number }>('select count(*)::integer as count from awards');
    assert.equal(rows[0]?.count, 4, 'old firsts are awards without an announcement');
  });
});
