import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { makeTemporaryDirectory } from '../../../simulators/git/temporary-directory.ts';
import { findByName } from '../../../src/accounts/store.ts';
import { importSample, sampleTime } from '../../../src/app/commands/sample.ts';
import { readConfig } from '../../../src/app/config/config.ts';
import { readBoardsFile } from '../../../src/recognition/boards/file/read-file.ts';
import { previewBoard } from '../../../src/recognition/boards/preview/preview-store.ts';
import { createTestDatabase } from '../../database.ts';

describe('published rules of docs/boards.md', () => {
  it('rank people of the demonstration, with the names and days that the document replaces', async () => {
    const document = readFileSync(new URL('../../../docs/boards.md', import.meta.url), 'utf8');
    const [, rules = ''] = document.split('## Published rules');
    const [, script = ''] = /```sh\n(sed .*?)```/s.exec(rules) ?? [];
    assert.ok(
      script.split('\n').every(({ length }) => length < 80),
      'has short lines',
    );
    await using directory = await makeTemporaryDirectory();
    const files = [...rules.matchAll(/```yaml\n(.*?)```/gs)].map(([, file = '']) => {
      writeFileSync(directory.pathOf('rule.yaml'), file);
      execFileSync('sh', ['-c', script], { cwd: directory.path });
      return readFileSync(directory.pathOf('boards.yaml'));
    });
    await using created = await createTestDatabase({ withTables: false });
    const config = readConfig({ DATABASE_URL: created.url, DATA_DIR: '/nonexistent' }, () => '');
    const previews = await importSample(config, { warn: () => {} }, async (connection) => {
      const owner = await findByName(connection, 'github', 'sample-garden');
      const terms = { ownerId: owner?.account.id ?? assert.fail(), now: new Date(sampleTime) };
      return Promise.all(
        files.map(async (file) => {
          const { boards, reports } = readBoardsFile(file, { provider: 'github' });
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
