import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { sampled } from '../../depth.ts';
import { assertGoldenImage } from '../../unit/cards/golden.ts';
import { makeAchievements, makeContributions, makeContributors, names } from '../../unit/cards/inputs.ts';
import { draw, drawSample, sampleNames } from '../../unit/cards/samples.ts';
import { sharedBrowser, showImage } from './browser.ts';

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
        draw('contributions', makeContributions({ display_name, name: display_name, value: 1_000_000_000 }), {
          width: 300,
        }),
        draw('contributions', makeContributions({ display_name, value: 7 }), { locale: 'he', title: display_name }),
      ]),
      ...['de', 'ru', 'ja', 'ar', 'hi', 'id'].flatMap((locale) => [
        draw('contributions', makeContributions({}, { missing: ['stars'] }), {
          locale,
          show: 'discussions_answered,issues_closed,discussions',
        }),
        draw('contributors', makeContributors(10, 5), { locale, width: 420 }),
        draw('achievements', makeAchievements(3), { locale, columns: 3 }),
      ]),
    ];
    for (const font of ['Measured', 'sans-serif', 'Arimo']) {
      const page = await showImage(browser, pictures.map(({ svg }) => svg).join('\n'), { font });
      const all = await page.evaluate<{ frame: Box; boxes: Box[] }[]>(boxesOfTexts);
      assert.equal(all.length, pictures.length);
      for (const { frame, boxes } of all) {
        for (const [index, box] of boxes.entries()) {
          const isInside =
            box.left >= frame.left &&
            box.right <= frame.right &&
            box.top >= frame.top &&
            box.bottom <= frame.bottom + 1;
          assert.ok(isInside, `${font}: ${box.text} is outside of its card`);
          for (const laterBox of boxes.slice(index + 1))
            assert.ok(!overlap(box, laterBox), `${font}: ${box.text} runs into ${laterBox.text}`);
        }
      }
      await page.close();
    }
  });

  it('matches the golden files in a browser, on light and on dark pages', async () => {
    const browser = await sharedBrowser();
    const groups = [
      ['light', 1, ['contributions', 'calendar', 'contributors', 'achievements']],
      ['light', 2, ['contributions-wide', 'contributors-he']],
      ['dark', 1, ['calendar', 'contributors-wall', 'achievements-raw', 'calendar-narrow']],
      ['dark', 2, ['contributions', 'community', 'contributions-ar']],
    ] as const;
    for (const [scheme, scale, sampleNames] of sampled(groups, 3)) {
      const page = await showImage(browser, sampleNames.map((name) => drawSample(name).svg).join('\n'), {
        scheme,
        scale,
      });
      const screenshot = await page.screenshot({ fullPage: true });
      const boxes = (await page.evaluate<{ frame: Box }[]>(boxesOfTexts)).map(({ frame }) => frame);
      for (const [index, name] of sampleNames.entries()) {
        const { left = 0, right = 0, top = 0, bottom = 0 } = boxes[index] ?? {};
        const box = { left, top, width: right - left, height: bottom - top };
        const [x, y, width, height] = Object.values(box).map((length) => Math.round(length * scale));
        const picture = sharp(screenshot).extract({
          left: x ?? 0,
          top: y ?? 0,
          width: width ?? 0,
          height: height ?? 0,
        });
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
});

/**
 * Returns whether two boxes overlap by more than a few pixels, because the boxes of lines are higher than their
 * letters.
 */
function overlap(left: Box, right: Box): boolean {
  const lines = 6;
  return (
    left.left < right.right - 1 &&
    right.left < left.right - 1 &&
    left.top < right.bottom - lines &&
    right.top < left.bottom - lines
  );
}
