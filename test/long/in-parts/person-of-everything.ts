import assert from 'node:assert/strict';
import { recountRepository } from '../../../bench/recount-repository.ts';
import { findByName } from '../../../src/accounts/store.ts';
import { currentRanking } from '../../../src/contributions/contributors/ranking.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { Computations } from '../../../src/http/pipeline/computations.ts';
import type { Account } from '../../../src/model/account.ts';
import { analyzeTables } from '../../integration/plans.ts';

const now = new Date('2026-06-01T00:00:00Z');

/** Stores a person who owns repositories and contributed to those of others, in every way. @returns the person. */
export async function fill(database: Database, items: number, names = 1): Promise<Account> {
  const { connection, pool } = database;
  await pool.query(`
    insert into accounts (id, provider, external_id, handle, type, name, avatar_url, named_at, fetched_at, created_at, updated_at)
    select gen_random_uuid(), 'github', name, name, 'user', name, '', now(), now(), now(), now()
    from unnest(array['grace', 'ada', 'joan']) name;
    insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
      created_at, updated_at)
    select gen_random_uuid(), 'github', a.name || n, '', a.id, a.name || '-' || n, false, false, now(), now(), now(), now()
    from accounts a cross join generate_series(1, 5) n;
    insert into streams (repository_id, name, covers, completed_at) select id, 'issues', '{issue}', now() from repositories;
    insert into contributions (repository_id, kind, external_id, account_id, answered_by, resolved_by, merged_by, assignees,
      reviewers, reactors, emojis, created_at, updated_at, seen_at)
    select r.id, 'pull_request', n::text, a.id, case when n % 3 = 0 then a.id end, case when n % 4 = 0 then a.id end,
      case when n % 5 = 0 then a.id end, case when n % 6 = 0 then array[a.id] end, array[a.id],
      case when n % 7 = 0 then array[a.id] end, case when n % 7 = 0 then array['heart'] end,
      '2026-01-01'::timestamptz + n * interval '1 hour', now(), now()
    from generate_series(1, ${items}) n join lateral (select * from repositories order by external_id offset n % 15 limit 1) r on true
    join accounts a on a.name = case when n % 4 = 1 then 'joan' else 'grace' end;
    insert into identities (provider, email, account_id) select 'github', name || '@x.org', id from accounts;
    insert into repository_identities (repository_id, identity_id, is_author)
    select r.id, i.id, true from repositories r cross join identities i;
    insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
    select r.id, decode(md5(r.external_id || n), 'hex'), now(), now(), 1, array[i.id]
    from repositories r cross join generate_series(1, 3) n join identities i on i.email = 'grace@x.org';
    insert into counters (account_id, day, updated_at) select id, date '2026-01-01' + n, now() from accounts, generate_series(1, 10) n;
    insert into achievements (id, repository_id, name, icon, description, is_current)
    select gen_random_uuid(), id, 'first', '', '', true from repositories;
    insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
    select gen_random_uuid(), h.id, a.id, '', now(), now() from achievements h, accounts a where a.name = 'grace';
    insert into notifications (id, award_id, account_id, repository_id, webhook, kind, target, receiver, content, state,
      next_attempt_at, give_up_at, created_at)
    select gen_random_uuid(), w.id, w.account_id, h.repository_id, '', 'slack', '{}', 'x', '{}', 'waiting', now(), now(), now()
    from awards w join achievements h on h.id = w.achievement_id;
    insert into credential_statuses (list, position, award_id)
    select 1, row_number() over (order by r.external_id), w.id
    from awards w join achievements h on h.id = w.achievement_id join repositories r on r.id = h.repository_id;
    insert into pending_evaluations (repository_id, account_id)
    select r.id, a.id from repositories r, accounts a where a.name = 'grace';
    insert into lookups (key, state, retry_at)
    select 'collect_repository ' || id || '/' || n, 'absent', now() from accounts, generate_series(1, 9) n;
    insert into installations (provider, id, source, account_external_id, account_name, covers, missing_permissions, seen_at,
      created_at)
    select 'github', 'of ' || name, 'app', external_id, name, 'selected', '{}', now(), now() from accounts;
    insert into covered_repositories (provider, installation_id, repository_external_id)
    select 'github', id, n::text from installations, generate_series(1, 9) n;
    insert into former_names (provider, name_key, account_id, left_at, check_after)
    select 'github', 'grace-before' || n, id, now(), now()
    from accounts cross join unnest('{""}'::text[] || array(select n::text from generate_series(2, ${names}) n)) n
    where name = 'grace'`);
  const { rows } = await pool.query<{ id: string; owner_id: string; name: string }>(
    'select id, owner_id, name from repositories',
  );
  for (const { id } of rows) await inTransaction(connection, (to) => recountRepository(to, id));
  const computations = new Computations({ findVersion: () => 0 }, () => false);
  for (const accountId of new Set(rows.map((row) => row.owner_id))) {
    const scope = { accountId, repositoryId: null, includesPrivate: false };
    await currentRanking({ connection, computations, now: () => now }, scope);
  }
  await analyzeTables(database);
  const holder = await findByName(connection, 'github', 'grace');
  return holder?.state === 'present' ? holder.account : assert.fail();
}
