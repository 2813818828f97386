import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keeper } from '../access/owner.ts';
import { sharedBrowser } from '../cards/browser.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { signInSettings } from './signed-in.ts';

describe('pages in a browser', () => {
  const shared = shareStoredService({ service: { settings: signInSettings } });
  const settings = `/settings/github/${keeper.name}`;

  it('leads from sign-in over publishing private numbers to an embed link, without JavaScript', async () => {
    shared.simulator.signIn.person = 'private_owner';
    const browser = await sharedBrowser();
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 320, height: 800 } });
    const page = await context.newPage();
    await page.goto(`${shared.service.url}${settings}/privacy`);
    await page.click('main a.button');
    await page.waitForURL(`**${settings}/privacy`);
    await page.check('input[name=publish_private_contributions]');
    await page.click('.section form button');
    await page.waitForURL('**/privacy?done');
    const { body } = await shared.service.get(`${keeper.name}/contributions?private=true`);
    assert.equal(body.meta_data.includes_private, true);
    await page.click('nav.sections a[href$="/embeds"]');
    await page.click('.section form button');
    const url = await page.locator('.notice textarea').inputValue();
    assert.equal((await shared.service.get(new URL(url).pathname)).status, 200);
    await page.click('.session button');
    await page.waitForURL(`${shared.service.url}/`);
    await page.goto(`${shared.service.url}${settings}`);
    assert.match(page.url(), /\/sign-in\?/);
    await context.close();
  });
});
