import { sql } from 'kysely';
import { isPresentInSql } from '../../../accounts/repositories/present-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { heldInSql, holdersInSql, type PublicAchievement } from './holders-store.ts';

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
