import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { migrate } from '../../../src/database/migrate.ts';
import { migrations } from '../../../src/database/migrations/index.ts';
import { openBefore } from '../../integration/database/open-before.ts';

/** More than one transaction changes. */
const repositories = 2100;

describe('the migration of failing streams', () => {
  it('lets streams fail since the last failure that is known, in all repositories', async () => {
    await using opened = await openBefore('0119-language-sums');
    const { database } = opened;
    await database.pool.query(
      `with owner as (
         insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
         values (gen_random_uuid(), 'github', '1', '1', 'organization', 'acme', now(), now(), now()) returning id
       ), repository as (
         insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at, created_at,
           updated_at)
         select gen_random_uuid(), 'github', n::text, '', owner.id, 'r' || n, false, false, now(), now(), now(), now()
         from owner, generate_series(1, $1::integer) n returning id
       )
       insert into streams (repository_id, name, covers, failure, failed_at)
       select id, name, '{issue}', case when name = 'issues' then 'provider_denied' end,
         case when name = 'issues' then timestamptz '2026-03-01T12:00:00Z' end
       from repository, unnest('{issues,stars}'::text[]) name`,
      [repositories],
    );
    await migrate(database, { migrations });
    const { rows } = await database.pool.query(
      `select failing_since as since, count(*)::integer as streams from streams group by 1 order by 1`,
    );
    assert.deepEqual(rows, [
      { since: new Date('2026-03-01T12:00:00Z'), streams: repositories },
      { since: null, streams: repositories },
    ]);
  });
});
