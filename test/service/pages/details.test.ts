import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { counterRows } from '../../../src/model/kinds.ts';
import type { ServiceResponse } from '../../e2e/service.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { award } from '../achievements/award.ts';
import { freezeBoards } from '../boards/ended-boards.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { formToken, signIn, signInSettings } from './signed-in.ts';
import { storeBoard } from './stored-board.ts';

const asReader = { headers: { accept: 'text/html' } };
const format = (value: unknown): string => new Intl.NumberFormat('en').format(Number(value));

/** The number of a page of evidence in a response of the API. */
interface Numbered {
  total: number;
  remainder: Readonly<Record<string, number>>;
  host_search?: string;
}

describe('pages behind numbers', () => {
  const shared = shareStoredService({ service: { settings: signInSettings } });
  const page = (path: string): Promise<ServiceResponse> => shared.service.get(path, asReader);

  it('lists what each counter of an account counts, with its definition, within the window that was chosen', async () => {
    const account = (await page(`/github/${ada.name}`)).text;
    const reasons: string[] = [];
    for (const { name } of counterRows) {
      const path = `/github/${ada.name}/contributions/${name}`;
      assert.ok(account.includes(`href="${path}" class="number" aria-describedby="${name}-tip"`), name);
      for (const query of name === 'commits' ? ['', '?period=this-year'] : ['']) {
        const { status, text } = await page(`${path}${query}`);
        assert.equal(status, 200, text);
        const { body } = await shared.service.get(`${ada.name}/contributions/${name}${query || '?'}&limit=50`);
        const { total, remainder, host_search: search }: Numbered = Object(body.meta_data);
        assert.ok(text.includes(`<span class="total">${format(total)}</span>`), path);
        const uncollected = remainder['host-total'] ?? 0;
        const reason =
          uncollected > 0 ? 'Counted by the code host, not listed here' : 'Listed here, not counted by the code host';
        const sentence = `${reason}: ${format(Math.abs(uncollected))}`;
        const link =
          search === undefined
            ? sentence
            : `<a href="${search.replaceAll('&', '&amp;')}" rel="nofollow">${sentence}</a>`;
        assert.equal(text.includes(`<li>${link}</li>`), uncollected !== 0, `${name} ${uncollected}`);
        assert.ok(!text.includes('host-total'));
        reasons.push(...Object.keys(remainder));
        const urls = [...text.matchAll(/<li><strong><a href="([^"]+)"/g)].map(([, url]) => url);
        assert.deepEqual(
          urls,
          body.data.map(({ url }) => String(url).replaceAll('&', '&amp;')),
          path,
        );
      }
    }
    assert.ok(reasons.includes('host-total'), 'the host counts more');
    assert.equal((await page(`/github/${ada.name}/contributions/nothing`)).status, 400);
    assert.equal((await page(`/github/${ada.name}/contributions/commits?period=never`)).status, 400);
  });

  it('leads through all items of a number, page by page', async () => {
    const { rows } = await shared.service.database.pool.query<{ name: string }>(
      `select p.name from (select * from contributor_totals offset 0) t join accounts p on p.id = t.account_id
       join repositories r on r.id = t.repository_id join accounts o on o.id = r.owner_id
       where o.name = $1 and not r.is_private order by p.name limit 5`,
      [engines.name],
    );
    const [{ name: login } = { name: '' }] = rows;
    const organization = (await page(`/github/${engines.name}`)).text;
    const path = `/github/${engines.name}/contributors/${login}`;
    assert.ok(organization.includes(`href="${path}"`));
    const all = await shared.service.get(`${engines.name}/contributors/${login}/evidence?limit=100`);
    const seen: string[] = [];
    for (let next: string | undefined = path, pages = 0; next !== undefined && pages < 10; pages += 1) {
      const { text, status } = await page(next);
      assert.equal(status, 200, text);
      assert.match(
        text,
        new RegExp(`<h1>[^<]+<bdi>${login}</bdi> <span class="total">`),
        'a login keeps its direction',
      );
      seen.push(...[...text.matchAll(/<li><strong><a href="([^"]+)"/g)].map(([, url = '']) => url));
      next = /href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    }
    assert.deepEqual(
      seen.slice(0, 100),
      all.body.data.map(({ url }) => url),
    );
  });

  it('lists people within a window, whose numbers lead to their items of it, of an owner and of one repository', async () => {
    const repository = 'engine-1';
    const toList = (text: string): string => /<ol class="people">(.*?)<\/ol>/s.exec(text)?.[1] ?? '';
    const listNumbers = (text: string) => [...toList(text).matchAll(/class="count"><a href="([^"]*)"[^>]*>([^<]*)</g)];
    for (const [path, query] of [
      [`/github/${engines.name}`, ''],
      [`/github/${engines.name}/${repository}`, `repository=${repository}&`],
    ] as const) {
      for (const window of ['', 'period=this-year', 'since=2001-01-01&until=2041-12-31&time_zone=Europe%2FBerlin']) {
        const { text, status } = await page(`${path}?${window}`);
        assert.equal(status, 200, text);
        const { body } = await shared.service.get(`${engines.name}/contributors?${query}${window}&limit=50`);
        const numbers = listNumbers(text);
        assert.deepEqual(
          numbers.map(([, , number]) => number),
          body.data.slice(0, numbers.length).map(({ contributions }) => format(contributions)),
        );
        const [, address = '', number] = numbers[0] ?? [];
        if (number === undefined) {
          assert.match(window, /this-year/);
          continue;
        }
        assert.ok(address.startsWith(`${path}/contributors/`));
        const evidence = await page(address.replaceAll('&amp;', '&'));
        assert.ok(evidence.text.includes(`<span class="total">${number}</span>`), evidence.text);
      }
    }
    assert.equal((await page(`/github/${engines.name}?time_zone=Mars/Olympus`)).status, 400);
    const empty = await page(`/github/${engines.name}?since=&until=&time_zone=`);
    assert.equal(empty.status, 200, 'a form without values');
  });

  it('names newcomers of the window beside the people, and those of the last days for the lifetime', async () => {
    const boxOf = (text: string): string => /<section class="newcomers">(.*?)<\/section>/s.exec(text)?.[1] ?? '';
    const boxes: string[] = [];
    for (const [path, query] of [
      [`/github/${engines.name}`, ''],
      [`/github/${engines.name}/engine-1`, 'repository=engine-1&'],
    ] as const) {
      for (const window of ['since=2001-01-01', 'period=2014', 'period=2025']) {
        const { body } = await shared.service.get(
          `${engines.name}/contributors?${query}${window}&newcomers=true&type=user&limit=12`,
        );
        const box = boxOf((await page(`${path}?${window}`)).text);
        const found = [...box.matchAll(/class="count"><a href="([^"]*)"[^>]*>([^<]*)</g)];
        assert.deepEqual(
          found.map(([, address, number]) => [address, number]),
          body.data.map(({ name, contributions }) => [
            `${path}/contributors/${String(name)}?${window}`,
            format(contributions),
          ]),
        );
        boxes.push(...found.map(([, address = '']) => address));
        assert.equal(box.includes('Nobody new in this window.'), found.length === 0, box);
      }
      assert.match(boxOf((await page(path)).text), /Last 30 days:/);
      assert.equal(boxOf((await page(`${path}?until=2030-01-01`)).text), '', 'without a beginning');
    }
    assert.ok(boxes.length > 0);
  });

  it('shows how numbers changed since the window before', async () => {
    const list = async (year: string) =>
      (await shared.service.get(`${engines.name}/contributors?period=${year}&limit=100`)).body;
    const [present, former] = [await list('2025'), await list('2024')];
    const isWhole = former.next_cursor === undefined && (former.meta_data.missing ?? []).length === 0;
    const past = new Map(former.data.map(({ name, contributions }) => [name, Number(contributions)]));
    const { text } = await page(`/github/${engines.name}?period=2025`);
    const signed = new Intl.NumberFormat('en', { signDisplay: 'exceptZero' });
    const changes = present.data.slice(0, 20).flatMap(({ name, contributions }) => {
      const before = past.get(name) ?? (isWhole ? 0 : undefined);
      return before === undefined ? [] : [[signed.format(Number(contributions) - before), format(before)]];
    });
    assert.ok(changes.length > 0, `${present.data.length} and ${former.data.length} people`);
    assert.deepEqual(
      [...text.matchAll(/<bdi>([^<]*)<\/bdi><span class="unseen"> \(before: ([^)]*)\)/g)].map(
        ([, ...change]) => change,
      ),
      changes,
    );
    const evidence = await page(`/github/${ada.name}/contributions/commits?period=2025&lang=de`);
    assert.match(evidence.text, /<h1>.* \(davor: [\d.]+\)<\/span><\/small><\/h1>/s);
    assert.doesNotMatch((await page(`/github/${engines.name}`)).text, /class="unseen"/, 'without a window');
  });

  it('shows an award with its image and its credential', async () => {
    const id = await award(shared.service, 'Page <hero>');
    await shared.service.database.pool.query(
      `insert into announcements (kind, key) select 'account', id from accounts where name = any($1)`,
      [[ada.name, engines.name]],
    );
    const path = `/github/${ada.name}/achievements/${id}`;
    assert.ok((await page(`/github/${ada.name}`)).text.includes(`href="${path}"`));
    const { status, text } = await page(path);
    assert.equal(status, 200);
    assert.ok(text.includes('<h1>Page &lt;hero&gt;</h1>'));
    const [, toEarn = ''] = (await page(`/github/${engines.name}`)).text.split('<h2>Achievements to earn</h2>');
    assert.ok(toEarn.includes('Page &lt;hero&gt;') && toEarn.includes('Held by 1'), toEarn);
    assert.ok(text.includes(`/v1/github/entities/${ada.name}/achievements/${id}/credential`));
    const [, image = ''] = /property="og:image" content="([^"]*)"/.exec(text) ?? assert.fail();
    const { width, height } = await sharp(await (await fetch(image.replaceAll('&amp;', '&'))).arrayBuffer()).metadata();
    assert.deepEqual([width, height], [1200, 630]);
    assert.equal((await page(`/github/${engines.name}/achievements/${id}`)).status, 404);
  });

  it('shows a board with its podium, teams, rules, feed and the evidence of points', async () => {
    const { service } = shared;
    await storeBoard(service, shared.simulator);
    const path = `/github/${engines.name}/boards/all`;
    assert.ok((await page(`/github/${engines.name}`)).text.includes(`href="${path}"`));
    const { status, text } = await page(path);
    assert.equal(status, 200, text);
    assert.match(text, /<h2>Ranking<\/h2>/);
    assert.match(text, /role="region" aria-label="Ranking"[^>]*><table[^>]*><thead><tr><th scope="col">Rank<\/th>/);
    const { body } = await service.get(`${engines.name}/boards/all?limit=100`);
    const links = [
      ...text.matchAll(
        new RegExp(
          `<td><a href="(${path}/people/[^"]+)" class="number" aria-describedby="points-tip">([^<]+)</a>`,
          'g',
        ),
      ),
    ];
    assert.deepEqual(
      links.map(([, , points]) => points),
      body.data.map(({ points }) => format(points)),
    );
    assert.equal([...text.matchAll(/class="number" aria-describedby="podium-tip">/g)].length, 3);
    // Its repository is not installed, so that the board is as of no time.
    assert.match(text, /id="points-tip" popover>[^<]* <bdi>Jan 1, 2001 – Dec 31, 2041<\/bdi>(?! · as of )/);
    assert.match(text, /class="podium"/);
    assert.match(text, />Jan 1, 2001 – Dec 31, 2041</);
    assert.match(text, />Complete: 0 of 1 repositor/);
    assert.ok(
      text.includes(`Not completely known yet: \u2068github/${engines.name}/engine-1\u2069 (not installed).`),
      text,
    );
    assert.equal((await page(path.replace('/all', '/ALL'))).status, 200, 'a slug in another letter case');
    assert.match(text, /rel="alternate" type="application\/atom\+xml" title="All of it"/);
    const evidence = await page(links[0]?.[1] ?? assert.fail());
    assert.equal(evidence.status, 200);
    assert.match(evidence.text, /<li><strong>/);
    const [first] = body.data.map((item): { points: number; points_by_rule: { points: number }[] } => Object(item));
    assert.ok(evidence.text.includes(`<span class="total">${format(first?.points)}</span>`), evidence.text);
    assert.deepEqual(
      [...(evidence.text.split(/class="(?:rules|entries)"/)[1] ?? '').matchAll(/class="chip">([^<]*)</g)].map(
        ([, points]) => points,
      ),
      first?.points_by_rule.map(({ points }) => format(points)),
    );
    assert.match(evidence.text, />Jan 1, 2001 – Dec 31, 2041</);
    assert.ok(evidence.text.includes(`href="${path}">All of it</a>`));
    const team = await page(`${path}?team=red`);
    assert.equal([...team.text.matchAll(/<tr><td>/g)].length, 1);
    assert.equal((await page(`${path}?team=blue`)).status, 400);
    assert.equal((await page(`/github/${engines.name}/boards/none`)).status, 404);
  });

  it('chooses frozen seasons of a board by their days, with their own statement and numbers', async () => {
    const { service } = shared;
    await freezeBoards(service, new Date('2042-02-01'));
    const path = `/github/${engines.name}/boards/all`;
    const present = await page(path);
    assert.ok(present.text.includes(`<a href="${path}?season=1">Jan 1, 2001 – Dec 31, 2041</a>`), present.text);
    assert.ok(!present.text.includes('Signed statement'));
    const { text, status } = await page(`${path}?season=1`);
    assert.equal(status, 200, text);
    const { body } = await service.get(`${engines.name}/boards/all/seasons/1?limit=100`);
    const [, table = ''] = text.split('<tbody>');
    assert.deepEqual(
      [...table.matchAll(/aria-describedby="points-tip">([^<]+)<\/a><\/td>/g)].map(([, points]) => points),
      body.data.map(({ points }) => format(points)),
    );
    const [, link = ''] = /href="([^"]+\/people\/[^"]+)"/.exec(table) ?? [];
    assert.match(link, /\?season=1$/);
    const evidence = await page(link);
    assert.ok(evidence.text.includes(`<span class="total">${format(body.data[0]?.['points'])}</span>`), evidence.text);
    assert.ok(evidence.text.includes(`href="${path}?season=1">All of it</a>`), evidence.text);
    assert.ok(evidence.text.includes('?season=1">As data</a>'), evidence.text);
    const api = `/v1/github/entities/${engines.name}/boards/all/seasons/1`;
    assert.ok(text.includes(`href="${api}/statement">Signed statement</a>`));
    assert.ok(text.includes(`href="${api}">As data</a>`));
  });

  it('marks the row of people who are signed in, above the others unless it is one of the first, and for no one else', async () => {
    const path = `/github/${engines.name}/boards/all`;
    const before = await page(path);
    const person = await signIn(shared.service, shared.simulator, 'user');
    const own = await person.get(path);
    const listRows = (text: string): string[] => text.split('<tbody>')[1]?.split('</tbody>')[0]?.split('</tr>') ?? [];
    const isAda = (row: string): boolean => row.includes(`/github/${ada.name}"`);
    const indexOfAda = listRows(before.text).findIndex(isAda);
    const marked = listRows(own.text).flatMap((row, index) => (row.includes('class="own"') ? [index] : []));
    assert.deepEqual(marked, indexOfAda < 10 ? [indexOfAda] : [0, indexOfAda + 1]);
    for (const index of marked) {
      const row = listRows(own.text)[index] ?? '';
      assert.ok(isAda(row) && row.includes('>You<'), row);
    }
    assert.equal(listRows(own.text).length, listRows(before.text).length + (indexOfAda < 10 ? 0 : 1));
    assert.equal(own.headers.get('cache-control'), 'no-store');
    const unranked = await signIn(shared.service, shared.simulator, 'private_owner');
    assert.ok(!(await unranked.get(path)).text.includes('class="own"'));
    const after = await page(path);
    assert.equal(after.text, before.text);
    await person.post('/sign-out', { form_token: formToken(await person.get('/settings')) });
    assert.equal((await person.get(path)).text, before.text);
  });
});
