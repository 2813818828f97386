import { sql } from 'kysely';
import { nameKey } from '../../accounts/account.ts';
import { isShownInSql } from '../../accounts/shown-store.ts';
import type { Connection } from '../../database/connection.ts';
import { isPresentInSql } from '../../repositories/present-store.ts';

/** The public repositories of an account, and those of which everything is collected. */
export interface Progress {
  complete: number;
  total: number;
}

/** Counts the repositories of an account by its name; none where no account of the name is stored. */
export async function countProgress(
  connection: Connection,
  { provider, name }: { provider: string; name: string },
): Promise<Progress> {
  const { rows } = await sql<Progress>`
    select count(*)::integer as total, (count(*) filter (where
      exists (select from streams s where s.repository_id = r.id)
      and not exists (select from streams s where s.repository_id = r.id and s.completed_at is null)))::integer as complete
    from accounts a join repositories r on r.owner_id = a.id
    where a.provider = ${provider} and lower(a.name) = ${nameKey(name)} and not r.is_private
      and ${isShownInSql('a')} and ${isPresentInSql('r')}`.execute(connection);
  return rows[0] ?? { complete: 0, total: 0 };
}
