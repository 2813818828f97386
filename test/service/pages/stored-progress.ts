import assert from 'node:assert/strict';
import { checkTotals } from '../../../src/sync/totals/check-totals.ts';
import type { TestService } from '../../e2e/service.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { simple } from '../../integration/achievements/awards/every-feature.ts';
import { storeCollected, storeFile } from '../../integration/achievements/awards/stored-file.ts';

/** Stores an achievement of a repository of the organization that Ada has begun: points of several rules. */
export async function storeProgress({ database }: TestService, until: Date): Promise<void> {
  const { rows } = await database.pool.query<{ id: string; owner: string }>(
    `select r.id, r.owner_id as owner from repositories r join accounts a on a.id = r.owner_id where r.name = 'engine-1' and a.name = $1`,
    [engines.name],
  );
  const { id, owner } = rows[0] ?? assert.fail('the repository is missing');
  // Every second issue is Ada's.
  await database.pool.query(
    `update contributions set account_id = (select id from accounts where name = $2)
     where repository_id = $1 and kind = 'issue' and number % 2 = 0`,
    [id, ada.name],
  );
  const context = { connection: database.connection, now: () => new Date(), providers: new Map() };
  const counted = { repositoryId: id, ownerId: owner };
  for (let isRepairing = true; isRepairing; )
    ({ isRepairing } = await checkTotals(context, counted, new AbortController().signal, { rows: 10_000, parts: 100 }));
  // No refresh raises the host's numbers of Ada to the stored sums here.
  await database.pool.query(
    `update counters c set issues = greatest(c.issues, s.issues), issues_closed = greatest(c.issues_closed, s.closed)
     from (select t.account_id, sum(t.issues) as issues, sum(t.issues_closed) as closed from contributor_totals t
       join repositories r on r.id = t.repository_id where not r.is_private and not r.is_fork group by 1) s
     where s.account_id = c.account_id and c.account_id = (select id from accounts where name = $1)`,
    [ada.name],
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
