import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, chromium as playwright } from 'playwright-core';
import sharp from 'sharp';
import { startService } from '../src/app/app.ts';
import { findCast, openStandIn } from '../src/app/commands/demo/demo.ts';
import { importSample, sampleTime } from '../src/app/commands/sample.ts';
import { readConfig } from '../src/app/config/config.ts';
import { createLog } from '../src/model/log.ts';
import { bundledFonts, writeFontConfiguration } from '../src/views/cards/drawing/rasterizer.ts';

/**
 * Makes the images of `docs/gallery/`: pages of a service with the sample, on light, dark and narrow screens. Arguments
 * name single pages.
 */

const directory = fileURLToPath(new URL('../docs/gallery/', import.meta.url));
const pages: Readonly<Record<string, string>> = {
  start: '/',
  person: '/github/sample-ada',
  community: '/github/sample-garden',
  repository: '/github/sample-garden/seedbook',
  board: '/github/sample-garden/boards/autumn-harvest',
  evidence: '/github/sample-ada/contributions/reviews',
  contributor: '/github/sample-garden/contributors/sample-yuki',
  progress: '/github/sample-jun/achievements/next',
  cards: '/cards?name=sample-ada',
  'cards-classic': '/cards?name=sample-ada&layout=classic&show=trend',
  'cards-compact': '/cards?name=sample-ada&layout=compact',
  gallery: '/gallery',
  docs: '/docs/achievements',
  reference: '/docs/reference',
  'sign-in': '/sign-in',
  settings: '/settings/github/sample-garden/notifications',
  'settings-overview': '/settings/github/sample-garden/overview',
  'settings-privacy': '/settings/github/sample-ada/privacy',
  'settings-access': '/settings/github/sample-ada/access',
  'settings-embeds': '/settings/github/sample-ada/embeds',
  'settings-audit': '/settings/github/sample-ada/audit',
  'settings-data': '/settings/github/sample-ada/data',
};
/**
 * Fonts for the names of languages and for code on pages, from packages, so that the images are the same on every
 * machine.
 */
const furtherFonts = ['sawarabi-gothic', 'nanum-gothic', 'noto-sans-mono'].map((name) =>
  fileURLToPath(new URL(`../node_modules/@expo-google-fonts/${name}/400Regular`, import.meta.url)),
);
/** The names of the pages to capture; none: all. */
const wanted = process.argv.slice(2);
const screens: Readonly<Record<string, { width: number; scheme: 'light' | 'dark'; query?: string }>> = {
  light: { width: 1100, scheme: 'light' },
  dark: { width: 1100, scheme: 'dark' },
  phone: { width: 390, scheme: 'light' },
  'right-to-left': { width: 1100, scheme: 'light', query: 'lang=ar' },
};
const maxHeight = 1600;
/** The page with every card is shown whole. */
const wholePage = 'gallery';
/** The page for people who are not signed in. */
const signedOutPage = 'sign-in';
const colours = 128;

const dataDir = await mkdtemp(join(tmpdir(), 'plaudit-gallery-'));
const environment = { DATA_DIR: dataDir, PORT: '0', METRICS_PORT: '0', LOG_LEVEL: 'silent', WORKERS: '1' };
try {
  const config = readConfig(environment, () => '');
  const people = await importSample(config, { warn: () => {} }, findCast);
  const offset = sampleTime - Date.now();
  const now = (): Date => new Date(Date.now() + offset);
  await using standIn = await openStandIn(people, now);
  const { changeProvider } = standIn;
  const service = await startService(config, { log: createLog(config.logLevel), now, changeProvider });
  const fonts = await writeFontConfiguration(join(dataDir, 'fonts'), [bundledFonts, ...furtherFonts]);
  const browser = await playwright.launch({
    executablePath: await chromium.executablePath(),
    env: { ...process.env, FONTCONFIG_FILE: fonts },
    args: chromium.args.filter((one) => one !== '--single-process' && one !== '--no-zygote'),
    headless: true,
  });
  await mkdir(directory, { recursive: true });
  // Boards are ranked in the background after the start.
  for (let attempt = 0; attempt < 100 && !(await isRanked(service.url)); attempt += 1) await wait(200);
  const signedIn = await signIn(browser, service.url);
  const award = await findAward(service.url, '/github/sample-ada');
  const holders = await findAward(service.url, '/github/sample-garden/seedbook');
  for (const [name, path] of Object.entries({ ...pages, award, holders })) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for (const screen of Object.keys(screens)) {
      const image = await capture(browser, {
        url: service.url,
        path,
        screen,
        height: name === wholePage ? Number.POSITIVE_INFINITY : maxHeight,
        ...(name !== signedOutPage && { storageState: signedIn }),
      });
      await writeFile(join(directory, `${name}-${screen}.png`), image);
    }
  }
  await browser.close();
  await service.close();
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

async function isRanked(url: string): Promise<boolean> {
  return (await fetch(`${url}/v1/github/entities/sample-garden/boards/autumn-harvest`)).status === 200;
}

/** Signs in as the person who administers the garden. @returns the cookies. */
async function signIn(browser: Browser, url: string): Promise<Awaited<ReturnType<BrowserContext['storageState']>>> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${url}/sign-in/github?organization=sample-garden`);
  await page.click('a[href*="person=sample-ada"]');
  await page.waitForURL('**/settings');
  const cookies = await context.storageState();
  await context.close();
  return cookies;
}

/** Returns the path of the first award or achievement to which the page of a path leads. */
async function findAward(url: string, path: string): Promise<string> {
  const text = await (await fetch(`${url}${path}`)).text();
  return new RegExp(`href="(${path}/achievements/[^"]+)"`).exec(text)?.[1] ?? path;
}

interface Shot {
  url: string;
  path: string;
  screen: string;
  /** The most pixels of the page. */
  height: number;
  /** Absent: the browser has no session. */
  storageState?: Awaited<ReturnType<BrowserContext['storageState']>>;
}

/** Returns an image of the upper part of a page, in few colours, so that the repository stays small. */
async function capture(browser: Browser, { url, path, screen, height: most, storageState }: Shot): Promise<Buffer> {
  const { width = 1100, scheme = 'light', query } = screens[screen] ?? {};
  const page = await browser.newPage({
    colorScheme: scheme,
    viewport: { width, height: 900 },
    ...(storageState && { storageState }),
  });
  const separator = path.includes('?') ? '&' : '?';
  await page.goto(`${url}${path}${query === undefined ? '' : `${separator}${query}`}`, { waitUntil: 'networkidle' });
  const height = Math.min(most, await page.evaluate<number>('document.documentElement.scrollHeight'));
  const image = await page.screenshot({ clip: { x: 0, y: 0, width, height }, fullPage: true });
  await page.close();
  return sharp(image).png({ palette: true, colours, compressionLevel: 9 }).toBuffer();
}
