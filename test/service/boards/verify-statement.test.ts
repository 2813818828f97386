import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { freezeSeasons } from '../../../src/recognition/boards/seasons/freeze.ts';
import { engines } from '../../integration/access/owner.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { freezingAt, storeEndedBoard } from './ended-boards.ts';

interface Claims {
  counted_repositories: { repository: string; known_until: string | null }[];
  season: { until: string };
  missing: string[];
  as_of: string | null;
  repositories: { total: number };
}

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

  const verify = async (statement: string): Promise<{ stdout: string; stderr: string }> => {
    await writeFile(join(folder, 'statement'), `${statement}\n`);
    return run(process.execPath, [join(folder, 'verify.mjs'), join(folder, 'statement'), shared.service.url]);
  };

  it('accepts statements of each algorithm, also when their key signs no more', async () => {
    const statements = [
      await freeze('by-es256', 'ES256'),
      await freeze('by-eddsa', 'EdDSA'),
      await freeze('by-rs256', 'RS256'),
    ];
    const toHeader = (statement: string): string => Buffer.from(statement.split('.')[0] ?? '', 'base64url').toString();
    const later = await freeze('next-key', 'ES256', 2 * yearMs);
    assert.notEqual(toHeader(later), toHeader(statements[0] ?? ''));
    for (const statement of statements) {
      const claims = JSON.parse((await verify(statement)).stdout) as { type: string; people: object[] };
      assert.equal(claims.type, 'BoardSeason');
      assert.ok(claims.people.length > 0);
    }
  });

  it('names the repositories that were not known up to the end of the window', async () => {
    const { connection } = shared.service.database;
    await sql`
      with engine as (update repositories set installed_at = now() where name = 'engine-1' returning id)
      insert into streams (repository_id, name, covers, completed_at, known_until, is_deep)
      select id, 'issues', '{issue,pull_request,commit}', now(), now(), true from engine
      on conflict (repository_id, name) do update set covers = excluded.covers, completed_at = now(), known_until = now(),
        is_deep = true`.execute(connection);
    await sql`
      update streams set completed_at = null, known_until = null
      from repositories r where r.id = repository_id and r.name = 'engine-1' and streams.name = 'others'`.execute(
      connection,
    );
    const partly = JSON.parse((await verify(await freeze('partly', 'ES256'))).stdout) as Claims;
    assert.ok(partly.counted_repositories.every(({ known_until: until }) => until === null));
    assert.equal(partly.as_of, null, 'one of its streams is not complete');
    await sql`
      update streams set completed_at = now(), known_until = now(), is_deep = true
      from repositories r where r.id = repository_id and r.name = 'engine-1'`.execute(connection);
    const { stdout, stderr } = await verify(await freeze('counted', 'ES256'));
    const { counted_repositories: counted, season, missing, repositories } = JSON.parse(stdout) as Claims;
    const names = counted.map(({ repository }) => repository);
    assert.deepEqual([names, names.length], [names.toSorted(), repositories.total]);
    const known = counted.filter(({ known_until: until }) => until !== null);
    assert.deepEqual(
      known.map(({ repository, known_until: until }) => [repository, (until ?? '') > season.until]),
      [['github/analytical-engines/engine-1', true]],
    );
    const unknown = names.filter((name) => name !== known[0]?.repository);
    assert.deepEqual(
      missing,
      unknown.map((name) => `${name}: not_installed`),
    );
    assert.deepEqual(stderr.trimEnd().split('\n'), [
      `${names.length} repositories were counted, ${unknown.length} of them not up to the end of the window.`,
      ...unknown.map((name) => `${name}: not known`),
    ]);
    await sql`update repositories set installed_at = null where name = 'engine-1'`.execute(connection);
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
