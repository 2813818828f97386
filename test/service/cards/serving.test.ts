import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import sharp from 'sharp';
import { avatar } from '../../../simulators/github/avatar.ts';
import type { TestService } from '../../e2e/service.ts';
import { shareService } from '../../e2e/shared-service.ts';
import { ada, bearer, jsonRequest, keeper, serviceToken } from '../../integration/access/owner.ts';
import { storeAbsent, storeAbsentRepositories } from '../../integration/http/stored-world.ts';
import { serve } from '../../unit/outbound/receiver.ts';
import { award } from '../achievements/award.ts';
import { startStoredService, storedRepositories } from '../http/stored-service.ts';

const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

describe('responses with cards', () => {
  const requestedIcons: string[] = [];
  let icons: Awaited<ReturnType<typeof serve>> | undefined;
  // The service reads private data, and shows it only to its owners.
  const shared = shareService({
    simulator: { repositories: storedRepositories },
    start: async (simulator) => {
      icons = await serve((request, response) => {
        requestedIcons.push(request.url ?? '');
        if (request.url === '/gold.png') response.writeHead(200, { 'content-type': 'image/png' }).end(avatar(4));
        else response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg onload="alert(1)"/>');
      });
      const settings = { OUTBOUND_ALLOW: icons.host, LOOKUP_BUDGET_MS: '1000' };
      const service = await startStoredService({ simulator, holdsWorld: true, tokens: ['private_owner'], settings });
      const { connection, pool } = service.database;
      await pool.query(`update accounts set avatar_url = $1 || '/avatars/u/' || external_id`, [simulator.url]);
      await storeAbsent(connection, ['no-such-account']);
      await storeAbsentRepositories(connection, keeper.name, ['diary']);
      return service;
    },
  });
  after(() => icons?.[Symbol.asyncDispose]());

  it('serves the same card for addresses with the same meaning, and as PNG of any scale', async () => {
    const { simulator, service } = shared;
    const { user, organization } = simulator.accounts;
    const first = await service.get(`${user}/contributions?format=svg&hide=level,avatar`);
    const requests = simulator.requests.length;
    for (const same of [
      `${user}/contributions?hide=avatar,level&format=svg`,
      `${user}/contributions?format=svg&hide=avatar,level,&theme=auto&locale=en&radius=8&border=true`,
      `${user.toUpperCase()}/contributions?format=svg&hide=avatar,level&v=${Math.PI}`,
      `${user}/contributions?format=svg&hide=avatar,level&card=contributions&animation=none`,
    ]) {
      for (let round = 0; round < 2; round += 1) {
        const { status, headers } = await service.get(same);
        assert.deepEqual([status, headers.get('etag')], [200, first.headers.get('etag')], same);
      }
    }
    assert.notEqual(
      (await service.get(`${user}/contributions?format=svg`)).headers.get('etag'),
      first.headers.get('etag'),
    );
    assert.equal(simulator.requests.length, requests);

    const dracula = `${user}/contributions?theme=dracula&width=400`;
    const [single, three] = await Promise.all(
      [1, 3].map((scale) => fetchBytes(service, `${dracula}&format=png&scale=${scale}`)),
    );
    assert.deepEqual([single?.type, three?.type], ['image/png', 'image/png']);
    const [small, large] = [await sharp(single?.bytes).metadata(), await sharp(three?.bytes).metadata()];
    assert.deepEqual([small.width, large.width, large.height], [400, 1200, 3 * small.height]);
    const { data } = await sharp(single?.bytes)
      .extract({ left: 200, top: 5, width: 1, height: 1 })
      .raw()
      .toBuffer({ resolveWithObject: true });
    assert.deepEqual([...data.subarray(0, 3)], [0x28, 0x2a, 0x36]);
    await service.getComplete(`${organization}/contributors`);
    const huge = await fetchBytes(
      service,
      `${organization}/contributors?format=png&scale=4&limit=100&columns=1&width=1200`,
    );
    const { width, height } = await sharp(huge.bytes).metadata();
    assert.ok(width * height <= 16_100_000 && width > 600, `${width} ${height}`);
    // Concurrent requests wait in a queue; those beyond its limit get a 429.
    const many = await Promise.all(
      Array.from({ length: 75 }, (_, index) =>
        fetchBytes(service, `${organization}/badges/community?format=png&title=${index}`),
      ),
    );
    assert.ok(many.every(({ status }) => status === 200 || status === 429));
    assert.ok(many.filter(({ status }) => status === 200).length >= 60);
  });

  it('draws contributors, the calendar of a year, and achievements with icons that are requested once', async () => {
    const { simulator, service } = shared;
    const { organization } = simulator.accounts;
    const people = await service.getComplete(`${organization}/contributors?bots=false&limit=100`);
    const contributorsCard = await service.getComplete(`${organization}/contributors?limit=100`);
    const drawn = await service.get(`${organization}/contributors?format=svg&limit=3`);
    assert.equal(drawn.text.match(/<image /g)?.length, 3);
    assert.ok(drawn.text.includes(`>+${people.body.data.length - 3} more<`), drawn.text);
    assert.ok(contributorsCard.body.data.length > people.body.data.length);
    const bots = await service.get(`${organization}/contributors?format=svg&limit=3&bots=true`);
    assert.ok(bots.text.includes(`>+${contributorsCard.body.data.length - 3} more<`));
    const last = await service.get(`${organization}/contributors?format=svg&limit=100`);
    assert.doesNotMatch(last.text, / more</);
    const badge = await service.get(`${organization}/badges/community`);
    assert.ok(badge.text.includes(`>${people.body.data.length} contributors · without bots<`), badge.text);
    assert.match(badge.text, /height="20"/);

    const calendar = await service.get(`${organization}/contributions?format=svg&card=calendar`);
    assert.equal(calendar.status, 200);
    const { rows } = await service.database.pool.query<{ total: string }>(
      `select coalesce(sum(commits + issues + pull_requests + reviews + discussions), 0) as total
    from contribution_days d join repositories r on r.id = d.repository_id join accounts a on a.id = r.owner_id
    where a.name = $1 and not r.is_private and d.day > current_date - 365`,
      [organization],
    );
    assert.ok(
      calendar.text.includes(`>${Number(rows[0]?.total).toLocaleString('en')} contributions in the last year<`),
      calendar.text.slice(0, 1500),
    );

    const path = `${ada.name}/achievements`;
    assert.match((await service.get(`${path}?format=svg`)).text, />No achievements yet</);
    await award(service, 'Gold', { icon: `${icons?.url}/gold.png` });
    await award(service, 'Drawn', { icon: `${icons?.url}/drawn.svg` });
    await award(service, 'Own', { icon: 'icons/nowhere.png' });
    await award(service, 'Plain', { icon: '' });
    await award(service, 'Inside', { icon: 'http://169.254.169.254/latest/meta-data/' });
    const { text } = await service.get(`${path}?format=svg&v=1`);
    assert.equal(text.match(/<image /g)?.length, 1);
    assert.equal(text.match(/<circle class="t"/g)?.length, 4);
    for (const expected of ['>Gold<', '>Plain<', '>Mar 1, 2026<', '>Held by 1<'])
      assert.ok(text.includes(expected), expected);
    const raw = await service.get(`${path}?format=svg&raw=true`);
    assert.deepEqual([raw.status, raw.text.match(/<image /g)?.length], [200, 1]);
    assert.doesNotMatch(raw.text, /<text|<rect/);
    assert.deepEqual(requestedIcons.toSorted(), ['/drawn.svg', '/gold.png']);

    const png = await fetch(`${service.url}/v1/github/entities/${path}?format=png&raw=true&scale=2`);
    const { width, height, hasAlpha } = await sharp(Buffer.from(await png.arrayBuffer())).metadata();
    assert.deepEqual([width, height, hasAlpha], [2 * (5 * 56 - 12), 88, true]);
    for (const format of ['svg', 'json']) {
      const wrong = await service.get(`${path}?format=${format}&raw=maybe`);
      assert.equal(wrong.status, format === 'svg' ? 200 : 400);
      assert.match(wrong.text, /raw must be/);
    }
    assert.deepEqual(
      (await service.get(`${path}?format=svg&raw=false`)).headers.get('etag'),
      (await service.get(`${path}?format=svg`)).headers.get('etag'),
    );
  });

  it('draws an error where an image is requested, with status 200 and the code of the error', async () => {
    const { simulator, service } = shared;
    const { user, organization } = simulator.accounts;
    for (const [path, code, title] of [
      [`${user}/contributions?format=svg&theme=pink`, 3, 'Something in the address is wrong'],
      [`${user}/contributions?format=svg&theme=darcula`, 3, 'did you mean dracula?'],
      [`${user}/contributions?format=svg&theme=darcula&locale=de-AT`, 3, 'theme: Ist dracula gemeint?'],
      ['no-such-account/contributions?format=svg&locale=fr', 2, 'Ce compte n’existe pas chez ce fournisseur.'],
      [`${user}/contributions?format=svg&titel=Me`, 3, 'titel: did you mean title?'],
      [`${user}/contributions?format=svg&accent_color=red`, 3, 'hexadecimal digits'],
      [`${user}/contributions?format=svg&hide=levels`, 3, 'hide: did you mean level? hide must be one of avatar'],
      [`${user}/contributions?format=svg&width=10`, 3, 'width must be'],
      [`${user}/contributions?format=svg&locale=de-AT&limit=0`, 3, 'Etwas an der Adresse'],
      [`${user}/contributions?format=svg&card=piechart`, 3, 'contributions, calendar'],
      [`${organization}/contributors?format=svg&bots=maybe`, 3, 'bots must be'],
      [`${organization}/badges/community?format=gif`, 3, 'Something in the address is wrong'],
      ['no-such-account/contributions?format=svg', 2, 'Not found'],
      ['-impossible-/contributors?format=svg', 2, 'Not found'],
      [`${organization}/badges/community?scale=9`, 3, 'Something in the address is wrong'],
      [`${organization}/badges/community?scal=2`, 3, 'Something in the address is wrong'],
    ] as const) {
      const { status, headers, text } = await service.get(path);
      assert.deepEqual([status, headers.get('x-error-code')], [200, String(code)], path);
      assert.match(headers.get('content-type') ?? '', /^image\/svg\+xml/, path);
      assert.ok(text.includes(title), `${path} ${text}`);
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('etag'), null);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('content-security-policy'), policy);
    }
    const refused = await service.get(`${user}/contributions?format=svg`, bearer('not.a.token'));
    assert.deepEqual([refused.status, refused.headers.get('x-error-code')], [401, '4']);
    const png = await fetchBytes(service, `${user}/contributions?format=png&theme=pink`);
    assert.deepEqual([png.status, png.type], [200, 'image/png']);
    assert.equal((await sharp(png.bytes).metadata()).width, 480);
    const sharper = await fetchBytes(service, `${user}/contributions?format=png&theme=pink&scale=2`);
    assert.equal((await sharp(sharper.bytes).metadata()).width, 960);
  });

  it('keeps private cards private with any card options', async () => {
    const { simulator, service } = shared;
    const token = await serviceToken(service, simulator, keeper);
    const path = `${keeper.name}/contributions?private=true&theme=nord&hide=avatar`;
    await service.getComplete(`${keeper.name}/contributions?private=true`, bearer(token));
    const own = await service.get(`${path}&format=svg`, bearer(token));
    const open = await service.get(`${path}&format=svg`);
    assert.match(own.text, />Public and private contributions/);
    assert.match(open.text, />Public contributions/);
    assert.equal(own.headers.get('cache-control'), 'private, no-store');
    assert.equal((await service.get(`${path}&format=svg&v=2`)).text, open.text);

    const picture = `/v1/github/entities/${path}&scale=2`;
    const created = await service.get(
      `${keeper.name}/embeds`,
      jsonRequest('POST', token, { path: picture, format: 'png' }),
    );
    assert.equal(created.status, 201);
    const { url } = (JSON.parse(created.text) as { data: { url: string } }).data;
    const image = await fetch(url);
    assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/png']);
    assert.equal((await sharp(Buffer.from(await image.arrayBuffer())).metadata()).width, 960);
    const badge = `/v1/github/entities/${keeper.name}/repositories/diary/badges/community`;
    assert.equal((await service.get(badge)).headers.get('x-error-code'), '2');
    const badgeLink = await service.get(
      `${keeper.name}/embeds`,
      jsonRequest('POST', token, { path: badge, format: 'svg' }),
    );
    const opened = await fetch((JSON.parse(badgeLink.text) as { data: { url: string } }).data.url);
    assert.deepEqual([opened.status, opened.headers.get('content-type')], [200, 'image/svg+xml; charset=utf-8']);
  });
});

async function fetchBytes(
  service: TestService,
  path: string,
): Promise<{ status: number; type: string; bytes: Buffer }> {
  const headers = { accept: 'image/*' };
  const response = await fetch(`${service.url}/v1/github/entities/${path}`, { headers });
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}
