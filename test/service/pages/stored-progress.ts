import assert from 'node:assert/strict';
import type { TestService } from '../../e2e/service.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { simple } from '../../integration/achievements/awards/every-feature.ts';
import { storeCollected, storeFile } from '../../integration/achievements/awards/stored-file.ts';

/** Stores an achievement of a repository of the organization that Ada has begun: points of several rules. */
export async function storeProgress({ database }: TestService, until: Date): Promise<void> {
  const { rows } = await database.pool.query<{ id: string }>(
    `select r.id from repositories r join accounts a on a.id = r.owner_id where r.name = 'engine-1' and a.name = $1`,
    [engines.name],
  );
  const { id } = rows[0] ?? assert.fail('the repository is missing');
  // Every second issue is Ada's.
  await database.pool.query(
    `update contributions set account_id = (select id from accounts where name = $2)
     where repository_id = $1 and kind = 'issue' and number % 2 = 0`,
    [id, ada.name],
  );
  await storeCollected(database, id, until);
  await storeFile(database, id, {
    pointActions: [
      {
        name: 'talk',
        rules: [
          { actor: 'author', action: 'issue', condition: 'created_at > 2001-01-01', value: 5 },
          { actor: 'author', action: 'issue', condition: 'count() >= 1', value: 7 },
        ],
      },
    ],
    achievements: [simple('Much talk', 'author point: sum(talk) >= 100000')],
  });
}
