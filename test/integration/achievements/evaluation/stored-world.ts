import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { Item, World } from './world.ts';

/** A world in the database, in a repository of its own. */
export interface StoredWorld {
  repositoryId: string;
  /** The ids of the accounts, in the order of the world's people. */
  accountIds: string[];
}

export async function storeWorld(pool: Pool, world: World): Promise<StoredWorld> {
  const repositoryId = uuidv7();
  const provider = `github-${repositoryId}`;
  // The ids follow the order of the people, because it decides between equals.
  const accountIds = world.people.map(() => uuidv7());
  const now = new Date();
  for (const [index, { name, type }] of world.people.entries()) {
    await pool.query(
      `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
       values ($1, $2, $3, '', $4, $5, $6, $6, $6)`,
      [accountIds[index], provider, String(index), type, name, now],
    );
  }
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, created_at, updated_at) values ($1, $2, '1', '', $3, 'world', false, false, $4, $4, $4, $4)`,
    [repositoryId, provider, accountIds[0], now],
  );
  const stored = { pool, repositoryId, provider, accountIds };
  await storeContributions(
    stored,
    world.items.filter(({ action }) => action !== 'commit'),
  );
  for (const item of world.items.filter(({ action }) => action === 'commit')) await storeCommit(stored, item);
  return { repositoryId, accountIds };
}

interface Storing extends StoredWorld {
  pool: Pool;
  provider: string;
}

async function storeContributions({ pool, repositoryId, accountIds }: Storing, items: Item[]): Promise<void> {
  const toId = (person: number | null): string | null => (person === null ? null : (accountIds[person] ?? null));
  const rows = items.flatMap((item, index) => {
    const isComment = item.action === 'issue_comment' || item.action === 'pull_request_comment';
    const parent = {
      kind: item.action === 'issue_comment' ? 'issue' : 'pull_request',
      external_id: `parent-${index}`,
      // The parent has no author and is later than everything else: it exists for its labels alone.
      created_at: new Date(Date.UTC(2030, 0)),
      labels: item.parentLabels ?? null,
    };
    const isAtLine = item.action === 'pull_request_comment' && item.isAtLine;
    const row = {
      kind: isAtLine ? 'review_comment' : item.action,
      external_id: item.action === 'star' ? `star-${index}` : String(index),
      parent_external_id: isComment ? parent.external_id : null,
      account_id: toId(item.author),
      resolved_by: toId(item.resolvedBy),
      answered: item.action === 'discussion' && item.answeredBy !== null,
      answered_by: item.action === 'discussion' ? toId(item.answeredBy) : null,
      answered_at: item.answeredAt === null ? null : new Date(item.answeredAt),
      assignees: item.assignees.map(toId),
      reviewers: item.reviewers.map(toId),
      created_at: new Date(item.createdAt),
      closed_at: item.closedAt === null ? null : new Date(item.closedAt),
      merged_at: item.mergedAt === null ? null : new Date(item.mergedAt),
      comments: item.comments,
      upvotes: item.upvotes,
      additions: item.additions,
      deletions: item.deletions,
      changed_files: item.changedFiles,
      commits: item.commits,
      emojis: item.reactions?.map(({ emoji }) => emoji) ?? null,
      reactors: item.reactions?.map(({ reactor }) => toId(reactor)) ?? null,
      labels: isComment ? ['bug'] : item.labels,
      files: item.files,
      reason: item.reason,
      state: item.state,
    };
    return isComment && item.parentLabels !== undefined ? [row, parent] : [row];
  });
  await pool.query(
    `insert into contributions (repository_id, kind, external_id, parent_external_id, account_id, resolved_by, answered,
       answered_by, answered_at, assignees, reviewers, created_at, updated_at, closed_at, merged_at, comments, upvotes, additions,
       deletions, changed_files, commits, emojis, reactors, labels, files, reason, state, seen_at)
     select $1, kind, external_id, parent_external_id, account_id, resolved_by, coalesce(answered, false), answered_by,
       answered_at, assignees, reviewers, created_at, created_at, closed_at, merged_at, comments, upvotes, additions, deletions,
       changed_files, commits, emojis, reactors, labels, files, reason, state, created_at
     from jsonb_populate_recordset(null::contributions, $2::jsonb)`,
    [repositoryId, JSON.stringify(rows)],
  );
}

async function storeCommit({ pool, repositoryId, provider, accountIds }: Storing, item: Item): Promise<void> {
  const ids: number[] = [];
  for (const [index, person] of [item.author, ...item.others].entries()) {
    const email = `${person}-${index % 2}@${provider}`;
    const { rows } = await pool.query<{ id: number }>(
      `insert into identities (provider, email, account_id) values ($1, $2, $3)
       on conflict (provider, email) do update set email = excluded.email returning id`,
      [provider, email, person === null ? null : accountIds[person]],
    );
    ids.push(...rows.map(({ id }) => id));
  }
  await pool.query(
    `insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids, additions, deletions,
       changed_files, files) values ($1, $2, $3, $3, 1, $4, $5, $6, $7, $8)`,
    [
      repositoryId,
      randomBytes(20),
      new Date(item.createdAt),
      ids,
      item.additions,
      item.deletions,
      item.changedFiles,
      item.files,
    ],
  );
}
