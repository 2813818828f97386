import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { ada, engines, keeper } from '../access/owner.ts';
import { award } from '../achievements/award.ts';
import { sharedBrowser } from '../cards/browser.ts';
import { shareStoredService } from '../http/stored-service.ts';
import { signInSettings } from './signed-in.ts';
import { storeBoard } from './stored-board.ts';

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

  it('is accessible, fits a narrow screen, and breaks no policy, in both directions of writing', async () => {
    shared.simulator.signIn.person = 'private_owner';
    const browser = await sharedBrowser();
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const page = await context.newPage();
    const awardId = await award(shared.service, 'Shown');
    await storeBoard(shared.service, shared.simulator);
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(`${page.url()} ${message.text()}`);
    });
    await page.goto(`${shared.service.url}/sign-in`);
    await examine(page, axe, 'sign-in');
    await page.click('main a.button');
    await page.waitForURL('**/settings');
    // The form leads on to the sign-in of the host, which the policy permits.
    await page.fill('input[name=organization]', 'nobody-at-all');
    await page.click('section form[method=get] button');
    await page.waitForURL('**/settings?refused=1');
    for (const [path, colorScheme, width] of [
      ['/settings', 'light', 1280],
      [`${settings}/overview?lang=ar`, 'dark', 320],
      [`${settings}/privacy?lang=de`, 'light', 320],
      [`${settings}/access`, 'dark', 1280],
      [`${settings}/embeds?lang=he`, 'light', 1280],
      [`${settings}/notifications`, 'light', 320],
      [`${settings}/audit?lang=ru`, 'dark', 320],
      [`${settings}/data`, 'light', 1280],
      [`/github/${ada.name}/contributions/commits?lang=ar`, 'dark', 320],
      [`/github/${ada.name}/achievements/${awardId}`, 'light', 320],
      [`/github/${engines.name}/boards/all?lang=de`, 'light', 320],
      [`/github/${engines.name}/boards/all`, 'dark', 1280],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      await page.goto(`${shared.service.url}${path}`, { waitUntil: 'networkidle' });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${path} at ${width} px`);
      await examine(page, axe, path);
    }
    assert.deepEqual(complaints, []);
    await context.close();
  });
});

async function examine(page: Page, axe: string, path: string): Promise<void> {
  await page.evaluate(axe);
  const violations = await page.evaluate(
    'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes.map(({ html }) => html)))',
  );
  assert.deepEqual(violations, [], path);
  const { SCREENSHOTS: directory } = process.env;
  if (directory !== undefined) {
    const name = path.replace(/[^\w]+/g, '-');
    await page.screenshot({ path: `${directory}/${name}.png`, fullPage: true });
  }
}
