import { sql } from 'kysely';
import { isShownInSql } from '../../accounts/shown-store.ts';
import type { Connection } from '../../database/connection.ts';
import type { PersonName } from '../board.ts';
import { readDefinition } from '../definition.ts';
import { peopleNamedIn, withPeople } from './people-of-rule.ts';
import type { Season } from './season-store.ts';

/**
 * Copies the newest version of a season without the people who were erased or hidden, and removes the tables,
 * statements and differences of all former versions. The rule of each version loses the names without an account that
 * is shown, because a grant or a team names a person as the table does.
 * @returns the number of the version.
 */
export async function addAnonymousVersion(
  transaction: Connection,
  { boardId, number, version, definition }: Pick<Season, 'boardId' | 'number' | 'version' | 'definition'>,
  now: Date,
): Promise<number> {
  const next = version + 1;
  const board = readDefinition(definition);
  const rule = JSON.stringify(withPeople(definition, await findShown(transaction, peopleNamedIn(board))));
  await sql`
    insert into board_seasons (board_id, number, version, since, until, definition, coverage, as_of, missing, frozen_at,
      reason, differences)
    select board_id, number, ${next}, since, until, ${rule}, coverage, as_of, missing, ${now},
      'A person was erased or hidden.', '[]'
    from board_seasons where board_id = ${boardId} and number = ${number} and version = ${version}`.execute(
    transaction,
  );
  await sql`
    insert into board_season_ranks
    select r.board_id, r.number, ${next}, r.place, r.rank, u.id, r.is_anonymous or u.id is null, r.points, r.granted,
      r.by_rule, r.previous_rank, r.is_newcomer, r.is_returning, case when u.id is null then '{}' else r.teams end
    from board_season_ranks r left join accounts u on u.id = r.account_id and ${isShownInSql('u')} and not r.is_anonymous
    where r.board_id = ${boardId} and r.number = ${number} and r.version = ${version}`.execute(transaction);
  await sql`
    delete from board_season_ranks
    where board_id = ${boardId} and number = ${number} and version < ${next}`.execute(transaction);
  await sql`
    update board_seasons set statement = null, differences = '[]', definition = ${rule} where ctid = any(array(
      select ctid from board_seasons where board_id = ${boardId} and number = ${number} and version < ${next}
      order by version for no key update))`.execute(transaction);
  return next;
}

/** Returns those of the names that belong to accounts that are shown. */
async function findShown(connection: Connection, people: readonly PersonName[]): Promise<PersonName[]> {
  const named = people.map(({ provider, login }) => ({ provider, login }));
  const { rows } = await sql<PersonName>`
    select p.provider, p.login from json_to_recordset(${JSON.stringify(named)}::json) as p (provider text, login text)
    where exists (
      select from accounts a
      where a.provider = p.provider and lower(a.name) = lower(p.login) and ${isShownInSql('a')})`.execute(connection);
  return rows;
}
