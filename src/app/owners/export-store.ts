import { type RawBuilder, sql } from 'kysely';
import { findById } from '../../accounts/store.ts';
import { columnsInSql } from '../../contributions/totals/column-store.ts';
import type { Connection } from '../../database/connections/connection.ts';
import { atOneMoment, streamRows } from '../../database/reads/stream-rows.ts';
import { keptAwards } from '../../database/schema/erasure.ts';
import { ofContributions, storedCounters } from '../../model/kinds.ts';
import { countsSince, mayKnowInSql } from '../../recognition/achievements/awards/access-store.ts';
import { isOfVersionInSql } from '../../recognition/boards/ranking/ranking-version-store.ts';

/**
 * Exports the data about an account, one line each: `{"type": ..., "data": {...}}`. Keys and links come without
 * secrets, and rows without the operator's columns.
 */
export function exportAccount(
  connection: Connection,
  accountId: string,
  now: Date,
): AsyncGenerator<string, void, undefined> {
  return atOneMoment(connection, async function* (transaction) {
    // Its owner may have erased it since the caller was authorized.
    if ((await findById(transaction, accountId)) === undefined) return;
    for (const [type, rows] of Object.entries({
      ...parts(accountId),
      ...partsOfAwards(accountId, now),
      ...partsOfCommits(accountId),
      ...partsOfBoards(accountId),
    })) {
      const query = sql<{ row: string }>`
        select json_build_object('type', ${type}::text, 'data', to_jsonb(r) - ${operators}::text[])::text as row from (${rows}) r`;
      yield* streamRows(transaction, query);
    }
  });
}

/**
 * Columns for the operator, which the export leaves out: the name of a credential, and the host's messages, which may
 * mention it (docs/decisions/0031).
 */
const operators = ['credential_name', 'failure_reason', 'explanation'];
/** SQL for the name of the repository `r`; null for a private one of another owner, which the export does not name. */
const repositoryName = sql`case when r.owner_id = a.id or not r.is_private then o.name || '/' || r.name end`;
/** SQL for the columns of the holder and the end of a key or link. */
const held = sql`holder, holder_name, ends_at, suspended_at, ended_at`;
const contributedTo = sql`join repositories r on r.id = c.repository_id join accounts o on o.id = r.owner_id`;

function parts(id: string): Record<string, RawBuilder<unknown>> {
  const owned = sql`select id from repositories where owner_id = ${id}`;
  return {
    account: sql`
      select id, provider, external_id, handle, type, name, display_name, avatar_url, website, description, socials,
        followers, following, experience, hidden, hidden_by_host, publishes_private, boards_repository, provider_memory, fetched_at,
        checked_at, listed_at, created_at, updated_at
      from accounts where id = ${id}`,
    former_name: sql`select name_key, left_at from former_names where account_id = ${id}`,
    former_repository_name: sql`
      select name_key, repository_id, left_at from former_repository_names where owner_id = ${id}`,
    counters: sql`select * from counters where account_id = ${id}`,
    reported_totals: sql`select * from reported_totals where account_id = ${id}`,
    calendar: sql`select * from calendars where account_id = ${id}`,
    reported_window: sql`select * from reported_windows where account_id = ${id}`,
    installation: sql`
      select i.id, i.source, i.covers, i.suspended_at, i.removed_at, i.seen_at, i.created_at
      from installations i join accounts a on a.provider = i.provider and a.external_id = i.account_external_id
      where a.id = ${id}`,
    repository: sql`select * from repositories where owner_id = ${id}`,
    repository_stream: sql`select * from streams where repository_id in (${owned})`,
    skipped_item: sql`select * from skipped_items where account_id = ${id} or repository_id in (${owned})`,
    repository_drift: sql`select * from drifts where repository_id in (${owned})`,
    applied_delivery: sql`select applied_at from owner_deliveries where account_id = ${id}`,
    repository_totals: sql`select * from repository_totals where repository_id in (${owned})`,
    repository_contribution: sql`select * from contributions where repository_id in (${owned})`,
    repository_commit: sql`
      select repository_id, encode(oid, 'hex') as oid, authored_at, committed_at
      from commits where repository_id in (${owned})`,
    contributor_totals: sql`
      with c as (select * from contributor_totals where account_id = ${id})
      select ${repositoryName} as repository, c.repository_id, ${columnsInSql(ofContributions(storedCounters), 'c')}
      from c join accounts a on a.id = c.account_id ${contributedTo}`,
    contribution: sql`
      with c as (select * from contributions where account_id = ${id} or answered_by = ${id})
      select ${repositoryName} as repository, c.repository_id, c.kind, c.external_id,
        c.account_id = a.id as authored, coalesce(c.answered_by = a.id, false) as answered_by_account, c.created_at,
        c.updated_at, c.closed_at, c.merged_at
      from c join accounts a on a.id = ${id} ${contributedTo}`,
    achievement_file: sql`select * from achievement_files where repository_id in (${owned})`,
    achievement: sql`select * from achievements where repository_id in (${owned})`,
    repository_award: sql`
      select w.* from ${keptAwards('w')} join achievements h on h.id = w.achievement_id where h.repository_id in (${owned})`,
    repository_webhook: sql`
      select repository_id, name, kind, target, achievements from repository_webhooks where repository_id in (${owned})`,
    repository_notification: sql`
      select n.id, n.award_id, n.repository_id, n.webhook, n.kind, n.state, n.attempts, n.error, n.created_at, n.ended_at
      from notifications n join ${keptAwards('w')} on w.id = n.award_id where n.repository_id in (${owned})`,
    webhook_secret: sql`select id, url, changed_at, former_until from webhook_secrets where account_id = ${id}`,
    counted_change: sql`
      select ${repositoryName} as repository, c.repository_id, c.kind, c.external_id, c.counter, c.at, c.is_added, c.changed_at
      from counted_changes c join accounts a on a.id = c.account_id ${contributedTo} where c.account_id = ${id}`,
    key: sql`
      select id, kind, encode(spki, 'base64') as spki, created_at, ${held} from owner_keys where account_id = ${id}`,
    revoked_token: sql`select token_id, expires_at from revoked_tokens where account_id = ${id}`,
    embed: sql`select id, path, format, created_at, ${held} from embeds where account_id = ${id}`,
    administrator: sql`select person, name, confirmed_at from administrators where account_id = ${id}`,
    audit_entry: sql`
      select id, action, subject, actor, token_id, person, at from audit_entries where account_id = ${id} order by id`,
  };
}

