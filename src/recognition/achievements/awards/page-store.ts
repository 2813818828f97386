import { sql } from 'kysely';
import { isPresentInSql, isPublicInSql } from '../../../accounts/repositories/present-store.ts';
import { isShownInSql } from '../../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { pointRead } from '../../../database/reads/point-reads.ts';
import { keptAwards } from '../../../database/schema/erasure.ts';
import type { Account } from '../../../model/account.ts';
import { countsSince, mayKnowInSql } from './access-store.ts';

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
  /** True when its repository is private. */
  isPrivate: boolean;
  place: AwardPlace;
}

/** The account whose awards are shown, and the rights of the reader. */
export interface Audience {
  accountId: string;
  /** True when the reader is the account itself. */
  isOwner: boolean;
  includesPrivate: boolean;
  now: Date;
}

/** Returns the rights of a reader of an account's awards. */
export function audienceFor(
  { id, publishesPrivate }: Pick<Account, 'id' | 'publishesPrivate'>,
  { isOwner, now }: { isOwner: boolean; now: Date },
): Audience {
  return { accountId: id, isOwner, includesPrivate: isOwner || publishesPrivate, now };
}

/** The part of an account's awards that is wanted. */
interface AwardsPage {
  limit: number;
  after?: AwardPlace | undefined;
  before?: AwardPlace | undefined;
  id?: string;
}

/**
 * Returns a page of an account's awards, newest first, without revoked awards and without awards from repositories that
 * are not shown. Those from private repositories of other owners are shown while the host confirms that the account may
 * see the repository (`access.ts`): with the name that it had when the award was earned to the account, and to other readers
 * only if its owner publishes private contributions too.
 */
export async function findAwardPage(connection: Connection, audience: Audience, page: AwardsPage): Promise<Award[]> {
  const { after, before, id } = page;
  const { accountId, isOwner, includesPrivate, now } = audience;
  const [us, placeId] = after ?? before ?? [];
  const beside = (operator: '<' | '>') => sql`
    and (w.awarded_at, w.id) ${sql.raw(operator)}
      ('epoch'::timestamptz + ${us}::bigint * interval '1 microsecond', ${placeId}::uuid)`;
  // All readers may know a public repository.
  const isOpen = includesPrivate
    ? sql`not r.is_private or o.id = w.account_id or (o.publishes_private and ${isShownInSql('o')})`
    : sql`true`;
  const isShown = includesPrivate
    ? sql`${isPresentInSql('r')} and ${mayKnowInSql(sql`${countsSince(now)}::timestamptz`)}`
    : isPublicInSql('r');
  const direction = sql.raw(before === undefined ? 'desc' : 'asc');
  const { rows } = await sql<Award>`
    select ${pointRead} w.id, h.id as "achievementId", h.repository_id as "repositoryId", h.name, h.icon, h.description,
      w.awarded_at as "awardedAt", w.imported_at is not null as "isImported",
      json_build_array((extract(epoch from w.awarded_at) * 1000000)::bigint::text, w.id) as place,
      case when t.is_open then r.name when ${isOwner}::boolean then w.repository_name else '' end as "repositoryName",
      case when t.is_open then json_build_object(
        'owner', o.name, 'name', r.name, 'defaultBranch', r.default_branch) end as "iconSource",
      r.is_private as "isPrivate"
    from ${keptAwards('w')}
    -- Each of these reads one row by its key. The offsets spare PostgreSQL the comparison of other orders, which took
    -- twice the time of the statement. Conditions outside of them would be steps of their own.
    cross join lateral (select id, repository_id, name, icon, description from achievements
      where id = w.achievement_id offset 0) h
    cross join lateral (select owner_id, name, default_branch, is_private from repositories r
      where id = h.repository_id and ${isShown} offset 0) r
    cross join lateral (select id, name, publishes_private, deleted_at, hidden, hidden_by_host from accounts o
      where id = r.owner_id and deleted_at is null
        and (${isOwner}::boolean or id = w.account_id or ${isShownInSql('o')}) offset 0) o
    cross join lateral (select ${isOpen} as is_open) t
    where w.account_id = ${accountId} and w.revoked_at is null
      ${id === undefined ? sql`` : sql`and (w.id = ${id} or w.imported_id = ${id})`}
      ${after === undefined ? sql`` : beside('<')}
      ${before === undefined ? sql`` : beside('>')}
    order by w.awarded_at ${direction}, w.id ${direction} limit ${page.limit}`.execute(connection);
  return before === undefined ? rows : rows.toReversed();
}

/**
 * Returns one award by its id, or by the id that another service gave to it; undefined where this reader may not see
 * it.
 */
export async function findAward(connection: Connection, audience: Audience, id: string): Promise<Award | undefined> {
  const [award] = await findAwardPage(connection, audience, { id, limit: 1 });
  return award;
}
