import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { saveContributions } from '../src/contributions/items/contribution-store.ts';
import type { Connection, Database } from '../src/database/connections/connection.ts';
import { inTransaction } from '../src/database/connections/transaction.ts';
import { type AwardContext, awardRepository } from '../src/recognition/achievements/awards/award.ts';
import { readConfigFile } from '../src/recognition/achievements/config-file.ts';
import { AchievementFiles } from '../src/recognition/achievements/files/achievement-files.ts';
import { saveFile } from '../src/recognition/achievements/files/store.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { median } from './load.ts';
import { newIssue } from './new-issue.ts';
import { sized } from './size.ts';

const people = sized(2000, 20);
const issues = sized(100_000, 1000);
const events = sized(60, 2);
const achievements = 50;

/**
 * Measures the cost of one new issue with which people may have earned any of 50 achievements, relative to the cost of
 * storing it.
 */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  const { database } = place;
  const { repositoryId, accountIds } = await fill(database);
  const context: AwardContext = {
    connection: database.connection,
    now: () => new Date(),
    newId: uuidv7,
    achievementFiles: new AchievementFiles(),
  };
  await awardRepository(context, repositoryId);
  const ratios: number[] = [];
  const awardingMs: number[] = [];
  for (let event = 0; event < events; event += 1) {
    const begun = performance.now();
    await storeIssue(database, repositoryId, accountIds[event % people] ?? '', event);
    const stored = performance.now();
    await awardRepository(context, repositoryId);
    const awarded = performance.now() - stored;
    awardingMs.push(awarded);
    ratios.push(awarded / (stored - begun));
  }
  const { rows } = await database.pool.query('select count(*) from awards');
  assert.deepEqual(rows, [{ count: (people * achievements) / 2 }]);
  return [
    {
      name: 'awarding',
      ratio: median(ratios),
      goal: '<=3',
      baseline: 'storing the issue, in a transaction of its own',
      detail: `${median(awardingMs).toFixed(1)} ms for an issue, ${achievements} achievements, ${issues.toLocaleString('en')} issues`,
    },
  ];
}

export async function storeIssue(
  database: Database,
  repositoryId: string,
  accountId: string,
  event: number,
  now = new Date(),
): Promise<void> {
  await inTransaction(database.connection, (transaction) =>
    saveContributions(transaction, {
      repositoryId,
      contributions: [newIssue(`new-${event}`, '1', now)],
      accountIds: new Map([['1', accountId]]),
      wholeParents: [],
      seenAt: new Date(),
    }),
  );
}

/**
 * Returns a file of achievements: all people have earned half of them already, and the other half is still to be
 * earned.
 */
function fileText(): string {
  const entries = Array.from({ length: achievements }, (_, index) => {
    const least = index % 2 === 0 ? 1 + index : 1000 * (index + 1);
    const condition = `labels in !['l${index}'] & count() >= ${least}`;
    return {
      achievement: { name: `a${index}`, triggers: [{ trigger: { actor: 'author', action: 'issue', condition } }] },
    };
  });
  return JSON.stringify({ version: '0.0.1', achievements: entries });
}

async function fill({ pool, connection }: Database): Promise<{ repositoryId: string; accountIds: string[] }> {
  const repositoryId = uuidv7();
  const { rows } = await pool.query<{ id: string }>(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     select gen_random_uuid(), 'github', 'p' || n, '', 'user', 'person-' || n, now(), now(), now()
     from generate_series(1, $1::integer) n returning id`,
    [people],
  );
  const accountIds = rows.map(({ id }) => id);
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, installed_at, collected_at, created_at, updated_at)
     values ($1, 'github', '1', '', $2, 'busy', false, false, now(), now(), now(), now(), now(), now())`,
    [repositoryId, accountIds[0]],
  );
  await pool.query(
    `insert into streams (repository_id, name, covers, known_until, completed_at, is_deep)
     values ($1, 'issues', '{issue}', now(), now(), true)`,
    [repositoryId],
  );
  await pool.query(
    `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, seen_at, labels)
     select $1, 'issue', n::text, ($2::uuid[])[1 + n % $3], now() - n * interval '1 minute', now(), now(), '{bug}'
     from generate_series(1, $4::integer) n`,
    [repositoryId, accountIds, people, issues],
  );
  await pool.query('analyze');
  await saveAchievements(connection, repositoryId);
  return { repositoryId, accountIds };
}

/** Stores the file of achievements of a repository. */
export async function saveAchievements(connection: Connection, repositoryId: string): Promise<void> {
  const file = { path: '.plaudit/config.yaml', oid: '1', ...readConfigFile(Buffer.from(fileText())) };
  await inTransaction(connection, (transaction) =>
    saveFile(transaction, repositoryId, { file, revision: '1', readAt: new Date(), isNew: true, newId: uuidv7 }),
  );
}
