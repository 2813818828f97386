import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sql } from 'kysely';
import { readConfigFile } from '../../../../src/recognition/achievements/config-file.ts';
import { evaluate } from '../../../../src/recognition/rules/evaluation/evaluate-store.ts';
import { openTestDatabase } from '../../../database.ts';
import { storeAcme, storePart } from '../../boards/two-repositories.ts';

describe('triggers of achievements', () => {
  it('count reviews and comments on items of the person, unless they say own: false', async () => {
    await using opened = await openTestDatabase();
    const { connection } = opened.database;
    await storeAcme(connection, ['ada', 'bo']);
    await storePart(connection, { name: 'core', isInstalled: true });
    const rows = [
      { kind: 'pull_request', id: 'change', by: 'ada' },
      { kind: 'issue', id: 'question', by: 'ada' },
      ...['ada', 'bo'].flatMap((by) => [
        { kind: 'review', id: `review of ${by}`, below: 'change', by },
        { kind: 'review_comment', id: `note of ${by}`, below: 'change', by },
        { kind: 'issue_comment', id: `answer of ${by}`, below: 'question', by },
      ]),
    ];
    await sql`
      insert into contributions (repository_id, kind, external_id, parent_external_id, account_id, labels, reviewers, created_at,
        updated_at, seen_at)
      select r.id, i.kind, i.id, i.below, a.id, '{}', array(select id from accounts where name in ('ada', 'bo')), now(), now(), now()
      from json_to_recordset(${JSON.stringify(rows)}::json) as i (kind text, id text, below text, by text)
      join accounts a on a.name = i.by cross join repositories r`.execute(connection);
    const { id } = await connection.selectFrom('repositories').select('id').executeTakeFirstOrThrow();
    const findEarners = async (trigger: object): Promise<string[]> => {
      const achievement = { name: 'Helper', triggers: [{ trigger }] };
      const { config } = readConfigFile(Buffer.from(JSON.stringify({ achievements: [{ achievement }] })));
      const earned = await evaluate(connection, id, config);
      const people = await connection.selectFrom('accounts').select(['id', 'name']).orderBy('name').execute();
      const ids = new Set(earned.map(({ accountId }) => accountId));
      return people.flatMap((person) => (ids.has(person.id) ? person.name : []));
    };
    for (const [actor, action] of [
      ['author', 'review'],
      ['author', 'pull_request_comment'],
      ['author', 'issue_comment'],
      ['reviewers', 'pull_request'],
    ] as const) {
      const trigger = { actor, action, condition: 'count() >= 1' };
      assert.deepEqual(await findEarners(trigger), ['ada', 'bo'], action);
      assert.deepEqual(await findEarners({ ...trigger, own: true }), ['ada', 'bo'], action);
      assert.deepEqual(await findEarners({ ...trigger, own: false }), ['bo'], action);
    }
  });
});
