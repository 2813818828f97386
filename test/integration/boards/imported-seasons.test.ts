import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { countImported } from '../../../src/contributions/count-imported-store.ts';
import type { Database } from '../../../src/database/connections/connection.ts';
import { exportLines, importLines, readHeader } from '../../../src/database/copy/export.ts';
import { completeSeasons, correctSeason } from '../../../src/recognition/boards/seasons/correct.ts';
import { freezeSeasons } from '../../../src/recognition/boards/seasons/freeze.ts';
import { findSeason } from '../../../src/recognition/boards/seasons/season-store.ts';
import { openTestDatabase } from '../../database.ts';
import {
  addIssues,
  defineBoard,
  findBoardId,
  frozenAt,
  install,
  readSeason,
  storeAcme,
  storePart,
  toServices,
} from './two-repositories.ts';

const late = new Date(frozenAt.getTime() + 600_000);

/** Freezes a season, and imports it without its stored rule. @param statement what becomes of its statement. */
async function importWithoutRule(
  source: Database,
  target: Database,
  statement: (signed: string) => string | null = (signed) => signed,
): Promise<void> {
  const { connection } = source;
  const ownerId = await storeAcme(connection, ['ada', 'bo']);
  await storePart(connection, { name: 'core', isInstalled: true });
  await storePart(connection, { name: 'docs', isInstalled: false });
  await addIssues(connection, 'core', ['ada', 'bo']);
  await defineBoard(connection, ownerId, { points: [{ action: 'issue', points: 1 }] });
  await freezeSeasons(toServices(connection));
  await defineBoard(connection, ownerId, { points: [{ action: 'issue', points: 3 }] });
  const lines = exportLines(connection);
  const { value: header } = await lines.next();
  async function* withoutRule(): AsyncGenerator<string> {
    for await (const line of lines) {
      const row = JSON.parse(line) as Record<string, unknown>;
      const isSeason = typeof row['statement'] === 'string' && 'definition' in row;
      yield isSeason
        ? JSON.stringify({ ...row, definition: null, statement: statement(String(row['statement'])) })
        : line;
    }
  }
  await importLines(target, { migration: readHeader(header ?? undefined), lines: withoutRule() }, countImported);
}

/** Returns the statement with other claims, and the signature of the former ones. */
function withClaims(signed: string, claims: object): string {
  const [header, , signature] = signed.split('.');
  return [header, Buffer.from(JSON.stringify(claims)).toString('base64url'), signature].join('.');
}

describe('imported seasons without a stored rule', () => {
  it('get the rule of their statement, and are counted by it', async () => {
    await using source = await openTestDatabase();
    await using target = await openTestDatabase();
    await importWithoutRule(source.database, target.database);
    const { connection } = target.database;
    await addIssues(connection, 'docs', ['bo']);
    await install(connection, 'docs');
    await completeSeasons(toServices(connection, late));
    const { version, points } = await readSeason(connection);
    assert.deepEqual(
      [version, points],
      [
        2,
        [
          ['bo', 2],
          ['ada', 1],
        ],
      ],
    );
  });

  for (const [title, statement] of [
    ['where their statement has none', (signed: string) => withClaims(signed, { board: {} })],
    ['where their statement cannot be read', () => 'unreadable'],
  ] as const) {
    it(`are never counted again ${title}`, async () => {
      await using source = await openTestDatabase();
      await using target = await openTestDatabase();
      await importWithoutRule(source.database, target.database, statement);
      const { connection } = target.database;
      await install(connection, 'docs');
      await completeSeasons(toServices(connection, late));
      const correction = { boardId: await findBoardId(connection), number: 1, reason: 'Again.' };
      for (const byPresentRule of [false, true])
        await assert.rejects(correctSeason(toServices(connection), { ...correction, byPresentRule }), /not known/);
      assert.equal((await readSeason(connection)).version, 1);
    });
  }

  it('still lose people who are erased or hidden', async () => {
    await using source = await openTestDatabase();
    await using target = await openTestDatabase();
    await importWithoutRule(source.database, target.database, (signed) => withClaims(signed, {}));
    const { connection } = target.database;
    await connection.updateTable('accounts').set({ hidden: true }).where('name', '=', 'ada').execute();
    await freezeSeasons(toServices(connection, late));
    const { version, points } = await readSeason(connection);
    assert.deepEqual([version, new Map(points).get(null)], [2, 1]);
    const season = await findSeason(connection, await findBoardId(connection), 1);
    assert.notEqual(season?.statement, null);
  });
});
