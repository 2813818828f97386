import { sql } from 'kysely';
import { isPublicInSql } from '../../../accounts/repositories/present-store.ts';
import { isShownInSql } from '../../../accounts/visibility/shown-store.ts';
import type { Connection } from '../../../database/connections/connection.ts';
import { pointRead } from '../../../database/reads/point-reads.ts';
import { allAwards } from '../../../database/schema/kept-awards.ts';

/** The file of a public repository with achievements that a person did not earn yet. */
export interface OpenFile {
  repositoryId: string;
  repositoryName: string;
  ownerName: string;
  defaultBranch: string;
  oid: string;
  /** Null where the caller has parsed the file already. */
  text: string | null;
  /** The names of these achievements, in no order. */
  names: string[];
}

/**
 * Finds the files with achievements that an account can still earn, those of repositories with most of its
 * contributions first. Only public, completely collected repositories count, so that the result is the same for every
 * reader.
 * @param values.parsed the object ids of files whose text is not needed.
 */
export async function findOpenFiles(
  connection: Connection,
  { accountId, limit, parsed }: { accountId: string; limit: number; parsed: readonly string[] },
): Promise<OpenFile[]> {
  const { rows } = await sql<OpenFile>`
    with totals as (
      select ${pointRead} repository_id, commits + pull_requests + reviews + issues as items from contributor_totals
      where account_id = ${accountId}
    )
    select r.id as "repositoryId", r.name as "repositoryName", o.name as "ownerName",
      r.default_branch as "defaultBranch", f.oid, case when f.oid = any(${parsed}::text[]) then null else f.text end as text,
      t.names
    -- Few achievements are left, so that their repositories and files are each read by a key.
    from (
      select t.repository_id, t.items, array_agg(h.name) as names
      from totals t join achievements h on h.repository_id = t.repository_id
      where h.is_current and h.evaluated_at is null
        and h.id not in (select w.achievement_id from ${allAwards('w')} where w.account_id = ${accountId})
      group by t.repository_id, t.items offset 0) t
    cross join lateral (select id, owner_id, name, default_branch from repositories r
      where id = t.repository_id and installed_at is not null and ${isPublicInSql('r')} offset 0) r
    cross join lateral (select name from accounts o where id = r.owner_id and ${isShownInSql('o')} offset 0) o
    cross join lateral (select oid, text from achievement_files
      where repository_id = t.repository_id and path is not null offset 0) f
    where not exists (select from streams s where s.repository_id = t.repository_id and s.completed_at is null)
    order by t.items desc, r.id limit ${limit}`.execute(connection);
  return rows;
}
