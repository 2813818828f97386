import { sql } from 'kysely';
import { isShownInSql } from '../../accounts/shown-store.ts';
import type { Connection } from '../../database/connection.ts';
import { isPresentInSql } from '../../repositories/shown-store.ts';

/** An achievement that the file of a public repository defines. */
export interface Earnable {
  id: string;
  name: string;
  description: string;
  repository: string;
  /** The number of people who hold it; greater ones are cut. */
  holders: number;
  /** The newest award of it, whose image shows its icon; null without one. */
  newest: { id: string; name: string } | null;
}

const maxHolders = 1000;

/**
 * Finds the achievements that an owner's public repositories define at present, those that most people hold first.
 * @param of.repositoryId null: all repositories of the owner.
 */
export async function findEarnable(
  connection: Connection,
  { ownerId, repositoryId }: { ownerId: string; repositoryId: string | null },
  limit: number,
): Promise<Earnable[]> {
  const held = sql`from awards w join accounts a on a.id = w.account_id
    where w.achievement_id = h.id and w.revoked_at is null and ${isShownInSql('a')}`;
  const { rows } = await sql<Earnable>`
    select h.id, h.name, h.description, r.name as repository, n.holders, (
        select jsonb_build_object('id', w.id, 'name', a.name) ${held} order by w.awarded_at desc, w.id limit 1) as newest
    from achievements h join repositories r on r.id = h.repository_id
      cross join lateral (select count(*)::integer as holders from (select ${held} limit ${maxHolders}) one) n
    where r.owner_id = ${ownerId} and h.is_current and not r.is_private and ${isPresentInSql('r')}
      and (${repositoryId}::uuid is null or r.id = ${repositoryId}::uuid)
    order by n.holders desc, h.name, h.id limit ${limit}`.execute(connection);
  return rows;
}
