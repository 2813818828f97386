import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { avatar } from '../../../simulators/github/avatar.ts';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { ada } from '../../integration/access/owner.ts';
import { serve } from '../../unit/outbound/receiver.ts';
import { award } from '../achievements/award.ts';
import { startTestService } from '../service.ts';

describe('the achievements card', () => {
  it('draws each achievement with its icon, requested once, or with a medal if the icon cannot be drawn', async () => {
    const requested: string[] = [];
    await using icons = await serve((request, response) => {
      requested.push(request.url ?? '');
      if (request.url === '/gold.png') response.writeHead(200, { 'content-type': 'image/png' }).end(avatar(4));
      else response.writeHead(200, { 'content-type': 'image/svg+xml' }).end('<svg onload="alert(1)"/>');
    });
    await using simulator = await startSimulator({ repositories: 4 });
    await using service = await startTestService({ simulator, settings: { OUTBOUND_ALLOW: icons.host } });
    const path = `${ada.name}/achievements`;
    assert.match((await service.get(`${path}?format=svg`)).text, />Nothing yet</);
    await award(service, 'Gold', { icon: `${icons.url}/gold.png` });
    await award(service, 'Drawn', { icon: `${icons.url}/drawn.svg` });
    await award(service, 'Own', { icon: 'icons/nowhere.png' });
    await award(service, 'Plain', { icon: '' });
    await award(service, 'Inside', { icon: 'http://169.254.169.254/latest/meta-data/' });
    const { text } = await service.get(`${path}?format=svg&v=1`);
    assert.equal(text.match(/<image /g)?.length, 1);
    assert.equal(text.match(/<circle class="t"/g)?.length, 4);
    for (const expected of ['>Gold<', '>Plain<', '>Mar 1, 2026<']) assert.ok(text.includes(expected), expected);
    const raw = await service.get(`${path}?format=svg&raw=true`);
    assert.deepEqual([raw.status, raw.text.match(/<image /g)?.length], [200, 1]);
    assert.doesNotMatch(raw.text, /<text|<rect/);
    assert.deepEqual(requested.toSorted(), ['/drawn.svg', '/gold.png']);

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
});
