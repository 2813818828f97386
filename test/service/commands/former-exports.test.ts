import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { importFrom } from '../../../src/app/commands/copy.ts';
import { countImported } from '../../../src/contributions/count-imported-store.ts';
import { everyAddress } from '../../../src/contributions/languages/store.ts';
import { importLines, readHeader } from '../../../src/database/copy/export.ts';
import { createTestDatabase, openTestDatabase, type TestDatabase } from '../../database.ts';
import { inProcess } from '../../run-command.ts';
import { startStoredService } from '../http/stored-service.ts';
import { query } from './stored-rows.ts';

const folder = new URL('../../fixtures/exports/', import.meta.url);
const versions = ['0.3.0', '0140-states-of-reviews'];
const toPath = (version: string): string => fileURLToPath(new URL(`${version}.ndjson.gz`, folder));
const sample = fileURLToPath(new URL('../../../sample/sample.ndjson.gz', import.meta.url));

type Row = Record<string, unknown>;
/** Names of tables and columns of 0.3 that have others today. */
const renamed: Record<string, string> = {
  lacking_details: 'pending_details',
  seen_totals: 'reported_totals',
  achievement_work: 'pending_evaluations',
};
const renamedColumns: Record<string, string> = {
  gone_at: 'deleted_at',
  asked_at: 'fetched_at',
  judged_at: 'evaluate_at',
  access: 'credential_name',
  hinted_at: 'invalidated_at',
  noted: 'revision',
};

/** Returns the rows of each table of an export. */
function readExport(path: string): Map<string, Row[]> {
  const tables = new Map<string, Row[]>();
  let rows: Row[] = [];
  for (const line of gunzipSync(readFileSync(path)).toString().trim().split('\n').slice(1)) {
    const row: Row = JSON.parse(line);
    if (line.startsWith('{"table":')) tables.set(String(row['table']), (rows = []));
    else rows.push(row);
  }
  return tables;
}

async function importIntoNew(path: string): Promise<TestDatabase> {
  const created = await createTestDatabase({ withTables: false });
  await importFrom(inProcess({ DATABASE_URL: created.url, DATA_DIR: '/nonexistent' }), path);
  return created;
}

async function readRows(url: string, table: string): Promise<Row[]> {
  return (await query<{ row: Row }>(url, `select to_jsonb(t) as row from ${table} t`)).map(({ row }) => row);
}

/** Returns rows with some columns as sorted texts. */
function listTexts(rows: readonly Row[], columns: readonly string[]): string[] {
  return rows.map((row) => JSON.stringify(columns.map((column) => row[column]))).toSorted();
}

/** Asserts that the rows of a table are those of the file, in all columns that both have. */
function assertSame(
  table: string,
  stored: readonly Row[],
  inFile: readonly Row[],
  except: readonly string[] = [],
): void {
  const columns = Object.keys(inFile[0] ?? {}).filter(
    (column) => column in (stored[0] ?? {}) && !except.includes(column),
  );
  assert.deepEqual(listTexts(stored, columns), listTexts(inFile, columns), table);
}

/** Returns a row as an import stores it: with the columns of today, and without the deleted user `ghost`. */
function toPresent(row: Row, ghost: unknown): Row[] {
  const present = Object.fromEntries(
    Object.entries(row).map(([column, value]) => [renamedColumns[column] ?? column, value]),
  );
  if (ghost === undefined || (present['id'] !== ghost && present['account_id'] !== ghost)) return [present];
  return 'external_id' in present && 'account_id' in present ? [{ ...present, account_id: null }] : [];
}

/** Columns that 0.3 did not store, or stored otherwise. */
const changed: Record<string, readonly string[]> = {
  accounts: ['checked_at', 'provider_memory'],
  repository_identities: ['attempts', 'retry_at'],
  identities: ['resolved_at'],
  streams: ['invalidated_at'],
  // The position and the sums of checks begin again.
  repository_totals: [
    'is_changed',
    'checked_until',
    'checked_counts',
    'checked_commits',
    'checked_people',
    'checked_languages',
    'counting_day',
    'countings',
    'recounted_until',
    'recounted_commits',
    'repair',
  ],
};

