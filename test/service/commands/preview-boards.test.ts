import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import { boards } from '../../../src/app/commands/rule-files.ts';
import { openUnchanged } from '../../../src/database/connections/open.ts';
import { createTestDatabase } from '../../database.ts';
import { storeRepository } from '../../integration/boards/store-repository.ts';
import { boardWith } from '../../unit/boards/reported.ts';

describe('plaudit boards preview', () => {
  it('prints the ranking that a file would give, its warnings, and faults on standard error', async () => {
    await using created = await createTestDatabase();
    const database = await openUnchanged({ databaseUrl: created.url, dataDir: '/nonexistent', log: () => {} });
    const at = '2026-06-01T00:00:00Z';
    const items = [
      { kind: 'commit', author: 'ada', at },
      { kind: 'commit', author: 'ada', at },
      { kind: 'commit', author: 'bob', at },
    ] as const;
    await storeRepository(database.pool, { owner: 'acme', name: 'app', items, newId: uuidv7 });
    await database.close();
    const previewFile = async (file: string, ...args: string[]): Promise<{ printed: string[]; warned: string[] }> => {
      const [printed, warned]: [string[], string[]] = [[], []];
      await boards(
        {
          environment: { DATABASE_URL: created.url, DATA_DIR: '/nonexistent' },
          input: Readable.from([Buffer.from(file)]),
          print: (line) => void printed.push(line),
          warn: (line) => void warned.push(line),
          isTerminal: false,
          signal: AbortSignal.timeout(60_000),
        },
        ['preview', '-', ...args],
      ).catch((error: unknown) => warned.push(String(error)));
      return { printed, warned };
    };
    const preview = (...args: string[]) => previewFile(boardWith('threshold: 2\nties: shared'), ...args);
    const { printed, warned } = await preview('github/acme');
    assert.deepEqual(warned, []);
    assert.match(printed[0] ?? '', /^Sprint: 0 of 1 repository complete/);
    assert.ok(
      printed.some((line) => /^ {2}warning: Rule 1 rewards work that is split/.test(line)),
      printed.join('\n'),
    );
    assert.deepEqual(printed.slice(-2), ['  1. ada 2 eligible', '  2. bob 1']);
    const json = await preview('github/acme', '--json');
    assert.equal((JSON.parse(json.printed.join('')) as { slug: string }[])[0]?.slug, 'sprint');
    assert.deepEqual((await preview('github/nobody')).warned, ['AppError: no account github/nobody is stored']);
    const stars = boardWith('ties: shared').replace('action: commit', 'action: star');
    assert.match((await previewFile(stars, 'github/acme')).warned.join(), /warning: GitHub shows who starred/);
    const teams = boardWith("teams: { red: ['@globex/core'] }");
    assert.match((await previewFile(teams, 'github/acme')).warned.join(), /members of @globex\/core are never known/);
    assert.match((await preview('acme')).warned.join(''), /boards preview needs FILE PROVIDER\/OWNER/);
  });
});
