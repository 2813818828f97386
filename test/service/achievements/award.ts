import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { recordAwarded } from '../../../src/recognition/achievements/awards/work-store.ts';
import type { TestService } from '../../e2e/service.ts';
import { ada, engines } from '../../integration/access/owner.ts';

export const awardedAt = new Date('2026-03-01T10:20:30.456Z');

/**
 * Awards an achievement of a repository of the organization to Ada.
 * @param options.hasAccess true: her host has just confirmed that she may see the private repository.
 * @param options.repository default: a new one, of the achievement's name.
 * @returns the id of the award.
 */
export async function award(
  service: TestService,
  name: string,
  options: { isPrivate?: boolean; hasAccess?: boolean; icon?: string; repository?: string } = {},
): Promise<string> {
  const { database } = service;
  const { isPrivate = false, hasAccess = false, icon = 'icons/hero.png', repository = name } = options;
  await service.get(ada.name);
  await service.get(engines.name);
  const { rows } = await database.pool.query<{ achievement: string; account: string }>(
    `with found as (select id from repositories where name = $1), made as (
       insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
         listed_at, created_at, updated_at)
       select gen_random_uuid(), 'github', $1, $1, id, $1, $2, false, now(), now(), now(), now()
       from accounts where name = $3 and not exists (select from found) returning id
     ), achievement as (
       insert into achievements (id, repository_id, name, icon, description, is_current)
       select gen_random_uuid(), id, $6, $5, '', true from (table found union all table made) r returning id
     )
     select achievement.id as achievement, accounts.id as account from achievement, accounts where name = $4`,
    [repository, isPrivate, engines.name, ada.name, icon, name],
  );
  const [row] = rows;
  const earned = { achievementId: row?.achievement ?? '', accountId: row?.account ?? '', awardedAt };
  const [added] = await inTransaction(database.connection, (transaction) =>
    recordAwarded(transaction, [earned], { now: new Date(), newId: uuidv7 }),
  );
  await database.pool.query('update awards set has_access = $1, access_checked_at = now() where id = $2', [
    hasAccess,
    added?.id,
  ]);
  return added?.id ?? assert.fail();
}
