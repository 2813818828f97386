import { sql } from 'kysely';
import { isShownInSql } from '../../accounts/shown-store.ts';
import type { Connection } from '../../database/connection.ts';
import type { PersonName } from '../board.ts';
import { readDefinition } from '../definition.ts';
import { peopleNamedIn, withPeople } from './people-of-rule.ts';
import type { Season } from './season-store.ts';
import { keepForParts, peopleAtOnce } from './version-store.ts';

/**
 * Copies the newest version of a season without the people who were erased or hidden, as a version whose table is stored by
 * `saveNextPart`, and removes the statements and differences of all former versions. The rule of each version loses the
 * names without an account that is shown, because a grant or a team names a person as the table does.
 */
export async function addAnonymousVersion(
  transaction: Connection,
  { boardId, number, version, definition }: Pick<Season, 'boardId' | 'number' | 'version' | 'definition'>,
  now: Date,
  limit = peopleAtOnce,
): Promise<void> {
  const next = version + 1;
  const board = readDefinition(definition);
  const rule = JSON.stringify(withPeople(definition, await findShown(transaction, peopleNamedIn(board))));
  await sql`
    insert into board_seasons (board_id, number, version, since, until, definition, coverage, counted, as_of,
      missing, frozen_at, reason, differences, is_written)
    select board_id, number, ${next}, since, until, ${rule}, coverage, counted, as_of, missing, ${now},
      'A person was erased or hidden.', '[]', false
    from board_seasons where board_id = ${boardId} and number = ${number} and version = ${version}`.execute(
    transaction,
  );
  const people = sql`
    select r.place, r.rank, u.id as account_id, r.points, r.granted, r.by_rule, r.previous_rank, r.is_newcomer,
      r.is_returning, r.teams
    from board_season_ranks r left join accounts u on u.id = r.account_id and ${isShownInSql('u')} and not r.is_anonymous
    where r.board_id = ${boardId} and r.number = ${number} and r.version = ${version}`;
  await keepForParts(transaction, { boardId, number, version: next }, people, limit);
  await sql`
    update board_seasons set statement = null, differences = '[]', definition = ${rule} where ctid = any(array(
      select ctid from board_seasons where board_id = ${boardId} and number = ${number} and version < ${next}
      order by version for no key update))`.execute(transaction);
}

/**
 * Removes the names of people from the rule of a season who were hidden after `addAnonymousVersion`, in all versions.
 * @returns the version with the rule that remains; a season of which no version was withdrawn as it is.
 */
export async function withoutHidden(transaction: Connection, season: Season): Promise<Season> {
  const { boardId, number, version, definition } = season;
  const isFormer = sql`board_id = ${boardId} and number = ${number} and version < ${version}`;
  const { rows } = await sql`
    select from board_seasons where ${isFormer} and statement is null limit 1`.execute(transaction);
  if (rows.length === 0) return season;
  const shown = await findShown(transaction, peopleNamedIn(readDefinition(definition)));
  const rule = withPeople(definition, shown);
  await sql`
    update board_seasons set definition = ${JSON.stringify(rule)} where ctid = any(array(
      select ctid from board_seasons where board_id = ${boardId} and number = ${number} and version <= ${version}
      order by version for no key update))`.execute(transaction);
  return { ...season, definition: rule };
}

/**
 * Deletes some rows of the tables of former versions of seasons that were signed again without a person.
 * @returns how many.
 */
export async function removeFormerTables(connection: Connection, limit: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    delete from board_season_ranks where ctid = any(array(
      select r.ctid from board_seasons s
      join board_season_ranks r on r.board_id = s.board_id and r.number = s.number and r.version = s.version
      where s.statement is null and s.is_written and exists (
        select from board_seasons n
        where n.board_id = s.board_id and n.number = s.number and n.version > s.version and n.statement is not null)
      limit ${limit} for update of r skip locked))`.execute(connection);
  return Number(numAffectedRows);
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
