import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { sharedBrowser } from '../cards/browser.ts';
import { shareStoredService } from '../http/stored-service.ts';

describe('the composer page', () => {
  const shared = shareStoredService();

  it('serves a page that composes cards, with and without JavaScript, and runs only its own files', async () => {
    const { service, simulator } = shared;
    const browser = await sharedBrowser();
    const { user, organization } = simulator.accounts;
    const complaints: string[] = [];
    const open = async (scheme: 'light' | 'dark', width: number, query = `name=${user}`): Promise<Page> => {
      const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 900 }, bypassCSP: true });
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.goto(`${service.url}/cards?${query}`);
      return page;
    };
    // On phones the example is above the form, in the reader's language and direction, until an account is named.
    const phone = await open('dark', 320, 'lang=ar&card=languages');
    assert.equal(await phone.locator('.light img').getAttribute('src'), '/gallery/languages.svg?theme=auto&locale=ar');
    const top = async (selector: string): Promise<number> => (await phone.locator(selector).boundingBox())?.y ?? -1;
    assert.ok((await top('.previews')) < (await top('#form')));
    await phone.fill('#name', user);
    await phone.uncheck('input[name=border]:not([type=hidden])');
    await phone.locator('.light img[src*="border=false"]').waitFor();
    assert.ok((await top('#form')) < (await top('#markdown')));
    // The card keeps the size of its letters, and stays in sight while its form is filled in.
    assert.match(await phone.evaluate<string>("document.querySelector('.light img').currentSrc"), /[?&]width=320(&|$)/);
    await phone.focus('#radius');
    const preview = await phone.locator('.previews').boundingBox();
    assert.ok(preview !== null && preview.y >= 0 && preview.y + preview.height <= (await top('#radius')), 'in sight');
    // The address has all of the form, so that it can be shared.
    await phone.waitForURL((url) => url.searchParams.get('name') === user && url.searchParams.get('lang') === 'ar');
    await phone.reload();
    assert.equal(await phone.isChecked('input[name=border]:not([type=hidden])'), false);
    assert.match((await phone.locator('.warning').textContent()) ?? '', /PUBLIC_URL/);
    assert.equal(await phone.locator('textarea').count(), 5);
    await phone.close();
    const live = await open('light', 1100);
    await live.check('input[name=theme][value=nord]');
    await live.locator('.light img[src*="theme=nord"]').waitFor();
    await live.selectOption('#card', 'contributors');
    await live.fill('#name', organization);
    await live.locator('.dark img[src*="contributors"]').waitFor();
    await live.waitForFunction(`document.querySelector('textarea')?.value.includes('${organization}')`);
    const markdown = await live.inputValue('#markdown');
    assert.equal(
      markdown,
      `[![Contributors: ${organization}](${service.url}/v1/github/entities/${organization}/contributors?format=svg&theme=nord)](${simulator.url}/${organization})`,
    );
    await live.selectOption('#card', 'languages');
    await live.fill('#hide', 'c++, html');
    await live.uncheck('input[name=part][value=bar]');
    await live.locator('.light img[src*="hide=bar,c%2B%2B,html"]').waitFor();
    await live.reload();
    assert.equal(await live.inputValue('#hide'), 'c++, html');
    await live.close();
    assert.deepEqual(complaints, []);
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const page = await plain.newPage();
    await page.goto(`${service.url}/cards`);
    await page.fill('#name', user);
    await page.check('input[name=theme][value=rose]');
    await page.uncheck('input[name=part][value=level]');
    await page.uncheck('input[name=part][value=avatar]');
    await page.check('input[name=part][value=pull_requests_merged]');
    await page.click('#form button[type=submit]');
    const address = await page.locator('.light img').getAttribute('src');
    assert.equal(
      address,
      `/v1/github/entities/${user}/contributions?format=svg&theme=rose&hide=avatar,level&show=pull_requests_merged`,
    );
    assert.equal((await service.get(address)).status, 200);
    assert.equal(await page.locator('button.copy').first().isVisible(), false);

    // A repeated field of the form is a list, and a colour may begin with `#`.
    const { status, headers, text } = await service.get(
      `/cards?name=${user}&hide=level&hide=avatar&accent_color=%23ff0000`,
    );
    assert.equal(status, 200);
    assert.match(
      headers.get('content-security-policy') ?? '',
      /default-src 'none';.*script-src 'self';.*frame-ancestors 'none'/,
    );
    assert.ok(text.includes('contributions?format=svg&amp;accent_color=ff0000&amp;hide=level,avatar'));
    for (const [, file] of text.matchAll(/(?:src|href)="(\/cards\/[^"]+)"/g)) {
      assert.equal((await service.get(file ?? '')).status, 200, file);
    }
    assert.equal((await service.get('/cards/../../package.json')).status, 404);
  });

  it('gives a trend the windows from which it is drawn', async () => {
    const { service, simulator } = shared;
    const findAddress = async (query: string): Promise<string> => {
      const { text } = await service.get(`/cards?name=${simulator.accounts.user}&card=contributions&${query}`);
      return /\/contributions\?[^"]*/.exec(text)?.[0].replaceAll('&amp;', '&') ?? assert.fail(text);
    };
    const trend = 'parts=contributions&part=trend';
    for (const [query, expected] of [
      [trend, 'limit=12&period=this-month'],
      ['show=trend', 'limit=12&period=this-month'],
      [`${trend}&limit=1`, 'limit=12&period=this-month'],
      [`${trend}&period=this-week&limit=6`, 'limit=6&period=this-week'],
      [`${trend}&since=2026-01-01&until=2026-01-31`, 'limit=12&since=2026-01-01&until=2026-01-31'],
    ]) {
      const address = await findAddress(query ?? '');
      assert.ok(address.includes(`${expected}&`) && address.includes('show=trend'), address);
    }
    assert.doesNotMatch(await findAddress('parts=contributions&part=level'), /period|limit/);
  });
});
