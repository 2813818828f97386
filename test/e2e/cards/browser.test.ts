import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { startSimulator } from '../../../simulators/github/simulator.ts';
import { assertGoldenImage } from '../../unit/cards/golden.ts';
import {
  achievementsOf,
  contributionsOf,
  contributorsOf,
  draw,
  drawSample,
  names,
  sampleNames,
} from '../../unit/cards/samples.ts';
import { startTestService } from '../service.ts';
import { sharedBrowser, showPicture } from './browser.ts';

interface Box {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The browser evaluates this script. */
const boxesOfTexts = `
  [...document.querySelectorAll('svg')].map((svg) => {
    const boxOf = (element) => {
      const { left, right, top, bottom } = element.getBoundingClientRect();
      return { text: element.textContent, left, right, top, bottom };
    };
    return { frame: boxOf(svg), boxes: [...svg.querySelectorAll('text')].map(boxOf) };
  })`;
const colourOfImage = `
  (() => {
    const context = document.createElement('canvas').getContext('2d');
    context.drawImage(document.images[0], 0, 0);
    return [...context.getImageData(200, 10, 1, 1).data];
  })()`;

describe('cards in a browser', () => {
  it('keeps every text inside its card and apart from other texts, in any font and language', async () => {
    const browser = await sharedBrowser();
    const pictures = [
      ...sampleNames.map((name) => drawSample(name)),
      ...Object.values(names).flatMap((display_name) => [
        draw('contributions', contributionsOf({ display_name, name: display_name, value: 1_000_000_000 }), {
          width: 300,
        }),
        draw('contributions', contributionsOf({ display_name, value: 7 }), { locale: 'he', title: display_name }),
      ]),
      ...['de', 'ru', 'ja', 'ar', 'hi', 'id'].flatMap((locale) => [
        draw('contributions', contributionsOf({}, { missing: ['stars'] }), {
          locale,
          show: 'discussions_answered,issues_closed,discussions',
        }),
        draw('contributors', contributorsOf(10, 5), { locale, width: 420 }),
        draw('achievements', achievementsOf(3), { locale, columns: 3 }),
      ]),
    ];
    for (const font of ['Measured', 'sans-serif', 'Arimo']) {
      const page = await showPicture(browser, pictures.map(({ svg }) => svg).join('\n'), { font });
      const all = await page.evaluate<{ frame: Box; boxes: Box[] }[]>(boxesOfTexts);
      assert.equal(all.length, pictures.length);
      for (const { frame, boxes } of all) {
        for (const [index, box] of boxes.entries()) {
          const isInside =
            box.left >= frame.left &&
            box.right <= frame.right &&
            box.top >= frame.top &&
            box.bottom <= frame.bottom + 1;
          assert.ok(isInside, `${font}: ${box.text} leaves its picture`);
          for (const other of boxes.slice(index + 1))
            assert.ok(!overlap(box, other), `${font}: ${box.text} runs into ${other.text}`);
        }
      }
      await page.close();
    }
  });

  it('matches the golden files in a browser, on light and on dark pages', async () => {
    const browser = await sharedBrowser();
    for (const [scheme, scale, shown] of [
      ['light', 1, ['contributions', 'calendar', 'contributors', 'achievements']],
      ['light', 2, ['contributions-wide', 'contributors-he']],
      ['dark', 1, ['calendar', 'contributors-wall', 'achievements-raw', 'calendar-narrow']],
      ['dark', 2, ['contributions', 'community', 'contributions-ar']],
    ] as const) {
      const page = await showPicture(browser, shown.map((name) => drawSample(name).svg).join('\n'), { scheme, scale });
      const whole = await page.screenshot({ fullPage: true });
      const boxes = (await page.evaluate<{ frame: Box }[]>(boxesOfTexts)).map(({ frame }) => frame);
      for (const [index, name] of shown.entries()) {
        const { left = 0, right = 0, top = 0, bottom = 0 } = boxes[index] ?? {};
        const place = { left, top, width: right - left, height: bottom - top };
        const [x, y, width, height] = Object.values(place).map((length) => Math.round(length * scale));
        const picture = sharp(whole).extract({ left: x ?? 0, top: y ?? 0, width: width ?? 0, height: height ?? 0 });
        await assertGoldenImage(`browser-${name}-${scheme}@${scale}x.png`, await picture.png().toBuffer());
      }
      await page.close();
    }
  });

  it('follows the colour scheme of the page that embeds a card, and requests nothing from the network', async () => {
    const browser = await sharedBrowser();
    const picture = Buffer.from(drawSample('contributions').svg).toString('base64');
    const colours: number[][] = [];
    for (const scheme of ['light', 'dark'] as const) {
      const page = await browser.newPage({ colorScheme: scheme, viewport: { width: 500, height: 300 } });
      const requests: string[] = [];
      page.on('request', (request) => void requests.push(request.url()));
      await page.setContent(`<body style="margin:0"><img src="data:image/svg+xml;base64,${picture}" alt="">`);
      await page.waitForFunction('document.images[0]?.complete');
      assert.ok(
        requests.every((url) => url.startsWith('data:')),
        requests.join(' '),
      );
      colours.push(await page.evaluate<number[]>(colourOfImage));
      await page.close();
    }
    assert.deepEqual(colours, [
      [255, 255, 255, 255],
      [13, 17, 23, 255],
    ]);
  });

  it('serves an accessible page that composes cards, with and without JavaScript', async () => {
    await using simulator = await startSimulator({ repositories: 4 });
    await using service = await startTestService({ simulator, settings: { LOOKUP_BUDGET_MS: '500' } });
    const browser = await sharedBrowser();
    const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
    const { user, organization } = simulator.accounts;
    const complaints: string[] = [];
    const open = async (scheme: 'light' | 'dark', width: number): Promise<Page> => {
      const page = await browser.newPage({ colorScheme: scheme, viewport: { width, height: 900 }, bypassCSP: true });
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      await page.goto(`${service.url}/cards?name=${user}`);
      await page.evaluate(axe);
      const violations = await page.evaluate(
        'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes.map(({ html }) => html)))',
      );
      assert.deepEqual(violations, [], scheme);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, 'nothing sticks out');
      return page;
    };
    await (await open('dark', 360)).close();
    const live = await open('light', 1100);
    await live.selectOption('#theme', 'nord');
    await live.locator('.light img[src*="theme=nord"]').waitFor();
    await live.selectOption('#card', 'contributors');
    await live.fill('#name', organization);
    await live.locator('.dark img[src*="contributors"]').waitFor();
    await live.waitForFunction(`document.querySelector('textarea')?.value.includes('${organization}')`);
    const markdown = await live.inputValue('#markdown');
    assert.equal(
      markdown,
      `[![Contributors to ${organization}](${service.url}/v1/github/entities/${organization}/contributors?format=svg&theme=nord)](${simulator.url}/${organization})`,
    );
    await live.close();
    assert.deepEqual(complaints, []);
    const plain = await browser.newContext({ javaScriptEnabled: false });
    const page = await plain.newPage();
    await page.goto(`${service.url}/cards`);
    await page.fill('#name', user);
    await page.selectOption('#theme', 'rose');
    await page.check('input[name=hide][value=level]');
    await page.check('input[name=hide][value=avatar]');
    await page.click('button[type=submit]');
    const address = await page.locator('.light img').getAttribute('src');
    assert.equal(address, `/v1/github/entities/${user}/contributions?format=svg&theme=rose&hide=avatar,level`);
    assert.equal((await service.get(address)).status, 200);
    assert.equal(await page.locator('button.copy').first().isVisible(), false);
  });
});

/**
 * Returns whether two boxes overlap by more than a few pixels, because the boxes of lines are higher than their
 * letters.
 */
function overlap(one: Box, other: Box): boolean {
  const lines = 6;
  return (
    one.left < other.right - 1 &&
    other.left < one.right - 1 &&
    one.top < other.bottom - lines &&
    other.top < one.bottom - lines
  );
}
