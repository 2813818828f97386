import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../../../src/database/open.ts';
import { createTestDatabase } from '../../database.ts';
import { addRepository } from '../../integration/contributions/stored-repository.ts';

interface Stored {
  externalId: string;
  handle: string;
  name: string;
  type?: 'user' | 'bot';
}

const people: Record<string, Stored> = {
  ada: { externalId: '7', handle: 'MDQ6VXNlcjc=', name: 'ada' },
  ghost: { externalId: '10137', handle: 'MDQ6VXNlcjEwMTM3', name: 'ghost' },
  mannequin: { externalId: '8', handle: 'M_kgDOBk1234', name: 'imported' },
  oldMannequin: { externalId: '9', handle: 'MDk6TWFubmVxdWluOQ==', name: 'imported-before' },
  agent: { externalId: '198982749', handle: 'BOT_kgDOC9w8XQ', name: 'Copilot' },
  reviewer: { externalId: '175728472', handle: '', name: 'copilot-pull-request-reviewer[bot]' },
  otherBot: { externalId: '10', handle: 'BOT_kgDOAA1234', name: 'helper[bot]' },
  namesake: { externalId: '11', handle: 'M_bob', name: 'copilot' },
};

describe('the migration of stars and bots', () => {
  it('removes ghosts and mannequins, and corrects stored bots, with an upgrade', async () => {
    await using created = await createTestDatabase({ withTables: false });
    const options = { databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} };
    const older = await openDatabase({ ...options, upTo: '0014-icons' });
    const ids = new Map<string, string>();
    try {
      const repositoryId = await addRepository(older.connection);
      for (const { externalId, handle, name } of Object.values(people)) {
        const { rows } = await sql<{ id: string }>`
        insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
        values (gen_random_uuid(), 'github', ${externalId}, ${handle}, 'user', ${name}, now(), now(), now())
        returning id`.execute(older.connection);
        ids.set(name, rows[0]?.id ?? '');
        await sql`
        insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at, reactors, emojis, assignees)
        values (${repositoryId}, 'issue', ${externalId}, ${ids.get(name)}, now(), now(), now(),
          ${[ids.get('ghost') ?? null, ids.get('ada') ?? null]}::uuid[], '{HEART,EYES}',
          ${[ids.get('ada') ?? null, ids.get('ghost') ?? ids.get('ada') ?? null]}::uuid[])`.execute(older.connection);
      }
      await sql`
      insert into former_names (provider, name_key, account_id, left_at, check_after)
      values ('github', 'copilot', ${ids.get('copilot-pull-request-reviewer[bot]')}, now(), now())`.execute(
        older.connection,
      );
    } finally {
      await older.close();
    }
    const newer = await openDatabase(options);
    try {
      const accounts = await sql<{ name: string; type: string }>`
      select name, type from accounts where external_id = any(${Object.values(people).map((person) => person.externalId)})
      order by name`.execute(newer.connection);
      assert.deepEqual(accounts.rows, [
        { name: 'ada', type: 'user' },
        { name: 'copilot', type: 'user' },
        { name: 'copilot-pull-request-reviewer[bot]', type: 'bot' },
        { name: 'copilot-swe-agent[bot]', type: 'bot' },
        { name: 'helper[bot]', type: 'bot' },
      ]);
      const counted = await sql<{ issues: number; people: number }>`
      select t.issues, (select count(*)::integer from contributor_totals) as people from repository_totals t`.execute(
        newer.connection,
      );
      assert.deepEqual(counted.rows, [{ issues: 8, people: 5 }]);
      const last = await sql<{ reactors: (string | null)[]; assignees: string[]; account_id: string | null }>`
      select reactors, assignees, account_id from contributions where external_id = '8'`.execute(newer.connection);
      const ada = ids.get('ada');
      assert.deepEqual(last.rows, [{ reactors: [null, ada], assignees: [ada], account_id: null }]);
      assert.equal((await sql`select 1 from former_names`.execute(newer.connection)).rows.length, 0);
    } finally {
      await newer.close();
    }
  });
});
