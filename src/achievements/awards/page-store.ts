import { sql } from 'kysely';
import { isShownInSql } from '../../accounts/shown-store.ts';
import type { Connection } from '../../database/connection.ts';
import { keptAwards } from '../../database/kept-awards.ts';
import { pointRead } from '../../database/point-reads.ts';
import { isPresentInSql } from '../../repositories/present-store.ts';

/** The position at which a page begins: `awarded_at` in microseconds since 1970, and the id. */
export type AwardPlace = readonly [awardedAtUs: string, id: string];

/** An award as it is shown. */
export interface Award {
  id: string;
  achievementId: string;
  repositoryId: string;
  /** Empty where the repository is private and this reader may not know its name. */
  repositoryName: string;
  name: string;
  /** A URL, a path in `iconSource`, or empty. */
  icon: string;
  /** The repository of an icon's path; null where this reader may not see the repository. */
  iconSource: { owner: string; name: string; defaultBranch: string } | null;
  description: string;
  awardedAt: Date;
  /** True when it was imported from another service. */
  isImported: boolean;
  place: AwardPlace;
}

/** The account whose awards are shown, and the rights of the reader. */
export interface Audience {
  accountId: string;
  /** True when the reader is the account itself. */
  isOwner: boolean;
  includesPrivate: boolean;
}

interface Row {
  id: string;
  achievement_id: string;
  repository_id: string;
  repository_name: string;
  name: string;
  icon: string;
  icon_owner: string | null;
  icon_repository: string | null;
  default_branch: string;
  description: string;
  awarded_at: Date;
  awarded_at_us: string;
  is_imported: boolean;
}

/**
 * Returns a page of an account's awards, newest first, without revoked awards and without awards from repositories that
 * are not shown. For a private repository of another owner, the account sees the name that the repository had when the
 * award was earned; other readers see its name only if its owner publishes private contributions too.
 */
export async function findAwardPage(
  connection: Connection,
  { accountId, isOwner, includesPrivate }: Audience,
  page: { limit: number; after?: AwardPlace | undefined; before?: AwardPlace | undefined; id?: string },
): Promise<Award[]> {
  const beside = (operator: '<' | '>', [us, id]: AwardPlace) => sql`
    and (w.awarded_at, w.id) ${sql.raw(operator)}
      ('epoch'::timestamptz + ${us}::bigint * interval '1 microsecond', ${id}::uuid)`;
  const direction = sql.raw(page.before === undefined ? 'desc' : 'asc');
  const { rows } = await sql<Row>`
    select ${pointRead} w.id, h.id as achievement_id, h.repository_id, h.name, h.icon, h.description, w.awarded_at,
      w.imported_at is not null as is_imported,
      (extract(epoch from w.awarded_at) * 1000000)::bigint::text as awarded_at_us,
      case when t.is_open then r.name when ${isOwner}::boolean then w.repository_name else '' end as repository_name,
      case when t.is_open then o.name end as icon_owner, case when t.is_open then r.name end as icon_repository,
      r.default_branch
    from ${keptAwards('w')}
    -- Each of these reads one row by its key. The offsets spare PostgreSQL the comparison of other orders, which took
    -- twice the time of the statement.
    cross join lateral (select id, repository_id, name, icon, description from achievements
      where id = w.achievement_id offset 0) h
    cross join lateral (select id, owner_id, name, default_branch, provider, credential_name, is_private, deleted_at
      from repositories where id = h.repository_id offset 0) r
    cross join lateral (select id, name, publishes_private, deleted_at, hidden, hidden_by_host from accounts
      where id = r.owner_id offset 0) o
    cross join lateral (
      select not r.is_private or o.id = w.account_id or (o.publishes_private and ${isShownInSql('o')}) as is_open) t
    where w.account_id = ${accountId} and w.revoked_at is null and ${isPresentInSql('r')} and o.deleted_at is null
      and (${includesPrivate}::boolean or not r.is_private)
      and (${isOwner}::boolean or o.id = w.account_id or ${isShownInSql('o')})
      ${page.id === undefined ? sql`` : sql`and (w.id = ${page.id} or w.imported_id = ${page.id})`}
      ${page.after === undefined ? sql`` : beside('<', page.after)}
      ${page.before === undefined ? sql`` : beside('>', page.before)}
    order by w.awarded_at ${direction}, w.id ${direction} limit ${page.limit}`.execute(connection);
  const awards = rows.map(toAward);
  return page.before === undefined ? awards : awards.toReversed();
}

/**
 * Returns one award by its id, or by the id that another service gave to it; undefined where this reader may not see
 * it.
 */
export async function findAward(connection: Connection, audience: Audience, id: string): Promise<Award | undefined> {
  const [award] = await findAwardPage(connection, audience, { id, limit: 1 });
  return award;
}

/**
 * Counts the people who hold achievements of public repositories; only accounts that everyone may see.
 * @param upTo stands for all greater numbers, because counting more people would take long.
 */
export async function countHolders(
  connection: Connection,
  achievementIds: readonly string[],
  upTo: number,
): Promise<ReadonlyMap<string, number>> {
  const { rows } = await sql<{ id: string; holders: number }>`
    select h.id, (select count(*) from (
        select from ${keptAwards('w')} join accounts a on a.id = w.account_id
        where w.achievement_id = h.id and w.revoked_at is null and ${isShownInSql('a')} limit ${upTo}) held)::integer as holders
    from achievements h join repositories r on r.id = h.repository_id
    where h.id = any(${achievementIds}::uuid[]) and not r.is_private and ${isPresentInSql('r')}`.execute(connection);
  return new Map(rows.map(({ id, holders }) => [id, holders]));
}

function toAward(row: Row): Award {
  const { icon_owner: owner, icon_repository: name } = row;
  return {
    id: row.id,
    achievementId: row.achievement_id,
    repositoryId: row.repository_id,
    repositoryName: row.repository_name,
    name: row.name,
    icon: row.icon,
    iconSource: owner === null || name === null ? null : { owner, name, defaultBranch: row.default_branch },
    description: row.description,
    awardedAt: row.awarded_at,
    isImported: row.is_imported,
    place: [row.awarded_at_us, row.id],
  };
}
