import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import { nameKey } from '../../../model/account.ts';
import type { Board, PersonName } from '../board.ts';

/** The accounts that boards name in grants, teams and exclusions. */

/** The parts of a board that name accounts. */
type NamingBoard = Pick<Board, 'people' | 'teams' | 'grants'>;

/**
 * Lookups of the accounts that boards name. A grant counts only for an account that is stored, so that those that are not
 * are looked up at their hosts.
 */

/** The time, in ms, after which an account is looked up again that its host did not know. */
const againAfterMs = 86_400_000;
/** The time, in ms, after which a failed lookup is repeated at the earliest. */
const retryAfterMs = 300_000;

/** SQL that is true when an account with the name `n.name` is stored. */
const isStored = sql`exists (
  select from accounts a
  where a.provider = (regexp_match(n.name, '^(.*)/[^/]*$'))[1] and lower(a.name) = (regexp_match(n.name, '[^/]*$'))[1])`;

/** SQL for the names in present boards. */
const presentNames = sql`select distinct unnest(people) as name from boards where is_current`;

/** An account that is due for a lookup. */
export interface DueName extends PersonName {
  key: string;
  /** True when the host had no such account, or showed none, at an earlier lookup. */
  isAbsent: boolean;
}

/** Finds accounts that present boards name and that are not stored, those that were never looked up first. */
export async function findDueNames(connection: Connection, now: Date, limit: number): Promise<DueName[]> {
  const absentBefore = new Date(now.getTime() - againAfterMs);
  const failedBefore = new Date(now.getTime() - retryAfterMs);
  const { rows } = await sql<DueName>`
    select n.name as key, (regexp_match(n.name, '^(.*)/[^/]*$'))[1] as provider,
      (regexp_match(n.name, '[^/]*$'))[1] as login, coalesce(p.is_absent, false) as "isAbsent"
    from (${presentNames}) n left join named_people p on p.name = n.name
    where (p.name is null
        or p.looked_up_at <= case when p.is_absent then ${absentBefore}::timestamptz else ${failedBefore} end)
      and not ${isStored}
    order by p.looked_up_at nulls first, n.name limit ${limit}`.execute(connection);
  return rows;
}

/** Stores that an account was looked up. */
export async function saveLookedUp(
  transaction: Connection,
  { key, isAbsent }: Pick<DueName, 'key' | 'isAbsent'>,
  now: Date,
): Promise<void> {
  await sql`
    insert into named_people (name, looked_up_at, is_absent) values (${key}, ${now}, ${isAbsent})
    on conflict (name) do update
      set looked_up_at = excluded.looked_up_at, is_absent = excluded.is_absent`.execute(transaction);
}

/** Removes the lookups of accounts that are stored by now, and of those that no present board names. */
export async function deleteLookedUp(connection: Connection): Promise<void> {
  await sql`
    delete from named_people n where ${isStored} or n.name not in (${presentNames})`.execute(connection);
}

/** Returns whether a board names accounts that are not stored and that their hosts have not denied either. */
export async function namesUnknownPeople(connection: Connection, board: NamingBoard): Promise<boolean> {
  const names = listPersonKeys(board);
  if (names.length === 0) return false;
  const { rows } = await sql`
    select from unnest(${names}::text[]) as n (name)
    where not exists (select from named_people p where p.name = n.name and p.is_absent) and not ${isStored}
    limit 1`.execute(connection);
  return rows.length > 0;
}

/** Returns the accounts that a board names. */
export function peopleNamedIn({ people, teams, grants }: NamingBoard): PersonName[] {
  return [...people.exclude, ...teams.flatMap((team) => team.people), ...grants.map(({ person }) => person)];
}

/** Returns the name of an account in the database: `provider/login`, in lower case. */
export function toPersonKey({ provider, login }: PersonName): string {
  return `${provider}/${nameKey(login)}`;
}

/** Returns the accounts that a board names, as `toPersonKey` names them. */
export function listPersonKeys(board: NamingBoard): string[] {
  return [...new Set(peopleNamedIn(board).map(toPersonKey))];
}
