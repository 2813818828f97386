import { sql } from 'kysely';
import type { Connection } from '../../database/connections/connection.ts';
import { isPresentInSql } from './present-store.ts';

/**
 * Stores that the host redirects a name to a repository of the same owner that has another name, so that the name is
 * not looked up again before `checkAfter`.
 */
export async function saveFormerName(
  connection: Connection,
  former: { repositoryId: string; name: string; now: Date; checkAfter: Date },
): Promise<void> {
  const key = former.name.toLowerCase();
  await sql`
    insert into former_repository_names (owner_id, name_key, repository_id, left_at, check_after)
    select owner_id, ${key}, id, ${former.now}, ${former.checkAfter} from repositories
    where id = ${former.repositoryId} and lower(name) <> ${key}
    on conflict (owner_id, name_key, repository_id)
      do update set left_at = excluded.left_at, check_after = excluded.check_after`.execute(connection);
}

/**
 * Finds the present name of the repository of an account that last had a name, unless the repository is hidden or has
 * another owner now. Finds a private one only with `withPrivate`, because its former name must not reveal it.
 */
export async function findByFormerName(
  connection: Connection,
  ownerId: string,
  name: string,
  { withPrivate }: { withPrivate: boolean },
): Promise<{ name: string; checkAfter: Date } | undefined> {
  return connection
    .selectFrom('former_repository_names as f')
    .innerJoin('repositories as r', (join) =>
      join.onRef('r.id', '=', 'f.repository_id').onRef('r.owner_id', '=', 'f.owner_id'),
    )
    .select(['r.name', 'f.check_after as checkAfter'])
    .where('f.owner_id', '=', ownerId)
    .where('f.name_key', '=', name.toLowerCase())
    .where(isPresentInSql('r'))
    .where((is) => is.or([is('r.is_private', '=', false), is.lit(withPrivate)]))
    .orderBy('f.left_at', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Postpones the next check of a former name to `checkAfter`, because no other repository that the reader sees has taken
 * it so far.
 */
export async function keepFormerName(
  connection: Connection,
  ownerId: string,
  name: string,
  { withPrivate, checkAfter }: { withPrivate: boolean; checkAfter: Date },
): Promise<void> {
  await sql`
    update former_repository_names f set check_after = ${checkAfter} from repositories r
    where f.owner_id = ${ownerId} and f.name_key = ${name.toLowerCase()} and r.id = f.repository_id
      and (${withPrivate}::boolean or not r.is_private)`.execute(connection);
}
