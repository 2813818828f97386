import { readFileSync } from 'node:fs';
import { after } from 'node:test';
import chromium from '@sparticuz/chromium';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';

/** A real browser that shows pages, with the bundled font in the place of the machine's. */

const faces = (
  [
    ['400', '400Regular'],
    ['600', '600SemiBold'],
  ] as const
).map(([weight, name]) => {
  const file = new URL(`../../node_modules/@expo-google-fonts/noto-sans/${name}/NotoSans_${name}.ttf`, import.meta.url);
  const data = readFileSync(file).toString('base64');
  return `@font-face{font-family:Measured;font-weight:${weight};src:url(data:font/ttf;base64,${data})}`;
});

let started: Promise<Browser> | undefined;
after(async () => (await started)?.close());

/** One for all tests of a file; it ends with them. */
export function sharedBrowser(): Promise<Browser> {
  started ??= startBrowser();
  return started;
}

async function startBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    // Made for a machine with room for one process; pages end together there.
    args: chromium.args.filter((one) => one !== '--single-process' && one !== '--no-zygote'),
    headless: true,
  });
}

/** A page that shows pictures, as parts of it. @param font a family of the machine; default: the measured one. */
export async function showPicture(
  browser: Browser,
  svg: string,
  { scheme = 'light', scale = 1, font = 'Measured' }: { scheme?: 'light' | 'dark'; scale?: number; font?: string } = {},
): Promise<Page> {
  const page = await browser.newPage({
    colorScheme: scheme,
    deviceScaleFactor: scale,
    viewport: { width: 1300, height: 900 },
  });
  const ground = scheme === 'dark' ? '#0d1117' : '#ffffff';
  await page.setContent(
    `<!doctype html><style>${faces.join('')}body{margin:0;background:${ground}}svg{display:block}svg text{font-family:${font}!important}</style>${svg}`,
  );
  await page.evaluate('document.fonts.ready.then(() => {})');
  return page;
}
