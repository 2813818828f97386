import { type RawBuilder, sql } from 'kysely';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import { isShownInSql } from '../../../accounts/visibility/opt-out-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { pointRead } from '../../../database/reads/point-reads.ts';
import { allAwards, keptAwards } from '../../../database/schema/erasure.ts';

/** An achievement that the file of a public repository defines at present. */
interface PublicAchievement {
  id: string;
  name: string;
  description: string;
  /** The present name of the repository. */
  repository: string;
  /** The number of people who hold it; `maxHolders` + 1 stands for all greater numbers. */
  holders: number;
}

/** An achievement, and the time as of which its repository is known. */
export interface DatedAchievement extends PublicAchievement {
  asOf: Date;
}

/** An achievement that someone was awarded, and the owner of its repository. */
export interface AwardedAchievement extends DatedAchievement {
  provider: string;
  owner: string;
}

/** The position at which a page begins: `awarded_at` in microseconds since 1970, and the id of the award. */
export type HolderPlace = readonly [awardedAtUs: string, awardId: string];

/** A person who holds an achievement. */
export interface AchievementHolder {
  provider: string;
  name: string;
  displayName: string;
  awardId: string;
  awardedAt: Date;
  place: HolderPlace;
}

/** The greatest number of holders that is known exactly, because counting more would take long. */
export const maxHolders = 1000;

/**
 * Returns the clauses `from` and `where` for the awards `w` of an achievement that are not revoked, and their accounts
 * `a`, which everyone may see.
 */
function heldInSql(achievementId: RawBuilder<unknown> = sql`h.id`) {
  return sql`from ${allAwards('w')} join accounts a on a.id = w.account_id
    where w.achievement_id = ${achievementId} and w.revoked_at is null and ${isShownInSql('a')}`;
}

/** Returns SQL for a table with the number of holders of the achievement `h`, at most `upTo`. */
function holdersInSql(upTo = maxHolders + 1) {
  // The offset lets each account be read by its key, however few accounts PostgreSQL expects.
  return sql`(select count(*)::integer as holders from (
    select from ${allAwards('w')} cross join lateral (
      select from accounts a where id = w.account_id and ${isShownInSql('a')} offset 0) a
    where w.achievement_id = h.id and w.revoked_at is null limit ${upTo}) one)`;
}

/** Counts the holders of achievements, at most `upTo` each. */
export async function countHolders(
  connection: Connection,
  { ids, upTo }: { ids: readonly string[]; upTo: number },
): Promise<{ id: string; holders: number }[]> {
  const { rows } = await sql<{ id: string; holders: number }>`
    select ${pointRead} h.id, n.holders
    from unnest(${ids}::uuid[]) h (id) cross join lateral ${holdersInSql(upTo)} n`.execute(connection);
  return rows;
}

/** Returns the columns of the achievement `h` of the repository `r`, which `n` people hold. */
function columnsInSql() {
  return sql`h.id, h.name, h.description, r.name as repository, n.holders,
    coalesce(r.collected_at, r.listed_at) as "asOf"`;
}

/** Finds an achievement that a public repository of an owner defines at present. */
export async function findPublicAchievement(
  connection: Connection,
  { ownerId, id }: { ownerId: string; id: string },
): Promise<DatedAchievement | undefined> {
  const { rows } = await sql<DatedAchievement>`
    select ${columnsInSql()}
    from achievements h join repositories r on r.id = h.repository_id cross join lateral ${holdersInSql()} n
    where h.id = ${id} and h.is_current and r.owner_id = ${ownerId} and not r.is_private
      and ${isPresentInSql('r')}`.execute(connection);
  return rows[0];
}

/**
 * Finds the achievement of an award, by its id or the id that another service gave to it; undefined where no public
 * repository of an account that everyone may see defines the achievement at present.
 */
export async function findAwardedAchievement(
  connection: Connection,
  { accountId, awardId }: { accountId: string; awardId: string },
): Promise<AwardedAchievement | undefined> {
  const { rows } = await sql<AwardedAchievement>`
    select ${columnsInSql()}, o.provider, o.name as owner
    from ${keptAwards('g')} join achievements h on h.id = g.achievement_id join repositories r on r.id = h.repository_id
      join accounts o on o.id = r.owner_id cross join lateral ${holdersInSql()} n
    where g.account_id = ${accountId} and (g.id = ${awardId} or g.imported_id = ${awardId}) and g.revoked_at is null
      and h.is_current and not r.is_private and ${isPresentInSql('r')} and ${isShownInSql('o')}`.execute(connection);
  return rows[0];
}

/** Finds the people who hold an achievement, newest awards first; only accounts that everyone may see. */
export async function findAchievementHolders(
  connection: Connection,
  achievementId: string,
  { limit, after }: { limit: number; after: HolderPlace | undefined },
): Promise<AchievementHolder[]> {
  const isOlder =
    after === undefined
      ? sql``
      : sql`and (w.awarded_at, w.id) < ('epoch'::timestamptz + ${after[0]}::bigint * interval '1 microsecond', ${after[1]}::uuid)`;
  const { rows } = await sql<Omit<AchievementHolder, 'place'> & { us: string }>`
    select a.provider, a.name, a.display_name as "displayName", w.id as "awardId", w.awarded_at as "awardedAt",
      (extract(epoch from w.awarded_at) * 1000000)::bigint::text as us
    ${heldInSql(sql`${achievementId}`)} ${isOlder}
    order by w.awarded_at desc, w.id desc limit ${limit}`.execute(connection);
  return rows.map(({ us, ...holder }) => Object.assign(holder, { place: [us, holder.awardId] as const }));
}

/** An achievement that people can earn. */
export interface Earnable extends PublicAchievement {
  /** The newest award of it, whose image shows its icon; null without one. */
  newest: { id: string; name: string } | null;
}

/**
 * Finds the achievements that an owner's public repositories define at present, those that most people hold first.
 * @param of.repositoryId null: all repositories of the owner.
 */
export async function findEarnable(
  connection: Connection,
  { ownerId, repositoryId }: { ownerId: string; repositoryId: string | null },
  limit: number,
): Promise<Earnable[]> {
  const { rows } = await sql<Earnable>`
    select h.id, h.name, h.description, r.name as repository, n.holders, (
        select jsonb_build_object('id', w.id, 'name', a.name) ${heldInSql()}
        order by w.awarded_at desc, w.id desc limit 1) as newest
    from achievements h join repositories r on r.id = h.repository_id cross join lateral ${holdersInSql()} n
    where r.owner_id = ${ownerId} and h.is_current and not r.is_private and ${isPresentInSql('r')}
      and (${repositoryId}::uuid is null or r.id = ${repositoryId}::uuid)
    order by n.holders desc, h.name, h.id limit ${limit}`.execute(connection);
  return rows;
}
