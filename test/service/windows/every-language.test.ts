import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ada, bearer, engines, serviceToken } from '../../integration/access/owner.ts';
import { storeLanguages } from '../../integration/contributions/store-languages.ts';
import { clock } from '../../time.ts';
import { readPages } from '../http/read-pages.ts';
import { shareStoredService } from '../http/stored-service.ts';

const format = (value: number): string => new Intl.NumberFormat('en').format(value);

describe('the number of a language', () => {
  const { now } = clock();
  const shared = shareStoredService({ simulator: { now }, service: { now } });
  let own: RequestInit;
  before(async () => {
    await storeLanguages(shared.service.database.connection);
    own = bearer(await serviceToken(shared.service, shared.simulator, engines));
  });
  const findList = async <Item>(path: string, init?: RequestInit): Promise<Item[]> =>
    (await readPages(shared.service, path, init)).items as Item[];

  /** Checks that the files of the commits at an address and the remainder are together the number of a language. */
  const proveFiles = async (files: number, path: string, init?: RequestInit): Promise<Record<string, number>> => {
    const { items, meta } = await readPages(shared.service, path, init);
    const { total, itemised, remainder } = meta as {
      total: number;
      itemised: number;
      remainder: Record<string, number>;
    };
    const listed = (items as { files: number }[]).reduce((sum, item) => sum + item.files, 0);
    const rest = Object.values(remainder).reduce((sum, part) => sum + part, 0);
    assert.deepEqual([total, listed, listed + rest], [files, itemised, files], path);
    return remainder;
  };

  for (const query of ['', 'period=2025&time_zone=Pacific/Kiritimati', 'since=2026-02-03T04:05:06Z']) {
    it(`adds up, and as drawn ${query === '' ? 'in its lifetime' : `for ${query}`}`, async () => {
      for (const { name } of [ada, engines]) {
        const path = `${name}/contributions`;
        const languages = await findList<{ language: string; files: number }>(`${path}/languages?${query}`);
        assert.ok(query !== '' || languages.length === 3, name);
        for (const { language, files } of languages)
          await proveFiles(files, `${path}/languages/${encodeURIComponent(language)}?limit=2&${query}`);
        const all = languages.reduce((sum, { files }) => sum + files, 0);
        const { text } = await shared.service.get(`${path}?format=svg&card=languages&${query}`);
        const drawn = /<desc id="desc">([^]*)<\/desc>/.exec(text)?.[1] ?? '';
        if (all > 0) assert.ok(drawn.includes(` ${format(all)} changed file`), drawn);
        for (const { language, files } of languages) {
          const share = new Intl.NumberFormat('en', {
            style: 'percent',
            minimumFractionDigits: 1,
            maximumFractionDigits: 1,
          }).format(files / all);
          assert.ok(drawn.includes(`${language} ${share}`), `${language} ${share}: ${drawn}`);
        }
      }
    });
  }

  it('is in a table, where the language is known', async () => {
    const path = `${engines.name}/contributions/languages`;
    const { text, headers } = await shared.service.get(`${path}/c++?format=csv`);
    assert.match(headers.get('content-type') ?? '', /^text\/csv/);
    assert.match(text, /,files,total,itemised,remainder\r\n/);
    assert.equal((await shared.service.get(`${path}/no-such-language`)).status, 404);
  });

  it('adds up with private commits, which their owner alone reads, and those of erased people', async () => {
    const { service } = shared;
    const { pool } = service.database;
    const path = `${engines.name}/contributions/languages`;
    const filesIn = async (suffix: string, init?: RequestInit): Promise<number> => {
      const languages = await findList<{ language: string; files: number }>(`${path}${suffix}`, init);
      return languages.find(({ language }) => language === 'TypeScript')?.files ?? 0;
    };
    const all = await filesIn('?private=true', own);
    const open = await filesIn('?private=true');
    assert.ok(all > open, `${all} ${open}`);
    assert.deepEqual(await proveFiles(all, `${path}/typescript?private=true`, own), {});
    assert.deepEqual(await proveFiles(open, `${path}/typescript?private=true`), {});
    await pool.query(`update accounts set publishes_private = true where name = $1`, [engines.name]);
    await pool.query(
      `update identities set email = 'erased ' || id where id = (
        select c.identity_ids[1] from (select * from commits offset 0) c join repositories r on r.id = c.repository_id
          join accounts a on a.id = r.owner_id
        where a.name = $1 and not r.is_private and c.languages ? 'TypeScript' limit 1)`,
      [engines.name],
    );
    const published = await proveFiles(all, `${path}/typescript?private=true&limit=7`);
    assert.equal(published['private'], all - open);
    assert.ok((published['erased-account'] ?? 0) > 0);
  });
});
