import { sql } from 'kysely';
import type { Connection } from '../../../database/connections/connection.ts';
import type { TeamPlace } from '../../../hosts/interface/provider.ts';
import type { Board, TeamName } from '../board.ts';

/**
 * The stored accounts among the members of host teams. Only rankings use them, because hosts show members to few
 * people. A board uses only the teams of its own owner: the service may be able to read teams of other organizations
 * that this owner may not see.
 */

/** The time, in ms, after which members are read again. */
const freshForMs = 3_600_000;
/** The time, in ms, for which members count although the host does not show them any more. */
const keptMs = 7 * 86_400_000;

/** Returns the name of a team in the database: `provider/organization/team`, in lower case. */
export function toTeamKey({ provider, organization, team }: TeamName): string {
  return `${provider}/${organization}/${team}`.toLowerCase();
}

/** Returns the host teams that a board names, as `toTeamKey` names them. */
export function listTeamKeys({ people, teams }: Pick<Board, 'people' | 'teams'>): string[] {
  const { onlyMembersOf } = people;
  const named = [...(onlyMembersOf === null ? [] : [onlyMembersOf]), ...teams.flatMap(({ hostTeams }) => hostTeams)];
  return [...new Set(named.map(toTeamKey))];
}

/** A team whose members are due for a reading. */
export interface DueTeam extends TeamPlace {
  ownerId: string;
  name: string;
  provider: string;
}

/** SQL for the teams of owners (owner_id, name, provider, external_id) that their present boards name. */
const ownTeamsInSql = sql`
  select distinct o.id as owner_id, n.name, o.provider, o.external_id
  from boards b join accounts o on o.id = b.owner_id cross join unnest(b.teams) as n (name)
  where b.is_current and o.deleted_at is null and starts_with(n.name, lower(o.provider || '/' || o.name) || '/')`;

/**
 * Finds teams that present boards of their organizations name and that were not read for an hour, those that were never
 * read first.
 */
export async function findDueTeams(connection: Connection, now: Date, limit: number): Promise<DueTeam[]> {
  const { rows } = await sql<DueTeam>`
    select own.owner_id as "ownerId", own.name, own.provider, own.external_id as "organizationId",
      (regexp_match(own.name, '^[^/]+/(.+)/[^/]+$'))[1] as organization, (regexp_match(own.name, '[^/]+$'))[1] as team
    from (${ownTeamsInSql}) own
    left join host_teams t on t.owner_id = own.owner_id and t.name = own.name
    where t.name is null or t.tried_at <= ${new Date(now.getTime() - freshForMs)}
    order by t.tried_at nulls first, own.name limit ${limit}`.execute(connection);
  return rows;
}

/**
 * Stores the members of a team. Must run in a transaction.
 * @param ids immutable ids at the host; null: it does not show the members.
 * @returns true when the members changed, or when they became known or unknown.
 */
export async function saveTeam(
  transaction: Connection,
  { ownerId, name, provider }: Pick<DueTeam, 'ownerId' | 'name' | 'provider'>,
  ids: readonly string[] | null,
  now: Date,
): Promise<boolean> {
  const former = await transaction
    .selectFrom('host_teams')
    .select('read_at')
    .where('owner_id', '=', ownerId)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst();
  const known = former?.read_at ?? null;
  const isKept = ids === null && known !== null && known.getTime() + keptMs > now.getTime();
  const readAt = ids === null ? (isKept ? known : null) : now;
  await sql`
    insert into host_teams (owner_id, name, read_at, tried_at) values (${ownerId}, ${name}, ${readAt}, ${now})
    on conflict (owner_id, name) do update
      set read_at = excluded.read_at, tried_at = excluded.tried_at`.execute(transaction);
  const isOther = former === undefined || (known === null) !== (readAt === null);
  if (isKept) return isOther;
  const { rows } = await sql<{ count: number }>`
    with members as (
      select a.id from accounts a
      where a.provider = ${provider} and a.external_id = any(${[...(ids ?? [])]}::text[]) and a.deleted_at is null
    ), gone as (
      delete from host_team_members
      where owner_id = ${ownerId} and team = ${name} and account_id not in (select id from members) returning 1
    ), added as (
      insert into host_team_members (owner_id, team, account_id) select ${ownerId}, ${name}, id from members order by id
      on conflict do nothing returning 1)
    select (select count(*) from gone)::integer + (select count(*) from added)::integer as count`.execute(transaction);
  return isOther || (rows[0]?.count ?? 0) > 0;
}

/** Removes teams that no present board of their organization names. */
export async function deleteTeams(connection: Connection): Promise<void> {
  await sql`
    delete from host_teams t
    where not exists (select from (${ownTeamsInSql}) own
    where own.owner_id = t.owner_id and own.name = t.name)`.execute(connection);
}

/**
 * Returns those of the teams whose members are not known: the host does not show them, or they are not teams of the
 * owner.
 */
export async function findUnreadTeams(
  connection: Connection,
  ownerId: string,
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const { rows } = await sql<{ name: string }>`
    select n.name from unnest(${[...names]}::text[]) as n (name)
    where not exists (
      select from host_teams t where t.owner_id = ${ownerId} and t.name = n.name and t.read_at is not null)
    order by 1`.execute(connection);
  return rows.map(({ name }) => name);
}