/** The awards of an account that it may know, and the messages about them. */
function partsOfAwards(id: string, now: Date): Record<string, RawBuilder<unknown>> {
  const mayKnow = mayKnowInSql(sql`${countsSince(now)}`);
  return {
    award: sql`
      select w.id, case when r.is_private and r.owner_id <> ${id} then w.repository_name else r.name end as repository_name,
        h.name, h.description, w.awarded_at, w.created_at, s.list as status_list, s.position as status_list_index
      from ${keptAwards('w')} join achievements h on h.id = w.achievement_id join repositories r on r.id = h.repository_id
      left join credential_statuses s on s.award_id = w.id
      where w.account_id = ${id} and w.revoked_at is null and ${mayKnow}`,
    told_award: sql`
      select n.id, n.award_id, n.webhook, n.kind, n.state, n.created_at, n.ended_at
      from notifications n join ${keptAwards('w')} on w.id = n.award_id join repositories r on r.id = n.repository_id
      where n.account_id = ${id} and ${mayKnow}`,
  };
}

/** The commits and addresses of an account. */
function partsOfCommits(id: string): Record<string, RawBuilder<unknown>> {
  return {
    address: sql`select email, resolved_at from identities where account_id = ${id}`,
    commit: sql`
      with c as (
        select * from commits where identity_ids && array(select i.id from identities i where i.account_id = ${id})
      )
      select ${repositoryName} as repository, c.repository_id, encode(c.oid, 'hex') as oid, c.authored_at, c.committed_at
      from c join accounts a on a.id = ${id} ${contributedTo}`,
    language_day: sql`
      with c as (
        select * from language_days
        where identity_id = any(array(select i.id from identities i where i.account_id = ${id}))
      )
      select ${repositoryName} as repository, c.repository_id, c.day, c.language, c.files, c.commits
      from c join accounts a on a.id = ${id} ${contributedTo}`,
  };
}

/** The boards of an account, and its places on boards that it may see. */
function partsOfBoards(id: string): Record<string, RawBuilder<unknown>> {
  return {
    boards_file: sql`select * from board_files where owner_id = ${id}`,
    board: sql`select slug, definition, is_current, created_at from boards where owner_id = ${id}`,
    board_season: sql`
      select b.slug, s.number, s.version, s.since, s.until, s.definition, s.missing, s.frozen_at, s.reason,
        case when not is_withdrawn(s.board_id, s.number) then s.statement end as statement
      from board_seasons s join boards b on b.id = s.board_id where b.owner_id = ${id} and s.is_written`,
    board_rank: sql`
      select b.slug, o.name as board_owner, k.points, k.granted, k.by_rule, k.is_newcomer, k.is_returning, 1 + (
          select count(*) from board_ranks a
          where a.board_id = k.board_id and a.is_ranked and ${isOfVersionInSql('a', sql`r.version`)} and (a.points > k.points
            or (b.definition ->> 'ties' = 'earliest' and a.points = k.points
              and (coalesce(a.ordered_at, 'infinity'), a.name, a.account_id)
                < (coalesce(k.ordered_at, 'infinity'), k.name, k.account_id)))) as rank
      from board_ranks k join boards b on b.id = k.board_id join accounts o on o.id = b.owner_id
      join board_rankings r on r.board_id = b.id
      where k.account_id = ${id} and k.is_ranked and ${isOfVersionInSql('k', sql`r.version`)}
        and (not b.is_private or b.owner_id = ${id})`,
    team_membership: sql`select team from host_team_members where account_id = ${id}`,
    board_season_rank: sql`
      select b.slug, o.name as board_owner, k.number, k.version, k.rank, k.points, k.granted, k.by_rule
      from board_season_ranks k join boards b on b.id = k.board_id join accounts o on o.id = b.owner_id
      join board_seasons s on s.board_id = k.board_id and s.number = k.number and s.version = k.version and s.is_written
      where k.account_id = ${id} and (not b.is_private or b.owner_id = ${id})`,
  };
}
