import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { saveActors } from '../../../src/accounts/actor-store.ts';
import { findById, findByName } from '../../../src/accounts/store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { Actor } from '../../../src/model/account.ts';
import { reuseTestDatabase } from '../../reused-database.ts';

const actor = (externalId: string, more: Partial<Actor> = {}): Actor => ({
  externalId,
  handle: `handle ${externalId}`,
  type: 'user',
  name: 'same',
  displayName: '',
  avatarUrl: `https://avatars.example/${externalId}`,
  ...more,
});

const mention = (connection: Connection, minute: number, actors: Actor[]): Promise<Map<string, string>> =>
  inTransaction(connection, (transaction) =>
    saveActors(transaction, 'github', actors, { mentionedAt: new Date(minute * 60_000), newId: uuidv7 }),
  );

describe('mentions of accounts', () => {
  it('keeps the rows of two accounts with the same name, and the holder of the name, page after page', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const ids = await mention(connection, 1, [actor('1'), actor('2')]);
    const rows = (): Promise<unknown[]> => Promise.all([...ids.values()].map((id) => findById(connection, id)));
    const before = await rows();
    const holder = await findByName(connection, 'github', 'same');
    for (let minute = 2; minute < 6; minute += 1) {
      await mention(connection, minute, minute % 2 === 0 ? [actor('2'), actor('1')] : [actor('1'), actor('2')]);
      assert.deepEqual(await findByName(connection, 'github', 'same'), holder);
    }
    assert.deepEqual(await rows(), before);
  });

  it('corrects the type after a mention, and keeps stored values after a brief or old mention', async () => {
    await using opened = await reuseTestDatabase();
    const { connection } = opened.database;
    const [id = ''] = (await mention(connection, 1, [actor('1', { displayName: 'Ada' })])).values();
    const stored = async (): Promise<unknown> => {
      const { type, name, displayName, avatarUrl } = (await findById(connection, id)) ?? assert.fail();
      return { type, name, displayName, avatarUrl };
    };
    const avatarUrl = 'https://avatars.example/1';
    await mention(connection, 2, [
      actor('1', { isBrief: true, type: 'bot', avatarUrl: 'https://avatars.example/brief' }),
    ]);
    assert.deepEqual(await stored(), { type: 'bot', name: 'same', displayName: 'Ada', avatarUrl });
    await mention(connection, 3, [actor('1', { nameMayBeOld: true, name: 'former' })]);
    assert.deepEqual(await stored(), { type: 'bot', name: 'same', displayName: 'Ada', avatarUrl });
    await mention(connection, 4, [actor('1', { type: 'organization', displayName: '', name: 'later' })]);
    assert.deepEqual(await stored(), { type: 'organization', name: 'later', displayName: '', avatarUrl });
  });
});
