import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ServiceResponse } from '../../e2e/service.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { award } from '../achievements/award.ts';
import { shareStoredService } from '../http/stored-service.ts';

const asReader = { headers: { accept: 'text/html' } };

describe('pages of the people who hold an achievement', () => {
  const shared = shareStoredService();
  const page = (path: string): Promise<ServiceResponse> => shared.service.get(path, asReader);

  it('lists them from their number on, newest first and page by page', async () => {
    const { service } = shared;
    const { pool } = service.database;
    const awardId = await award(service, 'Held <by> many', { repository: 'engine-1' });
    const { rows } = await pool.query<{ id: string }>(
      `with people as (
         insert into accounts (id, provider, external_id, handle, type, name, display_name, named_at, created_at, updated_at)
         select gen_random_uuid(), 'github', 'holder-' || n, '', 'user', 'holder-' || n, '', now(), now(), now()
         from generate_series(1, 60) n returning id, name)
       insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
       select gen_random_uuid(), w.achievement_id, p.id, 'engine-1',
         w.awarded_at + (split_part(p.name, '-', 2) || ' hours')::interval, now()
       from people p, awards w where w.id = $1 returning achievement_id as id`,
      [awardId],
    );
    const path = `/github/${engines.name}/engine-1/achievements/${rows[0]?.id}`;
    const holdersText = async (address: string): Promise<string | undefined> => {
      await service.service.catchUp();
      const { text } = await page(address);
      return new RegExp(`href="${path}" class="number" aria-describedby="holders-tip">Held by ([^<]+)<`).exec(
        text,
      )?.[1];
    };
    for (const address of [`/github/${engines.name}`, `/github/${engines.name}/engine-1`]) {
      assert.equal(await holdersText(address), '61', address);
    }
    const listed = async (): Promise<string[]> => {
      const seen: string[] = [];
      for (let next: string | undefined = path, pages = 0; next !== undefined && pages < 4; pages += 1) {
        const { text, status } = await page(next);
        assert.equal(status, 200, text);
        assert.ok(text.includes('<bdi>Held &lt;by&gt; many</bdi></h1>'), text);
        seen.push(...[...text.matchAll(/<small dir="ltr">([^<]+)</g)].map(([, name = '']) => name));
        next = /href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
      }
      return seen;
    };
    const all = [...Array.from({ length: 60 }, (_, index) => `holder-${60 - index}`), ada.name];
    assert.deepEqual(await listed(), all);
    assert.match(
      (await page(path)).text,
      /<h2>Held by 61<\/h2>.*<time datetime="[^"]+">as of [A-Z][a-z]{2} \d+, \d{4}</s,
    );
    assert.equal((await page(`${path}?after=other`)).status, 400);
    const moved = await service.get(path.replace('engine-1', 'Other'), { ...asReader, redirect: 'manual' });
    assert.deepEqual([moved.status, moved.headers.get('location')], [301, path]);
    for (const change of [
      `update accounts set hidden = true where name = 'holder-7'`,
      `update accounts set hidden_by_host = true where name = 'holder-8'`,
      `update accounts set deleted_at = now() where name = 'holder-9'`,
      `delete from accounts where name = 'holder-10'`,
      `update awards set revoked_at = now() where account_id = (select id from accounts where name = 'holder-11')`,
    ]) {
      await pool.query(change);
      await service.service.catchUp();
      all.splice(all.indexOf(`holder-${/(\d+)'/.exec(change)?.[1]}`), 1);
      assert.deepEqual(await listed(), all, change);
    }
    assert.equal(await holdersText(`/github/${engines.name}`), '56');
    await pool.query(`update achievements set is_current = false where id = $1`, [rows[0]?.id]);
    await pool.query(`insert into announcements (kind, key) select 'account', id from accounts where name = $1`, [
      engines.name,
    ]);
    await service.service.catchUp();
    assert.equal((await page(path)).status, 404);
  });

  it('are linked on the pages of its awards, unless its repository is private or defines it no more', async () => {
    const { service } = shared;
    const { pool } = service.database;
    const findLink = async (awardId: string): Promise<string | undefined> => {
      await pool.query(`insert into announcements (kind, key) select 'account', id from accounts where name = $1`, [
        ada.name,
      ]);
      await service.service.catchUp();
      const { text, status } = await page(`/github/${ada.name}/achievements/${awardId}`);
      assert.equal(status, 200, text);
      return /href="([^"]+)" class="number" aria-describedby="holders-tip">Held by 1</.exec(text)?.[1];
    };
    const awardId = await award(service, 'Linked', { repository: 'engine-1' });
    const { rows } = await pool.query<{ id: string; imported: string }>(
      'update awards set imported_id = gen_random_uuid() where id = $1 returning achievement_id as id, imported_id as imported',
      [awardId],
    );
    const [{ id, imported } = { id: '', imported: '' }] = rows;
    const path = `/github/${engines.name}/engine-1/achievements/${id}`;
    assert.equal(await findLink(awardId), path);
    assert.equal(await findLink(imported), path);
    assert.ok((await page(path)).text.includes('<h2>Held by 1</h2>'));
    const { text } = await page(`/github/${ada.name}/achievements/${awardId}`);
    assert.ok(
      text.includes(`<a href="/github/${engines.name}/engine-1"><bdi>${engines.name}/engine-1</bdi></a>`),
      text,
    );
    await pool.query('update achievements set is_current = false where id = $1', [id]);
    assert.equal(await findLink(awardId), undefined);
    assert.ok((await page(`/github/${ada.name}/achievements/${awardId}`)).text.includes('<bdi>engine-1</bdi>'));
  });

  it('decide the rims of awards on the page of a person, also where newer awards are hidden', async () => {
    const { service } = shared;
    const { pool } = service.database;
    const findRim = async (awardId: string): Promise<string | undefined> => {
      await pool.query(`insert into announcements (kind, key) select 'account', id from accounts where name = $1`, [
        ada.name,
      ]);
      await service.service.catchUp();
      const { text } = await page(`/github/${ada.name}`);
      return new RegExp(`<img class="([^"]+)" src="[^"]*/achievements/${awardId}[?]`).exec(text)?.[1];
    };
    const awardId = await award(service, 'With a rim', { repository: 'engine-1' });
    assert.equal(await findRim(awardId), 'rim gold');
    const privateId = await award(service, 'Private', { isPrivate: true, hasAccess: true });
    const { rows } = await pool.query<{ id: string }>(
      `with owner as (
         insert into accounts (id, provider, external_id, handle, type, name, display_name, named_at, created_at, updated_at)
         values (gen_random_uuid(), 'github', 'rims', '', 'user', 'rims', '', now(), now(), now()) returning id
       ), repository as (
         insert into repositories (id, provider, external_id, handle, owner_id, name, is_private, is_fork, named_at, listed_at,
           created_at, updated_at)
         select gen_random_uuid(), 'github', 'rims', 'rims', id, 'rims', false, false, now(), now(), now(), now() from owner
         returning id
       ), achievement as (
         insert into achievements (id, repository_id, name, icon, description, is_current)
         select gen_random_uuid(), r.id, 'Newer ' || n, '', '', true from repository r, generate_series(1, 12) n returning id)
       insert into awards (id, achievement_id, account_id, repository_name, awarded_at, created_at)
       select gen_random_uuid(), h.id, a.id, 'rims', now(), now() from achievement h, accounts a where a.name = $1
       returning id`,
      [ada.name],
    );
    assert.equal(await findRim(awardId), undefined, 'twelve newer awards are shown');
    assert.equal(await findRim(rows[0]?.id ?? ''), 'rim gold');
    for (const [hide, show] of [
      [`update awards set revoked_at = now() where repository_name = 'rims'`, 'update awards set revoked_at = null'],
      [`update accounts set hidden = true where name = 'rims'`, 'update accounts set hidden = false'],
      [`update repositories set is_private = true where name = 'rims'`, 'update repositories set is_private = false'],
    ] as const) {
      await pool.query(hide);
      assert.equal(await findRim(awardId), 'rim gold', hide);
      assert.equal(await findRim(privateId), undefined, hide);
      await pool.query(`${show} where ${/where (.*)/.exec(hide)?.[1]}`);
    }
    await pool.query(`update accounts set publishes_private = true where name in ($1, $2)`, [ada.name, engines.name]);
    await pool.query(`update accounts set hidden = true where name = 'rims'`);
    assert.equal(await findRim(privateId), 'rim', 'nobody may know who holds an achievement of a private repository');
  });
});
