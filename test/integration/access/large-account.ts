import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { findById } from '../../../src/accounts/store.ts';
import { beginErasure } from '../../../src/app/owners/erasure/store.ts';
import { collectRepositoryJob, fetchWindowJob } from '../../../src/contributions/items/jobs.ts';
import type { Connection, Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import type { Account } from '../../../src/model/account.ts';
import { now, saveGrace } from '../contributions/erasure-fixture.ts';
import { addRepository } from '../contributions/stored-repository.ts';

export const receiver = 'slack receiver.example';

/** Stores a person with as many rows of each kind. */
export async function fill(database: Database, count: number) {
  const { connection, pool } = database;
  const repositoryId = await addRepository(connection);
  const id = await saveGrace(connection);
  await pool.query(
    `insert into achievements (id, repository_id, name, icon, description, is_current)
     select gen_random_uuid(), '${repositoryId}', 'achievement ' || n, '', '', true from generate_series(1, ${count}) n;
     insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
     select gen_random_uuid(), h.id, '${id}', 'engine', now(), now() from achievements h;
     insert into notifications (id, award_id, account_id, repository_id, webhook, kind, target, receiver, content, state,
       next_attempt_at, give_up_at, created_at)
     select gen_random_uuid(), id, account_id, '${repositoryId}', 'team', 'slack', '{}', '${receiver}',
       '{"person": "grace"}', 'waiting', '2026-05-01', '2026-06-01', now() from awards;
     insert into credential_statuses (list, position, award_id) select 1, row_number() over (), id from awards;
     insert into pending_evaluations (repository_id, account_id)
     select '${repositoryId}', '${id}' from generate_series(1, ${count});
     insert into former_names (provider, name_key, account_id, left_at, check_after)
     select 'github', 'grace-' || n, '${id}', now(), now() from generate_series(1, ${count}) n;
     insert into installations (provider, id, source, account_external_id, account_name, covers, missing_permissions, seen_at,
       created_at)
     values ('github', 'operator 7', 'operator', '7', 'grace', 'selected', '{}', now(), now()),
       ('github', '12', 'app', '7', 'grace', 'selected', '{}', now(), now());
     insert into covered_repositories (provider, installation_id, repository_external_id)
     select 'github', i.id, n::text from installations i, generate_series(1, ${count}) n`,
  );
  const keys = Array.from({ length: count }, (_, index) => [
    collectRepositoryJob({ accountId: id, repository: `engine-${index}`, withPrivate: index % 2 === 0 }).key,
    fetchWindowJob({ accountId: id, first: `${2000 + index}-01-01`, last: `${2000 + index}-01-01` }).key,
  ]).flat();
  await sql`
    insert into lookups (key, state, retry_at) select key, 'absent', now() from unnest(${keys}::text[]) key`.execute(
    connection,
  );
  const person = (await findById(connection, id)) ?? assert.fail();
  const { rows } = await sql<{ id: string; achievementId: string; notificationId: string; ownerId: string }>`
    select w.id, w.achievement_id as "achievementId", n.id as "notificationId", r.owner_id as "ownerId"
    from awards w join notifications n on n.award_id = w.id join repositories r on r.id = n.repository_id
    order by w.id limit 1`.execute(connection);
  return { person, repositoryId, award: rows[0] ?? assert.fail() };
}

export const begin = (connection: Connection, person: Account): Promise<void> =>
  inTransaction(connection, (transaction) => beginErasure(transaction, person, now));
