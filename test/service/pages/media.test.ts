import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sampled } from '../../depth.ts';
import { ada, engines } from '../../integration/access/owner.ts';
import { award } from '../achievements/award.ts';
import { sharedBrowser } from '../cards/browser.ts';
import { shareStoredService } from '../http/stored-service.ts';

/** Returns a computed property of the first element that matches. */
const findStyle = (page: Page, selector: string, property: string): Promise<string> =>
  page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(selector)}))[${JSON.stringify(property)}]`);

describe('pages in other media than a screen with its own colours', () => {
  const shared = shareStoredService();
  const community = `/github/${engines.name}`;

  it('show buttons, cells and the chosen window by borders and colours of the system where colours are forced', async () => {
    const browser = await sharedBrowser();
    const page = await browser.newPage({ forcedColors: 'active' });
    await page.goto(`${shared.service.url}${community}`);
    for (const selector of ['.button', '.search button', '.counters div']) {
      assert.equal(await findStyle(page, selector, 'borderTopStyle'), 'solid', selector);
    }
    const [chosen, other] = [
      await findStyle(page, '.picker a[aria-current]', 'backgroundColor'),
      await findStyle(page, '.picker a:not([aria-current])', 'backgroundColor'),
    ];
    assert.notEqual(chosen, other);
    await page.close();
  });

  it('print their content in light colours, without links to other pages and forms', async () => {
    const browser = await sharedBrowser();
    const page = await browser.newPage({ colorScheme: 'dark' });
    await page.goto(`${shared.service.url}${community}`);
    const dark = await findStyle(page, 'body', 'backgroundColor');
    await page.emulateMedia({ media: 'print' });
    assert.notEqual(await findStyle(page, 'body', 'backgroundColor'), dark);
    const seen = (selector: string): Promise<boolean> =>
      page.evaluate(
        `[...document.querySelectorAll(${JSON.stringify(selector)})].some((found) => found.checkVisibility())`,
      );
    for (const hidden of ['header nav', '.search', '.languages', '.button', 'form', '.picker a:not([aria-current])']) {
      assert.equal(await seen(hidden), false, hidden);
    }
    for (const kept of ['h1', '.brand', '.counters', '.people', '.picker a[aria-current]', '.note']) {
      assert.equal(await seen(kept), true, kept);
    }
    await page.close();
  });

  it('print the calendar that the screen shows, because browsers do not wait for another one', async () => {
    const { service } = shared;
    const browser = await sharedBrowser();
    const page = await browser.newPage({ viewport: { width: 1000, height: 900 } });
    await page.goto(`${service.url}/github/${ada.name}`);
    const shown = `document.querySelector('img.calendar').currentSrc`;
    const onScreen = await page.evaluate<string>(shown);
    await page.emulateMedia({ media: 'print' });
    const paper = { width: 700, height: 1000 };
    await page.setViewportSize(paper);
    await page.waitForFunction(`innerWidth === ${paper.width}`);
    assert.equal(await page.evaluate(shown), onScreen);
    await page.close();
  });

  it('have letters of twice the size where a reader sets it, and still fit', async () => {
    const browser = await sharedBrowser();
    const page = await browser.newPage({ bypassCSP: true, viewport: { width: 640, height: 900 } });
    const paths = ['/', `/github/${ada.name}`, community, '/cards?card=streak', '/docs/boards', '/sign-in'];
    for (const path of sampled(paths, 2)) {
      await page.goto(`${shared.service.url}${path}`);
      const before = await page.evaluate<string[]>(sizes);
      await page.addStyleTag({ content: ':root { font-size: 200% }' });
      assert.deepEqual(
        await page.evaluate<string[]>(sizes),
        before.map((size) => `${2 * Number.parseFloat(size)}px`),
        path,
      );
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 640, path);
    }
    await page.close();
  });

  it('show the icon of a rare award in a rim of the metal that cards have', async () => {
    const { service } = shared;
    const awardId = await award(service, 'Rare', { repository: 'engine-1' });
    const browser = await sharedBrowser();
    const page = await browser.newPage();
    const response = await page.goto(`${service.url}/github/${ada.name}/achievements/${awardId}`);
    assert.equal(response?.status(), 200);
    const icon = '.award img.rim.gold';
    assert.equal(await findStyle(page, icon, 'borderTopColor'), 'rgb(191, 135, 0)');
    const padding = Number.parseFloat(await findStyle(page, icon, 'paddingLeft'));
    assert.ok((await page.evaluate<number>(`document.querySelector('${icon}').clientWidth`)) - 2 * padding >= 80);
    const holders = await page.getAttribute('.facts a.number', 'href');
    for (const path of [holders ?? '', `${community}/engine-1`, `/github/${ada.name}`]) {
      await page.goto(`${service.url}${path}`);
      assert.equal(await page.locator('img.rim.gold').count(), 1, path);
    }
    await page.close();
  });
});

/** The sizes of texts of several kinds. */
const sizes = `[...document.querySelectorAll('p, h1, h2, label, input, code, dd, small, .note')].slice(0, 80)
  .filter((element) => !element.matches('h1')).map((element) => getComputedStyle(element).fontSize)`;
