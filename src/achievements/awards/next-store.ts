import { sql } from 'kysely';
import { isShownInSql } from '../../accounts/shown-store.ts';
import { keptAwards } from '../../database/kept-awards.ts';
import { fixedStatement, pointRead } from '../../database/point-reads.ts';
import { isPublicInSql } from '../../repositories/present-store.ts';

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
export const findOpenFiles = fixedStatement<{ accountId: string; limit: number; parsed: readonly string[] }, OpenFile>(
  (value) => sql`
    with totals as (
      select ${pointRead} repository_id, commits + pull_requests + reviews + issues as items from contributor_totals
      where account_id = ${value('accountId')}
    )
    select r.id as "repositoryId", r.name as "repositoryName", o.name as "ownerName",
      r.default_branch as "defaultBranch", f.oid, case when f.oid = any(${value('parsed')}::text[]) then null else f.text end as text,
      n.names
    from totals t join repositories r on r.id = t.repository_id
      join accounts o on o.id = r.owner_id join achievement_files f on f.repository_id = t.repository_id
      cross join lateral (
        select array_agg(h.name) as names from achievements h
        where h.repository_id = t.repository_id and h.is_current and h.evaluated_at is null
          and not exists (select from ${keptAwards('w')} where w.achievement_id = h.id and w.account_id = ${value('accountId')})) n
    where f.path is not null and r.installed_at is not null
      and ${isPublicInSql('r')} and ${isShownInSql('o')} and n.names is not null
      and not exists (select from streams s where s.repository_id = t.repository_id and s.completed_at is null)
    order by t.items desc, r.id limit ${value('limit')}`,
);
