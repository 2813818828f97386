import { sql } from 'kysely';
import { isShownInSql } from '../../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import type { PersonName } from '../board.ts';
import { hasRule, readDefinition, readFields } from '../board-store.ts';
import { isTeam, toPerson } from '../file/read-people.ts';
import { peopleNamedIn, toPersonKey } from '../people/named-people-store.ts';
import { type NamingParts, namesIn, withoutNames, withoutNamesIn } from './removed-names.ts';
import type { Season } from './season-store.ts';
import { keepForParts, peopleAtOnce } from './season-version-store.ts';

/**
 * Copies the newest version of a season without the people who were erased or hidden, as a version whose table is stored by
 * `saveNextPart`, and removes the statements and differences of all former versions. The rule of each version loses the
 * names without an account that is shown, because a grant or a team names a person as the table does.
 */
export async function addAnonymousVersion(
  transaction: Connection,
  season: Omit<Season, 'statement'>,
  now: Date,
  limit = peopleAtOnce,
): Promise<void> {
  const { boardId, number, version } = season;
  const next = version + 1;
  const names = await takeWithdrawnNames(transaction, season);
  const shown = await findShown(transaction, peopleNamedIn(readDefinition(season.definition)));
  const parts = withoutPeople(season, shown, names);
  await sql`
    insert into board_seasons (board_id, number, version, since, until, definition, coverage, counted, people,
      team_members, as_of, missing, frozen_at, reason, differences, is_written)
    select board_id, number, ${next}, since, until, ${parts.rule}, ${parts.coverage}, ${parts.counted}, ${parts.people}::text[],
      team_members, as_of, ${parts.missing}::text[], ${now}, 'A person was erased or hidden.', '[]', false
    from board_seasons
    where board_id = ${boardId} and number = ${number} and version = ${version}`.execute(transaction);
  const people = sql`
    select r.place, r.rank, u.id as account_id, r.points, r.granted, r.by_rule, r.previous_rank, r.is_newcomer,
      r.is_returning, r.teams, r.settled
    from board_season_ranks r left join accounts u on u.id = r.account_id and ${isShownInSql('u')} and not r.is_anonymous
    where r.board_id = ${boardId} and r.number = ${number} and r.version = ${version}`;
  await keepForParts(transaction, { boardId, number, version: next }, people, limit);
  await sql`
    update board_seasons set statement = null, differences = '[]', definition = ${parts.rule},
      coverage = ${parts.coverage}, counted = null, people = '{}', missing = ${parts.missing}::text[]
    where ctid = any(array(
      select ctid from board_seasons where board_id = ${boardId} and number = ${number} and version < ${next}
      order by version for no key update))`.execute(transaction);
  await removeFromReasons(transaction, season, names);
}

/**
 * Removes the names of people from a counted season who were hidden while its table was stored, and from all its former
 * versions. The transaction must have locked them.
 * @returns the version as it remains.
 */
export async function withoutHidden(transaction: Connection, season: Season): Promise<Season> {
  const { boardId, number, version } = season;
  const names = await takeWithdrawnNames(transaction, season);
  const isFormer = sql`board_id = ${boardId} and number = ${number} and version < ${version}`;
  const { rows } = await sql`
    select from board_seasons where ${isFormer} and statement is null limit 1`.execute(transaction);
  const isWithdrawn = rows.length > 0;
  if (!isWithdrawn && names.length === 0) return season;
  const named = peopleNamedIn(readDefinition(season.definition));
  const shown = isWithdrawn ? await findShown(transaction, named) : named;
  const parts = withoutPeople(season, shown, names);
  await sql`
    update board_seasons set definition = ${parts.rule}, coverage = ${parts.coverage}, missing = ${parts.missing}::text[],
      counted = case when version = ${version} then ${parts.counted}::json end,
      people = case when version = ${version} then ${parts.people}::text[] else '{}' end
    where board_id = ${boardId} and number = ${number} and version <= ${version}`.execute(transaction);
  await removeFromReasons(transaction, season, names);
  return { ...season, ...parts.remaining, reason: withoutNames(season.reason, names) };
}

/**
 * Returns what remains of the parts of a season that may name people, also as its columns.
 * @param shown the people whom the rule may still name.
 * @param names the names that were withdrawn, which no text may contain.
 */
function withoutPeople(season: NamingParts, shown: readonly PersonName[], names: readonly string[]) {
  const named = shown.filter((person) => !names.includes(toPersonKey(person)));
  const { definition, coverage, counted, missing } = withoutNamesIn(
    { ...season, definition: withPeople(season.definition, named) },
    names,
  );
  return {
    remaining: { definition, coverage, counted, missing },
    rule: JSON.stringify(definition),
    coverage: JSON.stringify(coverage),
    counted: counted && JSON.stringify(counted),
    people: namesIn(readDefinition(definition)),
    missing,
  };
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

/** Removes the names that were withdrawn from a season from where they wait for this, and returns them. */
async function takeWithdrawnNames(
  transaction: Connection,
  { boardId, number }: Pick<Season, 'boardId' | 'number'>,
): Promise<string[]> {
  const rows = await transaction
    .deleteFrom('withdrawn_names')
    .where('board_id', '=', boardId)
    .where('number', '=', number)
    .returning('name')
    .execute();
  return rows.map(({ name }) => name);
}

/** Removes names from the reasons of all versions of a season, which stay listed, and from what those counted. */
async function removeFromReasons(
  transaction: Connection,
  { boardId, number }: Pick<Season, 'boardId' | 'number'>,
  names: readonly string[],
): Promise<void> {
  if (names.length === 0) return;
  const rows = await transaction
    .selectFrom('board_seasons')
    .select(['version', 'reason'])
    .where('board_id', '=', boardId)
    .where('number', '=', number)
    .execute();
  const changed = rows
    .map(({ version, reason }) => ({ version, former: reason, reason: withoutNames(reason, names) }))
    .filter(({ former, reason }) => former !== reason);
  for (const { version, reason } of changed.toSorted((one, other) => one.version - other.version)) {
    await transaction
      .updateTable('board_seasons')
      .set({ reason })
      .where('board_id', '=', boardId)
      .where('number', '=', number)
      .where('version', '=', version)
      .execute();
  }
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

/**
 * Returns the stored definition of a board without the exclusions, members of teams and grants of other people.
 * @throws Error when the definition has not the shape of a board.
 */
function withPeople(definition: object, people: readonly PersonName[]): object {
  if (!hasRule(definition)) return definition;
  const { provider, fields } = readFields(definition);
  const kept = new Set(people.map(toPersonKey));
  const isKept = (text: string): boolean => isTeam(text) || kept.has(toPersonKey(toPerson(text, provider)));
  const { people: ranked, teams, grants } = fields;
  return {
    ...definition,
    ...(ranked?.exclude && { people: { ...ranked, exclude: ranked.exclude.filter(isKept) } }),
    ...(teams && {
      teams: Object.fromEntries(Object.entries(teams).map(([name, members]) => [name, members.filter(isKept)])),
    }),
    ...(grants && { grants: grants.filter(({ person }) => isKept(person)) }),
  };
}
