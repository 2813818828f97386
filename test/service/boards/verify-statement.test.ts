import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { freezeSeasons } from '../../../src/boards/seasons/freeze.ts';
import { engines } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { freezingAt, storeEndedBoard } from './ended-boards.ts';

const run = promisify(execFile);
const top = resolve(import.meta.dirname, '../../..');
const yearMs = 365 * 86_400_000;

describe('the program of docs/boards.md that verifies a statement', () => {
  const shared = shareStoredService();
  let folder = '';

  before(async () => {
    // Below the repository, where the program finds its library.
    folder = await mkdtemp(join(top, 'node_modules/.verify-'));
    const code = /^```js\n([\s\S]*?)^```$/m.exec(await readFile(join(top, 'docs/boards.md'), 'utf8'))?.[1];
    await writeFile(join(folder, 'verify.mjs'), code ?? assert.fail());
  });
  after(() => rm(folder, { recursive: true }));

  const freeze = async (slug: string, algorithm: 'ES256' | 'EdDSA' | 'RS256', later = 0): Promise<string> => {
    await storeEndedBoard(shared.service, slug, 6);
    await freezeSeasons({
      ...freezingAt(shared.service, new Date(Date.now() + later)),
      credentialAlgorithm: algorithm,
    });
    const { status, text } = await shared.service.get(`${engines.name}/boards/${slug}/seasons/1/statement`);
    assert.equal(status, 200, text);
    return text;
  };

  const verify = async (statement: string): Promise<string> => {
    await writeFile(join(folder, 'statement'), `${statement}\n`);
    const { stdout } = await run(process.execPath, [
      join(folder, 'verify.mjs'),
      join(folder, 'statement'),
      shared.service.url,
    ]);
    return stdout;
  };

  it('accepts statements of each algorithm, also when their key signs no more', async () => {
    const statements = [
      await freeze('by-es256', 'ES256'),
      await freeze('by-eddsa', 'EdDSA'),
      await freeze('by-rs256', 'RS256'),
    ];
    const headerOf = (statement: string): string => Buffer.from(statement.split('.')[0] ?? '', 'base64url').toString();
    const later = await freeze('next-key', 'ES256', 2 * yearMs);
    assert.notEqual(headerOf(later), headerOf(statements[0] ?? ''));
    for (const statement of statements) {
      const claims = JSON.parse(await verify(statement)) as { type: string; people: object[] };
      assert.equal(claims.type, 'BoardSeason');
      assert.ok(claims.people.length > 0);
    }
  });

  it('rejects a statement with one other byte, or by another key', async () => {
    const statement = await freeze('changed', 'ES256');
    const [header = '', claims = '', signature = ''] = statement.split('.');
    const changed = Buffer.from(claims, 'base64url').toString().replace('"rank":1,', '"rank":2,');
    const other = Buffer.from(header, 'base64url')
      .toString()
      .replace(/.(?="[^"]*"typ")/, (letter) => (letter === 'A' ? 'B' : 'A'));
    await assert.rejects(
      verify([header, Buffer.from(changed).toString('base64url'), signature].join('.')),
      /signature verification failed/,
    );
    await assert.rejects(
      verify([Buffer.from(other).toString('base64url'), claims, signature].join('.')),
      /published no such key/,
    );
  });
});
