import { sql } from 'kysely';
import type { Connection } from '../../database/connection.ts';
import type { TeamPlace } from '../../providers/provider.ts';
import type { Board, TeamName } from '../board.ts';

/** Members of teams of hosts, as far as accounts are stored. They are for rankings alone: hosts show them to few. */

/** The time, in ms, after which members are read again. */
const freshForMs = 3_600_000;
/** The time, in ms, for which members count although the host does not show them any more. */
const keptMs = 7 * 86_400_000;

/** Returns the name of a team in the database: `provider/organization/team`, in lower case. */
export function keyOf({ provider, organization, team }: TeamName): string {
  return `${provider}/${organization}/${team}`.toLowerCase();
}

/** Returns the teams of hosts that a board names. */
export function teamsOf({ people, teams }: Pick<Board, 'people' | 'teams'>): string[] {
  const { onlyMembersOf } = people;
  const named = [...(onlyMembersOf === null ? [] : [onlyMembersOf]), ...teams.flatMap(({ hostTeams }) => hostTeams)];
  return [...new Set(named.map(keyOf))];
}

/** A team whose members are due for a reading. */
export interface DueTeam extends TeamPlace {
  name: string;
  provider: string;
}

/** Finds teams that present boards name and that were not read for an hour, those that were never read first. */
export async function findDueTeams(connection: Connection, now: Date, limit: number): Promise<DueTeam[]> {
  const { rows } = await sql<DueTeam>`
    select named.name, p.provider, p.organization, p.team, o.external_id as "organizationId"
    from (select distinct unnest(teams) as name from boards where is_current) named
    cross join lateral (
      select split_part(named.name, '/', 1) as provider, (regexp_match(named.name, '^[^/]+/(.+)/[^/]+$'))[1] as organization,
        (regexp_match(named.name, '[^/]+$'))[1] as team) p
    left join host_teams t on t.name = named.name
    left join lateral (
      select a.external_id from accounts a
      where a.provider = p.provider and lower(a.name) = p.organization and a.deleted_at is null
      order by a.named_at desc limit 1) o on true
    where t.name is null or t.tried_at <= ${new Date(now.getTime() - freshForMs)}
    order by t.tried_at nulls first, named.name limit ${limit}`.execute(connection);
  return rows;
}

/**
 * Stores the members of a team. Must run in a transaction.
 * @param ids immutable ids at the host; null: it does not show the members.
 * @returns whether that changes who is a member, or whether the members are known.
 */
export async function saveTeam(
  transaction: Connection,
  { name, provider }: Pick<DueTeam, 'name' | 'provider'>,
  ids: readonly string[] | null,
  now: Date,
): Promise<boolean> {
  const former = await transaction
    .selectFrom('host_teams')
    .select('read_at')
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
  const known = former?.read_at ?? null;
  const isKept = ids === null && known !== null && known.getTime() + keptMs > now.getTime();
  const readAt = ids === null ? (isKept ? known : null) : now;
  await sql`
    insert into host_teams (name, read_at, tried_at) values (${name}, ${readAt}, ${now})
    on conflict (name) do update set read_at = excluded.read_at, tried_at = excluded.tried_at`.execute(transaction);
  const isOther = former === undefined || (known === null) !== (readAt === null);
  if (isKept) return isOther;
  const { rows } = await sql<{ count: number }>`
    with members as (
      select a.id from accounts a
      where a.provider = ${provider} and a.external_id = any(${[...(ids ?? [])]}::text[]) and a.deleted_at is null
    ), gone as (
      delete from host_team_members where team = ${name} and account_id not in (select id from members) returning 1
    ), added as (
      insert into host_team_members (team, account_id) select ${name}, id from members order by id
      on conflict do nothing returning 1)
    select (select count(*) from gone)::integer + (select count(*) from added)::integer as count`.execute(transaction);
  return isOther || (rows[0]?.count ?? 0) > 0;
}

/** Removes teams that no present board names. */
export async function forgetTeams(connection: Connection): Promise<void> {
  await sql`
    delete from host_teams t
    where not exists (select from boards b where b.is_current and b.teams @> array[t.name])`.execute(connection);
}

/** Finds those of some teams whose members are not known. */
export async function findUnreadTeams(connection: Connection, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<{ name: string }>`
    select n.name from unnest(${[...names]}::text[]) as n (name)
    where not exists (select from host_teams t where t.name = n.name and t.read_at is not null)
    order by 1`.execute(connection);
  return rows.map(({ name }) => name);
}
