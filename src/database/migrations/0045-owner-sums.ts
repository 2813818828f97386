import { sql } from 'kysely';
import type { Part } from './migration.ts';

const columns = [
  'commits',
  'issues',
  'pull_requests',
  'reviews',
  'issues_closed',
  'pull_requests_merged',
  'discussions',
  'discussions_answered',
  'contributed_to',
  'stars',
  'uncollected_commits',
  'uncollected_issues',
  'uncollected_pull_requests',
  'uncollected_reviews',
  'uncollected_discussions',
  'unfinished',
];
const names = sql.join(columns.map((name) => sql.ref(name)));
const definitions = sql.join(columns.map((name) => sql`${sql.ref(name)} bigint not null default 0`));

/** The most repositories, or owners, of one batch. */
const atOnce = 1000;

const kinds = { commit: 'commits', issue: 'issues', pull_request: 'pull_requests', review: 'reviews' };

/** SQL for everything that a repository `r` with totals `t` and the kinds `u` adds to the sums of its owner. */
const added = sql.join([
  ...columns.slice(0, 8).map((name) => sql`coalesce(${sql.ref(`t.${name}`)}, 0)`),
  sql`coalesce((${sql.join(
    Object.values(kinds).map((name) => sql.ref(`t.${name}`)),
    sql` + `,
  )} > 0)::integer, 0)`,
  sql`case when r.is_fork then 0 else r.stars end`,
  ...[...Object.keys(kinds), 'discussion'].map((kind) => sql`(${kind} = any(u.kinds))::integer`),
  sql`(exists (
    select from streams s
    where s.repository_id = r.id and s.completed_at is null and s.failure is null))::integer`,
]);

const uncollected = sql`(
  select array(
    select kind from unnest('{commit,issue,pull_request,review,discussion}'::text[]) as kinds (kind)
    where not exists (
        select from streams s where s.repository_id = r.id and kind = any(s.covers) and s.completed_at is not null)
      or exists (
        select from skipped_items k where k.repository_id = r.id and (
          (k.kind = kinds.kind and not k.is_counted)
          or (k.kind = 'issue_or_pull_request' and kinds.kind in ('issue', 'pull_request') and not k.is_counted)
          or (k.kind = 'pull_request' and kinds.kind = 'review' and not k.is_stored)))) as kinds) u`;

/** Sums over the repositories of each owner, and for each repository its part of them. */
export const parts: readonly Part[] = [
  {
    sql: [
      sql`create table owner_sums (owner_id uuid not null, is_private boolean not null, ${definitions})`,
      sql`create index owner_sums_owner on owner_sums (owner_id)`,
      sql`
        create table summed_repositories (
          repository_id uuid primary key, owner_id uuid, is_private boolean, ${definitions}
        )`,
      sql`create index summed_repositories_owner on summed_repositories (owner_id)`,
      sql`
        create table unsummed_repositories (
          transaction_id xid8 not null, repository_id uuid not null, primary key (transaction_id, repository_id)
        )`,
      sql`alter table accounts drop column uncollected`,
    ],
  },
  {
    backfill: {
      table: 'summed_repositories',
      batch: async (transaction, after) => {
        const { rows } = await sql<{ id: string }>`
          with batch as (
            select id from repositories where ${after}::uuid is null or id > ${after}::uuid order by id limit ${atOnce}
          ), saved as (
            insert into summed_repositories (repository_id, owner_id, is_private, ${names})
            select r.id, r.owner_id, r.is_private, ${added}
            from batch join repositories r using (id) left join repository_totals t on t.repository_id = r.id
            cross join lateral ${uncollected}
            where r.deleted_at is null
          )
          select id from batch order by id`.execute(transaction);
        return { next: rows.length < atOnce ? null : (rows.at(-1)?.id ?? null), rows: rows.length };
      },
    },
  },
  {
    backfill: {
      table: 'owner_sums',
      batch: async (transaction, after) => {
        const { rows } = await sql<{ id: string }>`
          with owners as (
            select distinct owner_id from summed_repositories where ${after}::uuid is null or owner_id > ${after}::uuid
            order by owner_id limit ${atOnce}
          ), saved as (
            insert into owner_sums (owner_id, is_private, ${names})
            select owner_id, is_private, ${sql.join(columns.map((name) => sql`sum(${sql.ref(name)})`))}
            from owners join summed_repositories using (owner_id) group by owner_id, is_private
          )
          select owner_id as id from owners order by owner_id`.execute(transaction);
        return { next: rows.length < atOnce ? null : (rows.at(-1)?.id ?? null), rows: rows.length };
      },
    },
  },
];
