import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { findByName } from '../../../src/accounts/store.ts';
import { readBoardsFile } from '../../../src/boards/file/read-file.ts';
import { previewBoard } from '../../../src/boards/preview/preview-store.ts';
import { importSample, sampleTime } from '../../../src/commands/sample.ts';
import { readConfig } from '../../../src/config/config.ts';
import { createTestDatabase } from '../../database.ts';

describe('published rules of docs/boards.md', () => {
  it('rank people of the demonstration, with the names and days that the document replaces', async () => {
    const document = readFileSync(new URL('../../../docs/boards.md', import.meta.url), 'utf8');
    const [, rules = ''] = document.split('## Published rules');
    const [, script = ''] = /^sed '(.*)' rule\.yaml/m.exec(rules) ?? [];
    const replacements = [...script.matchAll(/s\/([^/]+)\/([^/]+)\//g)].map(
      ([, from = '', to = '']) => [from, to] as const,
    );
    assert.equal(replacements.length, 6);
    const files = [...rules.matchAll(/```yaml\n(.*?)```/gs)].map(([, file = '']) =>
      replacements.reduce((text, [from, to]) => text.replaceAll(from, to), file),
    );
    await using created = await createTestDatabase({ withTables: false });
    const config = readConfig({ DATABASE_URL: created.url, DATA_DIR: '/nonexistent' }, () => '');
    const previews = await importSample(config, { warn: () => {} }, async (connection) => {
      const owner = await findByName(connection, 'github', 'sample-garden');
      const terms = { ownerId: owner?.account.id ?? assert.fail(), now: new Date(sampleTime) };
      return Promise.all(
        files.map(async (file) => {
          const { boards, reports } = readBoardsFile(Buffer.from(file), { provider: 'github' });
          assert.deepEqual(reports, []);
          return previewBoard(connection, boards[0] ?? assert.fail(), terms);
        }),
      );
    });
    assert.deepEqual(
      previews.map(({ board: { slug, threshold }, people, unknownPeople }) => ({
        slug,
        hasPeople: people.length > 0,
        hasEligible: threshold !== null && people.some(({ points }) => points >= threshold),
        unknownPeople,
      })),
      [
        { slug: 'monthly', hasPeople: true, hasEligible: false, unknownPeople: [] },
        { slug: 'hackathon-2026', hasPeople: true, hasEligible: true, unknownPeople: [] },
        { slug: 'steering-2026', hasPeople: true, hasEligible: true, unknownPeople: [] },
      ],
    );
  });
});
