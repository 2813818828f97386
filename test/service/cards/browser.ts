import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import chromium from '@sparticuz/chromium';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { bundledFonts, writeFontConfiguration } from '../../../src/views/cards/drawing/rasterizer.ts';

/** A real browser with the fonts of npm packages alone, so that a page looks the same on every machine. */

const packageFolder = (name: string): string => dirname(fileURLToPath(import.meta.resolve(`${name}/package.json`)));
/** A font with other widths than the measured one, and fonts for scripts that are not bundled. */
const testFonts = [
  join(packageFolder('@expo-google-fonts/arimo'), '400Regular'),
  join(packageFolder('@expo-google-fonts/sawarabi-gothic'), '400Regular'),
  join(packageFolder('@expo-google-fonts/nanum-gothic'), '400Regular'),
];

const faces = (
  [
    ['400', 'regular'],
    ['600', 'semibold'],
  ] as const
).map(([weight, name]) => {
  const file = join(bundledFonts, `noto-sans/${name}.ttf`);
  const data = readFileSync(file).toString('base64');
  return `@font-face{font-family:Measured;font-weight:${weight};src:url(data:font/ttf;base64,${data})}`;
});

let started: Promise<Browser> | undefined;
const fontDirectory = await mkdtemp(join(tmpdir(), 'plaudit-fonts-'));
after(async () => {
  await (await started)?.close();
  await rm(fontDirectory, { recursive: true, force: true });
});

/** Returns the browser that all tests of a file share; it closes after them. */
export function sharedBrowser(): Promise<Browser> {
  started ??= startBrowser();
  return started;
}

async function startBrowser(): Promise<Browser> {
  const fonts = await writeFontConfiguration(fontDirectory, [bundledFonts, ...testFonts]);
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    env: { ...process.env, FONTCONFIG_FILE: fonts },
    // By default, this build of Chromium runs in one process, where closing one page closes all of them.
    args: chromium.args.filter((arg) => arg !== '--single-process' && arg !== '--no-zygote'),
    headless: true,
  });
}

/**
 * Opens a page with inline SVG images.
 * @param font a family of the browser; default: the measured one.
 */
export async function showImage(
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
