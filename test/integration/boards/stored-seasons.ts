import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../src/database/connections/connection.ts';
import { analyzeTables } from '../plans.ts';

/** Stores counted seasons of some boards, each with all people but the first one, whose tables are not stored yet. */
export async function countSeasons({ pool }: Database, boards: number): Promise<void> {
  await pool.query(`
    insert into boards (id, owner_id, slug, place, definition, is_current, is_private, owners, created_at)
    select gen_random_uuid(), owner_id, 'b' || n, n, definition, true, false, owners, now()
    from boards, generate_series(2, ${boards}) n;
    insert into board_seasons (board_id, number, version, until, definition, coverage, missing, frozen_at, reason,
      differences, is_written)
    select id, 1, 1, now(), definition, '{}', '{}', now(), '', '[]', false from boards;
    insert into next_season_ranks (board_id, number, version, part, people, account_ids)
    select b.id, 1, 1, p.part, json_agg(p), array_agg(p.account_id) from boards b, (
      select id as account_id, n as place, 'a further field' as more, n / 5000 as part
      from accounts, lateral (select substr(external_id, 2)::integer as n) p
      where external_id ~ '^p[0-9]+$' and external_id <> 'p1') p
    group by b.id, p.part`);
  await analyzeTables({ pool });
}

/** Stores a signed season of some boards, each with all people but the first one. */
export async function signSeasons({ pool }: Database, boards: number): Promise<void> {
  await pool.query(`
    insert into boards (id, owner_id, slug, place, definition, is_current, is_private, owners, created_at)
    select gen_random_uuid(), owner_id, 'b' || n, n, definition, true, false, owners, now()
    from boards, generate_series(2, ${boards}) n;
    insert into board_seasons (board_id, number, version, until, definition, coverage, missing, frozen_at, reason,
      differences, statement)
    select id, 1, 1, now(), definition, '{}', '{}', now(), '', '[]', 'signed' from boards;
    insert into board_season_ranks (board_id, number, version, place, rank, account_id, is_anonymous, points, granted,
      by_rule, is_newcomer, is_returning, teams)
    select b.id, 1, 1, p.n, p.n, p.id, false, 1, 0, '{}', false, false, '{}' from boards b, (
      select id, substr(external_id, 2)::integer as n from accounts
      where external_id ~ '^p[0-9]+$' and external_id <> 'p1') p`);
  await analyzeTables({ pool });
}

export const hide = (person: string): RawBuilder<unknown> =>
  sql`update accounts set hidden = true where external_id = ${person}`;