describe('import of an export of a former version', () => {
  for (const [name, path] of [
    ...versions.map((version) => [version, toPath(version)] as const),
    ['the sample', sample] as const,
  ]) {
    it(`keeps all rows of ${name}, and counts its totals again`, async () => {
      await using created = await importIntoNew(path);
      const tables = readExport(path);
      const ghost = tables.get('accounts')?.find(({ name }) => name === 'ghost')?.['id'];
      for (const [name, rows] of tables) {
        const table = renamed[name] ?? name;
        // Its rows add up to the same.
        if (table === 'owner_sums') continue;
        const stored = await readRows(created.url, table);
        const known = table === 'language_days' ? stored.filter(({ identity_id: id }) => id !== everyAddress) : stored;
        assertSame(
          table,
          known,
          rows.flatMap((row) => toPresent(row, ghost)),
          changed[table],
        );
      }
    });
  }

  for (const version of versions) {
    it(`shows the same as ${version}`, async () => {
      await using created = await importIntoNew(toPath(version));
      const { at, responses }: { at: string; responses: Record<string, unknown> } = JSON.parse(
        readFileSync(new URL(`${version}.responses.json`, folder), 'utf8'),
      );
      await using service = await startStoredService({ databaseUrl: created.url, now: () => new Date(at) });
      const comparable = (value: unknown): unknown =>
        JSON.parse(JSON.stringify(value).replaceAll(/http:\/\/127\.0\.0\.1:\d+(?:\/api)?/g, ''));
      for (const [path, expected] of Object.entries(responses)) {
        const { body } = await service.get(path);
        assert.deepEqual(
          comparable((body as { data: unknown }).data),
          comparable((expected as { data: unknown }).data),
          path,
        );
      }
    });
  }

  it('gives keys and links of people their holder, and those of organizations 30 days', async () => {
    await using created = await importIntoNew(toPath('0.3.0'));
    const held = await query<Row>(
      created.url,
      `select a.name, h.holder_name as holder, round(extract(epoch from h.ends_at - now()) / 86400)::integer as days
       from (select account_id, holder_name, ends_at from owner_keys
         union all select account_id, holder_name, ends_at from embeds) h
       join accounts a on a.id = h.account_id order by a.name, days`,
    );
    assert.deepEqual(
      held.filter(({ name }) => name === 'analytical-engines'),
      [
        { name: 'analytical-engines', holder: null, days: 30 },
        { name: 'analytical-engines', holder: null, days: 30 },
      ],
    );
    const ofPerson = held.filter(({ name }) => name === 'ada-lovelace');
    assert.deepEqual(
      ofPerson.map(({ holder }) => holder),
      ['github/ada-lovelace', 'github/ada-lovelace'],
    );
    assert.equal(ofPerson.filter(({ days }) => days === null).length, 1, 'the link has no end');
  });

  it('refuses a file of a newer release, and one from before 0.3', () => {
    const header = (migration: string): string => JSON.stringify({ plaudit: 'backup', migration });
    assert.throws(() => readHeader(header('0141-later')), /written by a newer release/);
    assert.throws(() => readHeader(header('0007-achievements')), /before release 0\.3/);
    assert.equal(readHeader(header('baseline-000000000000')), 'baseline-000000000000');
  });

  it('refuses tables and columns that this release does not know', async () => {
    await using opened = await openTestDatabase();
    async function* lines(): AsyncGenerator<string, void, undefined> {
      yield '{"table":"secrets"}';
      yield '{"name":"a","value":"b"}';
    }
    const file = { migration: 'baseline-000000000000', lines: lines() };
    await assert.rejects(importLines(opened.database, file, countImported), /written by a newer release/);
  });
});
