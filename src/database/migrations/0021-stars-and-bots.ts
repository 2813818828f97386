import { type Kysely, sql } from 'kysely';

const stars = [
  // Set when the host withheld the list at the last read; the stored items are then those of deliveries.
  sql`alter table streams add column withheld_at timestamptz`,
  sql`
    create table star_events (
      repository_id uuid not null references repositories on delete cascade,
      external_id text not null,
      at timestamptz not null,
      balance integer not null,
      noted_at timestamptz not null,
      primary key (repository_id, external_id, at)
    )`,
];

/**
 * Deleted users (`ghost` in GitHub's REST interface) and mannequins were stored as people. Both are found by GitHub's
 * own ids: mannequins have `M_...`, or the older form, which is Base64 of `09:Mannequin...`.
 */
const nobodies = [
  sql`
    create temporary table nobodies on commit drop as
    select id from accounts
    where (external_id = '10137' and lower(name) = 'ghost') or handle ~ '^M_kgDO[A-Za-z0-9_-]+$'
      or handle like 'MDk6TWFubmVxdWlu%'`,
  sql`
    create temporary table owners on commit drop as
    select distinct r.owner_id as id from repositories r join contributor_totals t on t.repository_id = r.id
    where t.account_id in (select id from nobodies)`,
  sql`update accounts set contributors_version = contributors_version + 1 where id in (select id from owners)`,
  sql`delete from rankings where account_id in (select id from owners)`,
  sql`
    update contributions set
      assignees = case when assignees is not null then array(
        select one from unnest(assignees) as one where one not in (select id from nobodies)) end,
      reviewers = case when reviewers is not null then array(
        select one from unnest(reviewers) as one where one not in (select id from nobodies)) end,
      reactors = case when reactors is not null then array(
        select case when one not in (select id from nobodies) then one end
        from unnest(reactors) with ordinality as reactor (one, place) order by place) end
    where assignees && array(select id from nobodies) or reviewers && array(select id from nobodies)
      or reactors && array(select id from nobodies)`,
  sql`delete from achievement_work where account_id in (select id from nobodies)`,
  sql`delete from accounts where id in (select id from nobodies)`,
];

/**
 * Bots are found by GitHub's own ids (`BOT_...`, or Base64 of `03:Bot...`), and Copilot's two, which share a name in
 * REST.
 */
const bots = [
  sql`update accounts set type = 'bot' where type = 'user' and handle ~ '^(BOT_kgDO|MDM6Qm90)'`,
  sql`
    delete from former_names
    where account_id in (
      select id from accounts where external_id in ('198982749', '175728472') and name ilike 'copilot%')`,
  sql`
    update accounts set type = 'bot', name = case external_id
      when '198982749' then 'copilot-swe-agent[bot]' else 'copilot-pull-request-reviewer[bot]' end
    where external_id in ('198982749', '175728472') and name ilike 'copilot%'`,
];

export async function up(database: Kysely<unknown>): Promise<void> {
  for (const statement of [...stars, ...nobodies, ...bots]) await statement.execute(database);
}
