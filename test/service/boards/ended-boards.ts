import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { generateSigningKey } from '../../../src/accounts/access/tokens/signing-key-store.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { saveBoards } from '../../../src/recognition/boards/board-store.ts';
import { readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import { freezeSeasons } from '../../../src/recognition/boards/seasons/freeze.ts';
import type { TestService } from '../../e2e/service.ts';
import { engines } from '../../integration/access/owner.ts';

const dayMs = 86_400_000;

/** A person of a frozen season, in responses. */
export interface Row {
  rank: number;
  person: { name: string } | null;
  points: number;
  evidence_url: string | null;
}

/** Returns the path of an address on this service. */
export function toPath(url: string | null): string {
  const { pathname, search } = new URL(url ?? assert.fail());
  return `${pathname}${search}`;
}

/** Stores a board of the organization whose window ended some days ago. */
export async function storeEndedBoard(
  { database: { connection } }: TestService,
  slug: string,
  daysAgo: number,
  fields: object = {},
): Promise<void> {
  const until = new Date(Date.now() - daysAgo * dayMs).toISOString();
  const board = {
    name: slug,
    slug,
    repositories: ['analytical-engines/*'],
    points: [
      { action: 'commit', points: 1 },
      { action: 'pull_request', points: 3 },
    ],
    window: { since: '2000-01-01', until },
    threshold: 3,
    ...fields,
  };
  const text = JSON.stringify({ boards: [{ board }] });
  const { boards, reports } = readBoardsFile(Buffer.from(text), { provider: 'github' });
  assert.deepEqual(reports, []);
  const owner = await connection
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', engines.name)
    .executeTakeFirst();
  const creation = { now: new Date(), newId: uuidv7 };
  await inTransaction(connection, (transaction) => saveBoards(transaction, owner?.id ?? '', boards, creation));
}

/** The services that freeze the seasons of boards at a time. */
export function freezingAt(
  { url, database: { connection } }: TestService,
  now: Date,
): Parameters<typeof freezeSeasons>[0] {
  return {
    connection,
    now: () => now,
    publicUrl: () => url,
    credentialAlgorithm: 'EdDSA',
    newSigningKey: generateSigningKey,
  };
}

/** Freezes the windows of boards that have ended at a time. */
export async function freezeBoards(service: TestService, now = new Date()): Promise<void> {
  await freezeSeasons(freezingAt(service, now));
}
