import assert from 'node:assert/strict';
import type { Database } from '../../../src/database/connections/connection.ts';

export interface StoredAwards {
  awardIds: string[];
  achievementId: string;
  ownerId: string;
}

/** Stores awards of one achievement, of as many accounts `person1`, `person2` and so on, from a repository of `owner1`. */
export async function storeAwards({ pool }: Database, count: number): Promise<StoredAwards> {
  const account = `insert into accounts (id, provider, external_id, handle, type, name, named_at, checked_at,
      created_at, updated_at)
    select gen_random_uuid(), 'github', $1 || n, '', 'user', $1 || n, now(), now(), now(), now()
    from generate_series(1, $2::integer) n returning id`;
  const { rows: owners } = await pool.query<{ id: string }>(account, ['owner', 1]);
  const { rows: people } = await pool.query<{ id: string }>(account, ['person', count]);
  const ownerId = owners[0]?.id ?? assert.fail();
  const { rows } = await pool.query<{ id: string; achievementId: string }>(
    `with repository as (
       insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
         listed_at, created_at, updated_at)
       values (gen_random_uuid(), 'github', 'r', 'r', $1, 'r', false, false, now(), now(), now(), now()) returning id
     ), achievement as (
       insert into achievements (id, repository_id, name, icon, description, is_current)
       select gen_random_uuid(), id, 'Hero', '', '', true from repository returning id)
     insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
     select gen_random_uuid(), achievement.id, person, 'r', now(), now()
     from achievement, unnest($2::uuid[]) person
     returning id, achievement_id as "achievementId"`,
    [ownerId, people.map(({ id }) => id)],
  );
  const { achievementId } = rows[0] ?? assert.fail();
  return { awardIds: rows.map(({ id }) => id), achievementId, ownerId };
}
