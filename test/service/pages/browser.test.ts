import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ada, engines, keeper } from '../../integration/access/owner.ts';
import { sharedBrowser } from '../cards/browser.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { signInSettings } from './signed-in.ts';
import { storeBoard } from './stored-board.ts';

describe('pages in a browser', () => {
  const shared = shareStoredService({ service: { settings: signInSettings } });
  const settings = `/settings/github/${keeper.name}`;

  it('explains a number while the pointer or the focus is on it, until Escape', async () => {
    const browser = await sharedBrowser();
    const context = await browser.newContext({ viewport: { width: 1000, height: 900 } });
    const page = await context.newPage();
    await page.goto(`${shared.service.url}/github/${engines.name}`, { waitUntil: 'domcontentloaded' });
    const away = page.locator('h1');
    for (const [number, tip] of [
      ['.counters .number', '#commits-tip'],
      ['.people .number', '#people-tip'],
    ] as const) {
      const openTip = page.locator(`${tip}:popover-open`);
      const link = page.locator(number).first();
      await link.hover();
      await openTip.waitFor();
      const [text, box] = [await openTip.boundingBox(), await link.boundingBox()];
      assert.ok(text !== null && box !== null);
      assert.ok(text.y + text.height <= box.y && text.x >= 0 && text.x + text.width <= 1000, 'above the number');
      await openTip.hover();
      await page.keyboard.press('Escape');
      await openTip.waitFor({ state: 'hidden' });
      await away.hover();
      await link.hover();
      await openTip.waitFor();
      await away.hover();
      await openTip.waitFor({ state: 'hidden' });
      // Browsers show the focus once the keyboard was used.
      await link.focus();
      await openTip.waitFor();
      await page.keyboard.press('Escape');
      await openTip.waitFor({ state: 'hidden' });
      assert.equal(await page.locator(`${number}:focus`).count(), 1, 'the focus stays');
    }
    await context.close();
  });

  it('shows the texts about numbers in their places without JavaScript', async () => {
    const browser = await sharedBrowser();
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${shared.service.url}/github/${engines.name}`);
    for (const tip of ['#commits-tip', '#people-tip', '#experience-tip'])
      assert.ok(await page.locator(tip).isVisible());
    await context.close();
  });

  it('shows points of boards beside long names, and the whole year, on a phone without moving them', async () => {
    await storeBoard(shared.service, shared.simulator);
    const { service, database } = shared.service;
    await database.pool.query(
      `update accounts set display_name = 'Wolfeschlegelsteinhausenbergerdorffwelchevoralternwaren ' || name
       where id in (select account_id from board_ranks where is_ranked and until_version is null)`,
    );
    await database.pool.query(`insert into announcements (kind, key) select 'account', id from accounts`);
    await service.catchUp();
    const browser = await sharedBrowser();
    const context = await browser.newContext({ viewport: { width: 320, height: 800 } });
    const page = await context.newPage();
    for (const lang of ['en', 'ru', 'ar']) {
      await page.goto(`${shared.service.url}/github/${engines.name}/boards/all?lang=${lang}`);
      const boxes = await Promise.all(
        (await page.locator('.ranks .number').all()).map((number) => number.boundingBox()),
      );
      assert.ok(boxes.length > 0);
      for (const box of boxes) assert.ok(box !== null && box.x >= 0 && box.x + box.width <= 320, lang);
    }
    const preview = /og:image" content="[^"]*boards\/all\?limit=5&amp;/;
    assert.match(await page.content(), preview, 'more people would be too small in the preview of a link');
    for (const path of [`/github/${ada.name}/contributions/commits`, `/github/${engines.name}/boards/all`]) {
      await page.goto(`${shared.service.url}${path}`);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, path);
    }
    const calendar = page.waitForRequest(/card=calendar/);
    await page.goto(`${shared.service.url}/github/${engines.name}`);
    await page.locator('.calendar').scrollIntoViewIfNeeded();
    assert.match((await calendar).url(), /[?&]width=320&/);
    await context.close();
  });

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
