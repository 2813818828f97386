import type { Pool } from 'pg';

/**
 * Returns the stored data of a repository at full depth, in a form that does not depend on the time or the way of
 * reading it.
 */
export async function storedItems(pool: Pool, externalId: number): Promise<string[]> {
  const { rows } = await pool.query<object>(
    `select c.kind, c.external_id as id, author.name as author, c.created_at, c.closed_at, c.merged_at, c.number,
       c.parent_external_id as parent, c.answered, resolver.name as "resolvedBy", c.answered_at as "answeredAt", c.labels, c.comments, c.upvotes,
       c.additions, c.deletions, c.changed_files as "changedFiles", c.commits, c.reason, c.state,
       (select array_agg(a.name order by a.name collate "C") from accounts a where a.id = any(c.assignees)) as assignees,
       (select array_agg(a.name order by a.name collate "C") from accounts a where a.id = any(c.reviewers)) as reviewers,
       (select array_agg(r.emoji || ' ' || coalesce(a.name, '') order by (r.emoji || ' ' || coalesce(a.name, '')) collate "C")
         from unnest(c.emojis, c.reactors) as r (emoji, reactor) left join accounts a on a.id = r.reactor) as reactions
     from (select * from contributions offset 0) c join repositories r on r.id = c.repository_id
       left join accounts author on author.id = c.account_id left join accounts resolver on resolver.id = c.resolved_by
     where r.provider = 'github' and r.external_id = $1::text
     order by 1, 2`,
    [externalId],
  );
  return rows.map((row) => JSON.stringify(row));
}

/** Returns the stored totals of all repositories. */
export async function storedTotals(pool: Pool): Promise<string[]> {
  const parts = [
    `select r.name, t.* from (select * from repository_totals offset 0) t join repositories r on r.id = t.repository_id order by 1`,
    `select r.name, a.name as who, t.* from (select * from contributor_totals offset 0) t join repositories r on r.id = t.repository_id
       join accounts a on a.id = t.account_id order by 1, 2`,
    `select r.name, a.name as who, d.* from (select * from contribution_days offset 0) d join repositories r on r.id = d.repository_id
       join accounts a on a.id = d.account_id order by 1, 2, d.day`,
  ];
  const results = await Promise.all(parts.map((text) => pool.query<object>(text)));
  return results.flatMap(({ rows }) => rows.map((row) => JSON.stringify(row)));
}
