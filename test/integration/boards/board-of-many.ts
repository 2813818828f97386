import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { saveBoards } from '../../../src/recognition/boards/board-store.ts';
import { readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import { addRepository } from '../contributions/stored-repository.ts';

/** The time at which all is stored that these boards count. */
export const stored = new Date('2026-05-02T12:00:00Z');

export interface BoardOfMany {
  boardId: string;
  repositoryId: string;
}

/**
 * Stores a board of issues, on which each of some people has points.
 * @param options.fields further fields of the board in its file.
 * @param options.mostIssues the most issues of a person; 0: without points.
 */
export async function storeBoard(
  { connection, pool }: Database,
  options: { people: number; window?: object; fields?: object; mostIssues?: number },
): Promise<BoardOfMany> {
  const { people, window = {}, fields: further = {}, mostIssues = 10 } = options;
  const repositoryId = await addRepository(connection);
  await pool.query(`update repositories set installed_at = now() where id = $1`, [repositoryId]);
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     select gen_random_uuid(), 'github', 'p' || n, '', 'user', 'person-' || lpad(n::text, 6, '0'), now(), now(), now()
     from generate_series(1, $1::integer) n`,
    [people],
  );
  if (mostIssues > 0) await addIssues({ pool }, repositoryId, 'a', mostIssues);
  await pool.query(
    `insert into streams (repository_id, name, covers, completed_at, known_until, is_deep)
     values ($1, 'issues', '{issue}', $2, $2, true)
     on conflict (repository_id, name) do update set completed_at = $2, known_until = $2, is_deep = true`,
    [repositoryId, stored],
  );
  const { rows } = await pool.query<{ id: string; provider: string; path: string }>(
    `select o.id, o.provider, o.name || '/' || r.name as path from repositories r join accounts o on o.id = r.owner_id
     where r.id = $1`,
    [repositoryId],
  );
  const { id: ownerId = '', provider = '', path = '' } = rows[0] ?? {};
  const fields = {
    name: 'B',
    slug: 'b',
    repositories: [path],
    window,
    points: [{ action: 'issue', points: 1 }],
    ...further,
  };
  const { boards } = readBoardsFile(Buffer.from(JSON.stringify({ version: 1, boards: [{ board: fields }] })), {
    provider,
  });
  await inTransaction(connection, (transaction) =>
    saveBoards(transaction, ownerId, boards, { now: stored, newId: uuidv7 }),
  );
  const { id: boardId } = await connection.selectFrom('boards').select('id').executeTakeFirstOrThrow();
  return { boardId, repositoryId };
}

/** Adds issues of all people, as many as their numbers modulo the most say, and one more. No change is noted. */
export async function addIssues(
  { pool }: Pick<Database, 'pool'>,
  repositoryId: string,
  prefix: string,
  most = 10,
): Promise<void> {
  await pool.query(
    `insert into contributions (repository_id, kind, external_id, number, account_id, labels, created_at, updated_at, seen_at)
     select $1, 'issue', $2 || a.external_id || '-' || n, 1, a.id, '{}', $3::timestamptz - n * interval '1 minute', now(), now()
     from accounts a cross join generate_series(0, substr(a.external_id, 2)::integer % $4::integer) n
     where a.external_id ~ '^p[0-9]+$'`,
    [repositoryId, prefix, new Date(stored.getTime() - 86_400_000), most],
  );
}
