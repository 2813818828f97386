import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';

/** A contribution to store, by the login of its author; times are ISO 8601. */
export interface NewItem {
  kind: 'commit' | 'issue' | 'pull_request' | 'review' | 'issue_comment';
  author: string;
  at: string;
  mergedAt?: string;
  closedAt?: string;
  resolvedBy?: string;
  mergedBy?: string;
  labels?: readonly string[];
}

/** Stores an installed public repository of GitHub with contributions of people, who are stored too. */
export async function storeRepository(
  pool: Pool,
  repository: { owner: string; name: string; items: readonly NewItem[]; newId: () => string },
): Promise<{ ownerId: string; repositoryId: string }> {
  const { items, newId } = repository;
  const ids = new Map<string, string>();
  const people = items.flatMap(({ author, resolvedBy, mergedBy }) => [
    author,
    resolvedBy ?? author,
    mergedBy ?? author,
  ]);
  for (const name of new Set([repository.owner, ...people])) {
    const type = name.endsWith('[bot]') ? 'bot' : name === 'acme' ? 'organization' : 'user';
    ids.set(name, newId());
    await pool.query(
      `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
       values ($1, 'github', $2, '', $3, $2, now(), now(), now())`,
      [ids.get(name), name, type],
    );
  }
  const [ownerId = '', repositoryId] = [ids.get(repository.owner), newId()];
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
       installed_at, created_at, updated_at)
     values ($1, 'github', '1', '', $2, $3, false, false, now(), now(), now(), now(), now())`,
    [repositoryId, ownerId, repository.name],
  );
  for (const [index, item] of items.entries()) {
    const author = ids.get(item.author);
    if (item.kind === 'commit') {
      const { rows } = await pool.query<{ id: number }>(
        `insert into identities (provider, email, account_id) values ('github', $1, $2)
         on conflict (provider, email) do update set email = excluded.email returning id`,
        [`${item.author}@example.org`, author],
      );
      await pool.query(
        `insert into commits (repository_id, oid, authored_at, committed_at, scan_number, identity_ids)
         values ($1, $2, $3, $3, 1, array[$4::integer])`,
        [repositoryId, randomBytes(20), item.at, rows[0]?.id],
      );
      continue;
    }
    const closedAt = item.closedAt ?? item.mergedAt ?? null;
    const row = [repositoryId, item.kind, String(index), author, item.at, closedAt, item.mergedAt ?? null];
    await pool.query(
      `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, closed_at, merged_at,
         seen_at, resolved_by, merged_by, labels, reason)
       values ($1, $2, $3, $4, $5, $5, $6, $7, $5, $8, $9, $10, $11)`,
      [
        ...row,
        ids.get(item.resolvedBy ?? '') ?? null,
        ids.get(item.mergedBy ?? '') ?? null,
        item.labels ?? [],
        closedAt === null ? null : 'COMPLETED',
      ],
    );
  }
  return { ownerId, repositoryId };
}
