import assert from 'node:assert/strict';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Database } from '../src/database/connections/connection.ts';
import { backUp, restore } from '../src/database/copy/backup.ts';
import { BackupReader } from '../src/database/copy/format.ts';
import { storedNames } from '../src/database/copy/stored-tables.ts';
import type { BenchResult } from './bench-result.ts';
import { makeDataDir } from './bench-service.ts';
import { median } from './load.ts';
import { sized } from './size.ts';

const contributions = sized(200_000, 2000);
const people = sized(20_000, 100);
const contributionsOfRepository = 10_000;
const rounds = sized(3, 1);
/** Each after those that it refers to. */
const tables = ['accounts', 'repositories', 'contributions', 'contributor_totals', 'contribution_days'];
const { signal } = new AbortController();

/** Measures a backup and a restore against COPY itself, with which the server writes and reads files of its own. */
export async function run(): Promise<BenchResult[]> {
  await using place = await makeDataDir();
  const { database, dataDir } = place;
  const file = join(dataDir, 'backup');
  await fill(database);
  const ratios: Record<'backup' | 'restore', number[]> = { backup: [], restore: [] };
  const best = { backup: Number.POSITIVE_INFINITY, restore: Number.POSITIVE_INFINITY };
  for (let round = 0; round < rounds; round += 1) {
    const bareBackup = await timed(() => copyOut(database));
    const backup = await timed(() => pipeline(Readable.from(backUp(database, { release: '', signal })), newFile(file)));
    await empty(database);
    const bareRestore = await timed(() => copyIn(database));
    await empty(database);
    const restored = await timed(() => restoreFrom(database, file));
    const { rows } = await database.pool.query('select count(*) from contributions');
    assert.deepEqual(rows, [{ count: contributions }]);
    ratios.backup.push(bareBackup / backup);
    ratios.restore.push(bareRestore / restored);
    best.backup = Math.min(best.backup, backup);
    best.restore = Math.min(best.restore, restored);
  }
  const mebibytes = (await stat(file)).size / 2 ** 20;
  return (['backup', 'restore'] as const).map((name) => ({
    name,
    ratio: median(ratios[name]),
    goal: '>=0.5',
    baseline: `COPY ${name === 'backup' ? 'to' : 'from'} files of the server, the same rows`,
    detail: `${((mebibytes * 1000) / best[name]).toFixed(0)} MiB/s at best, ${contributions.toLocaleString('en')} contributions`,
  }));
}

function newFile(path: string): ReturnType<typeof createWriteStream> {
  return createWriteStream(path, { mode: 0o600, flush: true });
}

async function restoreFrom(database: Database, path: string): Promise<void> {
  const reader = new BackupReader(createReadStream(path, { highWaterMark: 256 * 1024 }));
  await reader.readHeader();
  await restore(database.clientConfig, reader, signal);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

/** Returns the path of a file for a table, as the server's processes name it. */
async function listFiles({ pool }: Database): Promise<{ table: string; path: string }[]> {
  const { rows } = await pool.query<{ path: string }>(`select current_setting('data_directory') as path`);
  return tables.map((table) => ({ table, path: `${rows[0]?.path}/bench-${table}` }));
}

async function copyOut(database: Database): Promise<void> {
  for (const { table, path } of await listFiles(database)) await database.pool.query(`copy ${table} to '${path}'`);
}

async function copyIn(database: Database): Promise<void> {
  const files = await listFiles(database);
  const statements = [
    ...tables.map((table) => `alter table ${table} disable trigger user`),
    ...files.map(({ table, path }) => `copy ${table} from '${path}'`),
    ...tables.map((table) => `alter table ${table} enable trigger user`),
  ];
  // Statements in one text are one transaction.
  await database.pool.query(statements.join(';'));
}

/** Empties all tables of backups: not all of them refer to accounts. */
async function empty({ pool }: Database): Promise<void> {
  await pool.query(`truncate ${storedNames.join(', ')} cascade`);
}

async function fill({ pool }: Database): Promise<void> {
  await pool.query(
    `insert into accounts (id, provider, external_id, handle, type, name, named_at, created_at, updated_at)
     select gen_random_uuid(), 'github', n::text, 'U_' || n, 'user', 'person-' || n, now(), now(), now()
     from generate_series(1, $1) n`,
    [people],
  );
  await pool.query(
    `insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at,
       listed_at, created_at, updated_at)
     select gen_random_uuid(), 'github', n::text, 'R_' || n, a.id, 'repository-' || n, false, false, now(), now(), now(), now()
     from generate_series(0, $1) n join accounts a on a.external_id = (n % $2 + 1)::text`,
    [Math.floor(contributions / contributionsOfRepository), people],
  );
  // The triggers fill the totals and the days.
  await pool.query(
    `insert into contributions (repository_id, kind, external_id, account_id, created_at, updated_at, closed_at, seen_at)
     select r.id, case n % 3 when 0 then 'issue' when 1 then 'pull_request' else 'review' end, n::text, a.id, at, at,
       case when n % 2 = 0 then at end, now()
     from generate_series(0, $1 - 1) n
     cross join lateral (select now() - (n % 3650) * interval '1 day' - interval '1 hour' as at) t
     join accounts a on a.external_id = ((n::bigint * 7919) % $2 + 1)::text
     join repositories r on r.external_id = (n / $3)::text`,
    [contributions, people, contributionsOfRepository],
  );
  await pool.query('vacuum analyze');
}
