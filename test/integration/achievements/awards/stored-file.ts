import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../../src/database/connections/transaction.ts';
import { readConfigFile } from '../../../../src/recognition/achievements/config-file.ts';
import { saveFile } from '../../../../src/recognition/achievements/files/store.ts';
import { emptyItem, type Item } from '../evaluation/world.ts';
import { type FileText, toYaml } from './every-feature.ts';

/** Returns an issue that a person opened, without comments, reactions and labels. */
export function issue(author: number, createdAt: number): Item {
  return { ...emptyItem, author, createdAt, comments: 0, upvotes: 0, reactions: [], labels: [] };
}

/** Awards are evaluated in an installed repository alone. Stores it as collected at full depth until a time. */
export async function storeCollected({ pool }: Database, repositoryId: string, until: Date): Promise<void> {
  await pool.query('update repositories set installed_at = $2, collected_at = $2 where id = $1', [repositoryId, until]);
  await pool.query(
    `insert into streams (repository_id, name, covers, is_deep, completed_at, known_until)
     values ($1, 'all', '{commit,issue,pull_request,review,discussion,star,issue_comment,pull_request_comment,review_comment}',
       true, $2, $2) on conflict (repository_id, name) do update set known_until = excluded.known_until`,
    [repositoryId, until],
  );
}

/** Stores a file of achievements as the service does that has just read it. All data that it needs is there. */
export async function storeFile({ connection, pool }: Database, repositoryId: string, file: FileText): Promise<void> {
  const read = { path: 'p', oid: uuidv7(), ...readConfigFile(Buffer.from(toYaml(file))) };
  const revision = { revision: 'r', readAt: new Date(), isNew: true, newId: uuidv7 };
  await inTransaction(connection, (transaction) => saveFile(transaction, repositoryId, { file: read, ...revision }));
  await pool.query('delete from pending_details');
}
