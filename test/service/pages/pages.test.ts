import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { counterRows } from '../../../src/model/kinds.ts';
import { themeNames } from '../../../src/views/cards/drawing/themes.ts';
import { locales } from '../../../src/views/languages/texts.ts';
import { galleryCards } from '../../../src/views/pages/gallery/samples.ts';
import type { ServiceResponse } from '../../e2e/service.ts';
import { storeAbsent, storeAbsentRepositories } from '../../integration/http/stored-world.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { storeBoard } from './stored-board.ts';

const asReader = { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };
const user = 'ada-lovelace';

/** Returns the text of the elements of a page with a tag, without their markup. */
function listTexts(page: string, tag: string): string[] {
  return [...page.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 'gs'))].map(([, inner = '']) =>
    inner.replace(/<[^>]*>/g, '').trim(),
  );
}

/** The code of an error about a parameter. */
const invalidInput = '3';

describe('rendering of pages for visitors', () => {
  const shared = shareStoredService({
    service: { settings: { SITE_NAME: 'Credits & Co', SITE_EXAMPLE: `github/${user}` } },
  });
  const page = (path: string): Promise<ServiceResponse> => shared.service.get(path, asReader);

  it('begins with a search for accounts and with live cards', async () => {
    const { status, text } = await page('/');
    assert.equal(status, 200);
    assert.ok(text.includes('<title>Credits &amp; Co</title>'));
    assert.ok(text.includes(`/v1/github/entities/${user}/contributions?format=svg`));
    for (const card of ['contributions', 'achievements', 'calendar']) {
      assert.ok(text.includes(`<a href="/cards?card=${card}&amp;provider=github&amp;name=${user}">`), card);
    }
    const found = await page(`/find?provider=GitHub&name=%20@${user}`);
    assert.deepEqual([found.status, found.headers.get('location')], [303, `/github/${user}`]);
    for (const foreign of ['/find?provider=evil.example&name=x', '/find?name=', '/find']) {
      assert.equal((await page(foreign)).headers.get('location'), '/', foreign);
    }
    const slashes = await page('/find?name=//evil.example/x');
    assert.equal(slashes.headers.get('location'), '/github/evil.example/x');
  });

  it('leads from a pasted address to its account or repository, and from one of another host to a search', async () => {
    const find = (name: string): Promise<ServiceResponse> =>
      page(`/find?provider=github&name=${encodeURIComponent(name)}`);
    const host = shared.simulator.url;
    for (const [name, path] of [
      [`${host}/${user}/tools/issues/1`, `/github/${user}/tools`],
      [`${host}/${user}`, `/github/${user}`],
      [`${user}/tools`, `/github/${user}/tools`],
    ] as const) {
      assert.equal((await find(name)).headers.get('location'), path, name);
    }
    const { status, text } = await find('https://evil.example/ada');
    assert.equal(status, 404);
    assert.ok(text.includes('There is no such provider here; those that are: github.'));
    assert.ok(text.includes('action="/find"'));
  });

  it('has a page for each code host, with a search there', async () => {
    for (const path of ['/github', '/GitHub']) {
      const { status, text } = await page(path);
      assert.equal(status, 200, path);
      assert.ok(text.includes('action="/find"'), path);
      assert.ok(text.includes(`/v1/github/entities/${user}/contributions?format=svg`), path);
      assert.ok(text.includes('href="/docs/providers/github"'), path);
    }
    assert.equal((await page('/gitlab')).status, 404);
  });

  it('leads on from an address without a page: to a search, the documents and the account that it names', async () => {
    for (const [path, near] of [
      ['/no/such/page', undefined],
      [`/github/${user}/no/such/page`, `/github/${user}`],
    ] as const) {
      const { status, text } = await page(path);
      const [, main = ''] = /<main id="main">(.*)<\/main>/s.exec(text) ?? [];
      assert.equal(status, 404, path);
      for (const part of ['action="/find"', 'href="/docs"', 'href="/"'])
        assert.ok(main.includes(part), `${path} ${part}`);
      assert.equal(main.includes('href="/github'), near !== undefined, path);
      if (near !== undefined) assert.ok(main.includes(`<a class="button" href="${near}">${user}</a>`), main);
    }
  });

  it('sends the same start page and documents once, and lets robots load images for previews', async () => {
    for (const path of ['/', '/docs', '/docs/moving', '/docs/search?q=card', '/gallery']) {
      const { headers } = await page(path);
      const etag = headers.get('etag') ?? assert.fail(path);
      const again = await shared.service.get(path, { headers: { ...asReader.headers, 'if-none-match': etag } });
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], path);
    }
    assert.match((await page('/robots.txt')).text, /^Allow: \/v1\/\*canvas=preview$/m);
  });

  it('names images for previews of links that exist in the stated size, and the feeds of boards', async () => {
    const { organization } = shared.simulator.accounts;
    await storeBoard(shared.service, shared.simulator);
    for (const path of [
      '/',
      '/docs',
      '/docs/search?q=card',
      '/gallery?card=streak',
      `/github/${user}/contributions/commits`,
    ]) {
      const { text } = await page(path);
      const address =
        /property="og:image" content="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? assert.fail(path);
      const image = Buffer.from(
        await (
          await fetch(new URL(new URL(address).pathname + new URL(address).search, shared.service.url))
        ).arrayBuffer(),
      );
      const { width, height } = await sharp(image).metadata();
      assert.deepEqual([width, height], [1200, 630], address);
    }
    const { text } = await page(`/github/${organization}`);
    const feed =
      /rel="alternate" type="application\/atom\+xml" title="[^"]+" href="([^"]+)"/.exec(text)?.[1] ?? assert.fail();
    assert.equal((await shared.service.get(feed)).status, 200);
  });

  it('shows the same counters, people and public repositories as the API', async () => {
    const { organization } = shared.simulator.accounts;
    for (const name of [user, organization]) {
      const { text, status } = await page(`/github/${name}`);
      assert.equal(status, 200);
      const [account] = (await shared.service.get(`${name}/contributions`)).body.data;
      const values = counterRows.map(({ name: counter }) =>
        new Intl.NumberFormat('en').format(Object(account).contributions[counter]),
      );
      const numbers = [...text.matchAll(/<dd><a[^>]*>([^<]*)</g)].map(([, value]) => value);
      assert.deepEqual(numbers, values);
    }
    const people = await shared.service.get(`${organization}/contributors?limit=20`);
    const { text } = await page(`/github/${organization}`);
    const counts = people.body.data.map((person) => new Intl.NumberFormat('en').format(Object(person).contributions));
    assert.deepEqual(
      [...text.matchAll(/class="count"><a[^>]*>([^<]*)</g)].map(([, count]) => count),
      counts,
    );
    const { rows } = await shared.service.database.pool.query<{ name: string; is_private: boolean }>(
      `select r.name, r.is_private from repositories r join accounts a on a.id = r.owner_id where a.name = $1`,
      [organization],
    );
    const links = [...text.matchAll(new RegExp(`href="/github/${organization}/([^"/]+)"`, 'g'))].map(
      ([, repositoryName]) => repositoryName,
    );
    const publicNames = rows
      .filter(({ is_private: isPrivate }) => !isPrivate)
      .map(({ name }) => encodeURIComponent(name));
    assert.deepEqual(new Set(links), new Set(publicNames));
  });

  it('leads from the first people of an owner and of a repository to a hundred', async () => {
    const { organization } = shared.simulator.accounts;
    const { pool } = shared.service.database;
    const { rows } = await pool.query<{ name: string }>(
      `select r.name from repositories r join accounts a on a.id = r.owner_id
       where a.name = $1 and not r.is_private order by r.stars desc limit 1`,
      [organization],
    );
    const repository = rows[0]?.name ?? assert.fail();
    for (const [address, query] of [
      [`/github/${organization}?period=2014`, 'period=2014&'],
      [`/github/${organization}`, ''],
      [`/github/${organization}/${repository}`, `repository=${repository}&`],
    ] as const) {
      const all = await shared.service.get(`${organization}/contributors?${query}limit=100`);
      const first = await page(address);
      const next = /href="([^"#]*)#people" rel="next">/.exec(first.text)?.[1]?.replaceAll('&amp;', '&');
      const { text, status } = next === undefined ? first : await page(next);
      assert.equal(status, 200, address);
      const people = text.matchAll(/<strong dir="auto">[^<]*<\/strong><small dir="ltr">([^<]*)</g);
      const found = [...people].map(([, name = '']) => name);
      assert.deepEqual(new Set(found), new Set(all.body.data.map((person) => Object(person).name)), address);
    }
  });

  it('sends pages from the cache, with an ETag, and makes them again when the account changes', async () => {
    const first = await page(`/github/${user}`);
    const etag = first.headers.get('etag') ?? '';
    const again = await shared.service.get(`/github/${user}`, {
      headers: { ...asReader.headers, 'if-none-match': etag },
    });
    assert.equal(again.status, 304);
    const { pool } = shared.service.database;
    await pool.query(`update accounts set display_name = '<b>Ada</b>' where name = $1`, [user]);
    await pool.query(`insert into announcements (kind, key) select 'account', id from accounts where name = $1`, [
      user,
    ]);
    await shared.service.service.catchUp();
    const { text } = await page(`/github/${user}`);
    assert.ok(text.includes('<h1>&lt;b&gt;Ada&lt;/b&gt;</h1>'));
    assert.ok(!text.includes('<b>Ada'));
    await pool.query(`update accounts set display_name = 'Countess' where name = $1`, [user]);
    await pool.query(`insert into announcements (kind, key) values ('accounts', 'all')`);
    await shared.service.service.catchUp();
    assert.ok((await page(`/github/${user}`)).text.includes('<h1>Countess</h1>'));
  });

  it('names the people who contributed to a repository; a private and an absent one are the same 404', async () => {
    const { organization } = shared.simulator.accounts;
    const { pool } = shared.service.database;
    const { rows } = await pool.query<{ name: string }>(
      `select r.name from repositories r join accounts a on a.id = r.owner_id
       join (select * from contributor_totals offset 0) t on t.repository_id = r.id
       where a.name = $1 and not r.is_private limit 1`,
      [organization],
    );
    const name = rows[0]?.name ?? assert.fail();
    const { status, text } = await page(`/github/${organization}/${name}`);
    assert.equal(status, 200);
    const { body } = await shared.service.get(`${organization}/contributors?repository=${name}&limit=50`);
    assert.equal(listTexts(text, 'strong').length, body.data.length);
    assert.ok(body.data.length > 0);
    await pool.query(
      `with changed as (update repositories set is_private = true, credential_name = 'x' where name = $1 returning owner_id)
       insert into announcements (kind, key) select 'account', owner_id from changed`,
      [name],
    );
    await shared.service.service.catchUp();
    await storeAbsentRepositories(shared.service.database.connection, organization, ['no-such', name]);
    const hidden = await page(`/github/${organization}/${name}`);
    const absent = await page(`/github/${organization}/no-such`);
    assert.deepEqual([hidden.status, absent.status], [404, 404]);
    assert.equal(hidden.text, absent.text);
  });

  it('shows every card in every theme, drawn from samples', async () => {
    const images = new Set<string>();
    for (const path of ['/gallery?theme=nord&lang=ja', ...galleryCards.map((card) => `/gallery?card=${card}`)]) {
      const { status, text } = await page(path);
      assert.equal(status, 200);
      for (const [, address = ''] of text.matchAll(/<img src="([^"]*)"/g)) images.add(address.replaceAll('&amp;', '&'));
    }
    assert.equal(images.size, galleryCards.length * (1 + themeNames.length));
    for (const address of images) {
      const { status, text } = await shared.service.get(address);
      assert.equal(status, 200, address);
      assert.ok(text.startsWith('<svg') && !/>No \w+ yet</.test(text), address);
    }
    assert.equal((await page('/gallery?theme=nrod')).status, 400);
  });

  it('shows layouts, trends and walls of avatars in the gallery, with the address of each card', async () => {
    const { text } = await page('/gallery?theme=nord');
    const addresses = [...text.matchAll(/<code class="address"[^>]*>([^<]*)<\/code>/g)].map(([, address = '']) =>
      address.replaceAll('&amp;', '&'),
    );
    assert.equal(addresses.length, galleryCards.length);
    const options = [
      'layout=classic',
      'layout=compact',
      'limit=12&period=this-month&show=trend',
      'contributors?format=svg&limit=36',
    ];
    for (const wanted of options) {
      assert.ok(
        addresses.some((address) => wanted.split('&').every((part) => address.includes(part))),
        wanted,
      );
    }
    for (const address of addresses) {
      const { pathname, search } = new URL(address);
      assert.equal(new URL(address).searchParams.get('theme'), 'nord', address);
      const own = `${pathname}${search}`
        .replace('NAME', shared.simulator.accounts.organization)
        .replace('BOARD', 'none');
      const card = await shared.service.get(own);
      assert.equal(card.status, 200, own);
      assert.notEqual(card.headers.get('x-error-code'), invalidInput, own);
    }
    const [shown, trend] = await Promise.all(
      ['contributions', 'trend'].map((card) => shared.service.get(`/gallery/${card}.svg?theme=nord`)),
    );
    assert.notEqual(shown?.text, trend?.text);
    assert.ok(text.includes('href="/cards?card=contributions&amp;theme=nord&amp;layout=classic"'));
  });

  it('uses the language that the reader prefers, or that the address names', async () => {
    const path = `/github/${user}`;
    const inLanguage = async (address: string, accepted: string): Promise<[string, string]> => {
      const { text } = await shared.service.get(address, {
        headers: { ...asReader.headers, 'accept-language': accepted },
      });
      return [/<html lang="(\w+)" dir="(?:ltr|rtl)">/.exec(text)?.[1] ?? '', text];
    };
    // Each is requested twice: the second response comes from the cache.
    for (const [address, accepted, expected] of [
      [path, 'de-CH, en;q=0.5', 'de'],
      [path, 'xx, fr;q=0.1', 'fr'],
      [path, '*', 'en'],
      [path, 'xx', 'en'],
      [`${path}?lang=he`, 'de', 'he'],
      [`${path}?lang=xx`, 'ja', 'ja'],
    ] as const) {
      for (const turn of ['first', 'second']) {
        assert.equal((await inLanguage(address, accepted))[0], expected, `${address} ${accepted} ${turn}`);
      }
    }
    const [, hebrew] = await inLanguage(`${path}?lang=he`, 'de');
    assert.ok(hebrew.includes('dir="rtl"'));
    const { organization } = shared.simulator.accounts;
    const [, complete] = await inLanguage(`/github/${organization}?lang=he`, 'de');
    assert.match(complete, /<bdi dir="rtl">[^<]*XP/, 'a sentence that begins with a number is read from right to left');
    assert.ok(hebrew.includes(`href="/?lang=he"`), 'links keep a language that was chosen');
    for (const locale of locales) assert.ok(hebrew.includes(`href="${path}?lang=${locale}"`), locale);
    assert.equal((await page(path)).headers.get('vary'), 'accept-language, accept-encoding');
  });

  it('reports errors as pages for readers, and JSON for programs', async () => {
    await storeAbsent(shared.service.database.connection, ['nobody-here']);
    for (const path of ['/github/nobody-here', '/no/such/page', '/nothing']) {
      const { status, headers, text } = await page(path);
      assert.equal(status, 404, path);
      assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.match(headers.get('content-security-policy') ?? '', /default-src 'none'/);
      assert.match(text, /<h1>[^<]+<\/h1>/);
      const forPrograms = await shared.service.get(path);
      assert.equal(forPrograms.status, 404, path);
      assert.equal(Object(forPrograms.body).error.type, 'not_found');
    }
    assert.match((await page('/nothing')).text, /<a href="\/docs">\/docs<\/a>/);
    for (const [query, detail] of [
      ['since=2026-01-01&time_zone=Europe/Berln', /<p>Time zone: did you mean Europe\/Berlin\?/],
      ['since=2026-01-01&time_zone=Europe/Berln&lang=de', /<p>Zeitzone: /],
      ['since=tomorrow-or-so', /<p>From must be a day/],
    ] as const) {
      const wrong = await page(`/github/${user}/contributions/commits?${query}`);
      assert.equal(wrong.status, 400, query);
      assert.match(wrong.text, detail, 'the field is called as on the page');
    }
    const api = await page('/v1/github/entities/nobody-here');
    assert.match(api.headers.get('content-type') ?? '', /^application\/json/);
  });

  it('shows avatars from this service alone, or initials', async () => {
    const { status, headers, text } = await shared.service.get(`/avatars/github/${user}`);
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^image\/svg\+xml/);
    assert.match(text, />[A-Z]{1,2}<\/text>/);
    const { text: html } = await page(`/github/${shared.simulator.accounts.organization}`);
    for (const [, address = ''] of html.matchAll(/(?:src|action)="([^"]*)"/g))
      assert.match(address, /^\/[^/]/, address);
  });
});
