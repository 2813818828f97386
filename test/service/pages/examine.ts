import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** The circumstances in which a page is looked at. */
export interface Circumstances {
  scheme: 'light' | 'dark';
  /** In pixels; 320 is the least that pages fit (WCAG 1.4.10). */
  width: number;
  /** A language of pages; Arabic and Hebrew are written from right to left. */
  lang: string;
}

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>;

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const violations =
  'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + " " + nodes.map(({ html }) => html)))';
/** Elements that a keyboard reaches and whose focus has neither an outline nor a shadow. */
const unseenFocus = `[...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')]
  .filter((element) => element.checkVisibility()).slice(0, 150).flatMap((element) => {
    element.focus({ focusVisible: true });
    if (document.activeElement !== element) return [];
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    return (outlineStyle === 'none' || outlineWidth === '0px') && boxShadow === 'none' ? [element.outerHTML.slice(0, 120)] : [];
  })`;
/**
 * The text of the content without spaces, whose number depends on styles alone, and without the texts about numbers, which
 * scripts open.
 */
const content = `(document.querySelectorAll('.tip').forEach((tip) => tip.remove()), document.querySelector('main')?.innerText ?? '')
  .replace(/\\s+/g, ' ').trim()`;

/** Returns the address of a page in a language. */
function inLanguage(path: string, lang: string): string {
  if (lang === 'en') return path;
  const [before = '', fragment] = path.split('#');
  return `${before}${before.includes('?') ? '&' : '?'}lang=${lang}${fragment === undefined ? '' : `#${fragment}`}`;
}

/**
 * Looks at pages one after another: axe has no finding, nothing is wider than the screen, the focus of a keyboard is
 * seen, and nothing is loaded or run that the policy forbids. `SCREENSHOTS` names a folder for images of them.
 */
export async function examinePages(
  browser: Browser,
  url: string,
  pages: readonly { type: { name: string; path: string }; circumstances: Circumstances }[],
  storageState?: StorageState,
): Promise<void> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...(storageState && { storageState }) });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    // Pages about errors have a status of their own.
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text()))
      complaints.push(`${page.url()} ${message.text()}`);
  });
  page.on('pageerror', (error) => void complaints.push(`${page.url()} ${error.message}`));
  for (const { type, circumstances } of pages) {
    const { name, path } = type;
    const { scheme, width, lang } = circumstances;
    const title = `${name} (${scheme}, ${width} px, ${lang})`;
    await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
    await page.setViewportSize({ width, height: 900 });
    await page.goto(`${url}${inLanguage(path, lang)}`, { waitUntil: 'load' });
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `${title} is wider`);
    await page.evaluate(axe);
    assert.deepEqual(await page.evaluate(violations), [], title);
    await screenshot(page, name, circumstances);
    // Browsers show the focus once the keyboard is used.
    await page.keyboard.press('Tab');
    assert.deepEqual(await page.evaluate(unseenFocus), [], `${title}: the focus is not seen`);
  }
  assert.deepEqual(complaints, []);
  await context.close();
}

/** Compares the content of a page without JavaScript to that with it. */
export async function compareWithoutScripts(
  browser: Browser,
  url: string,
  pages: readonly { name: string; path: string }[],
  storageState?: StorageState,
): Promise<void> {
  const seen: Map<string, string>[] = [];
  for (const javaScriptEnabled of [true, false]) {
    const context = await browser.newContext({ javaScriptEnabled, ...(storageState && { storageState }) });
    const page = await context.newPage();
    const texts = new Map<string, string>();
    for (const { name, path } of pages) {
      await page.goto(`${url}${path}`, { waitUntil: 'load' });
      texts.set(name, await page.evaluate<string>(content));
    }
    seen.push(texts);
    await context.close();
  }
  const [withScripts = new Map<string, string>(), without = new Map<string, string>()] = seen;
  for (const { name } of pages) {
    assert.ok((without.get(name) ?? '').length > 10, `${name} is empty`);
    assert.equal(without.get(name), withScripts.get(name), `${name} without JavaScript`);
  }
}

async function screenshot(page: Page, name: string, { scheme, width, lang }: Circumstances): Promise<void> {
  const { SCREENSHOTS: directory } = process.env;
  if (directory === undefined) return;
  await page.screenshot({ path: `${directory}/${name}-${scheme}-${width}-${lang}.png`, fullPage: true });
}
