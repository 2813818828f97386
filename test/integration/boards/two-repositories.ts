import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { generateSigningKey } from '../../../src/accounts/access/tokens/signing-key-store.ts';
import type { Connection } from '../../../src/database/connections/connection.ts';
import { inTransaction } from '../../../src/database/connections/transaction.ts';
import { saveBoards } from '../../../src/recognition/boards/board-store.ts';
import { readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import type { freezeSeasons } from '../../../src/recognition/boards/seasons/freeze.ts';
import { findSeason, findSeasonRanks, type Season } from '../../../src/recognition/boards/seasons/season-store.ts';

/** The time at which the seasons of these tests are frozen: four days after their end. */
export const frozenAt = new Date('2026-07-05T00:00:00Z');
const window = { seasons: 'quarter', from: '2026-04-01' };

/** The services that freeze and count seasons again. */
export function toServices(connection: Connection, now = frozenAt): Parameters<typeof freezeSeasons>[0] {
  return {
    connection,
    now: () => now,
    publicUrl: () => 'https://plaudit.example.org',
    credentialAlgorithm: 'EdDSA',
    newSigningKey: generateSigningKey,
  };
}

/** Stores the organization acme with some people. @returns its id. */
export async function storeAcme(connection: Connection, people: readonly string[]): Promise<string> {
  await sql`
    insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
    select gen_random_uuid(), 'github', name, '', case when name = 'acme' then 'organization' else 'user' end, name, now(), now(), now()
    from unnest(${['acme', ...people]}::text[]) as name`.execute(connection);
  const { id } = await connection
    .selectFrom('accounts')
    .select('id')
    .where('name', '=', 'acme')
    .executeTakeFirstOrThrow();
  return id;
}

/** Stores a public repository of acme, whose issues are known where it is installed. */
export async function storePart(
  connection: Connection,
  { name, isInstalled }: { name: string; isInstalled: boolean },
): Promise<void> {
  await sql`
    insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
      created_at, updated_at)
    select gen_random_uuid(), 'github', ${name}, '', id, ${name}, false, false, now(), now(), now(), now()
    from accounts where name = 'acme'`.execute(connection);
  if (isInstalled) await install(connection, name);
}

/** Installs the service on a repository, whose issues are known from then on. */
export async function install(connection: Connection, name: string): Promise<void> {
  await sql`
    with installed as (update repositories set installed_at = now() where name = ${name} returning id)
    insert into streams (repository_id, name, covers, completed_at, known_until, is_deep)
    select id, 'issues', '{issue,pull_request,review}', now(), '2026-09-01', true from installed`.execute(connection);
}

/** Adds issues that people opened in a repository within the season. */
export async function addIssues(
  connection: Connection,
  repository: string,
  authors: readonly string[],
  labels: readonly string[] = [],
): Promise<void> {
  await sql`
    insert into contributions (repository_id, kind, external_id, number, account_id, labels, created_at, updated_at, seen_at)
    select r.id, 'issue', gen_random_uuid()::text, 1, a.id, ${[...labels]}::text[], '2026-05-01', now(), now()
    from unnest(${[...authors]}::text[]) as author (name) join accounts a using (name)
    join repositories r on r.name = ${repository}`.execute(connection);
}

/** Stores the board of acme as its file defines it. */
export async function defineBoard(connection: Connection, ownerId: string, fields: object): Promise<void> {
  const board = { name: 'B', slug: 'b', repositories: ['acme/*'], window, threshold: 4, ...fields };
  const { boards, reports } = readBoardsFile(Buffer.from(JSON.stringify({ boards: [{ board }] })), {
    provider: 'github',
  });
  assert.deepEqual(reports, []);
  await inTransaction(connection, (transaction) =>
    saveBoards(transaction, ownerId, boards, { now: frozenAt, newId: uuidv7 }),
  );
}

export async function findBoardId(connection: Connection): Promise<string> {
  return (await connection.selectFrom('boards').select('id').executeTakeFirstOrThrow()).id;
}

/** Returns the first season as readers see it, with the points of its people. */
export async function readSeason(
  connection: Connection,
): Promise<Pick<Season, 'version' | 'reason' | 'missing' | 'differences'> & { points: [string | null, number][] }> {
  const season = (await findSeason(connection, await findBoardId(connection), 1)) ?? assert.fail('no season');
  const ranks = await findSeasonRanks(connection, season, { limit: 100 });
  const { version, reason, missing, differences } = season;
  return {
    version,
    reason,
    missing,
    differences,
    points: ranks.map((rank) => [rank.person?.name ?? null, rank.points]),
  };
}
