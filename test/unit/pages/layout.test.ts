import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { locales } from '../../../src/views/languages/texts.ts';
import { trusted } from '../../../src/views/pages/layout/html.ts';
import { type Document, renderDocument, type Site } from '../../../src/views/pages/layout/layout.ts';
import { toReader } from '../../../src/views/pages/layout/reader.ts';

function toSite(name: string): Site & { hosts: string[] } {
  const hosts: string[] = [];
  return {
    name,
    logo: undefined,
    imprintUrl: undefined,
    isIndexed: false,
    publicUrl: () => 'https://plaudit.test',
    providers: ['github'],
    signInHosts: () => hosts,
    hosts,
    profileUrl: (_provider, account) => `https://github.test/${account}`,
    findKind: () => 'github',
    stylePath: '/style.css',
    locales,
    example: undefined,
  };
}

const document: Document = { title: 'A page', description: 'About it.', path: '/a', main: trusted('<p>Content</p>') };
const [english, german, chosen] = [
  toReader({ locale: 'en', isChosen: false }),
  toReader({ locale: 'de', isChosen: false }),
  toReader({ locale: 'de', isChosen: true }),
];

describe('the parts around the content of pages', () => {
  it('are in the language of each page, and keep one that its address names', () => {
    const site = toSite('Plaudit');
    for (const [reader, brand, skip] of [
      [english, '/', 'Skip to the content'],
      [german, '/', 'Zum Inhalt springen'],
      [chosen, '/?lang=de', 'Zum Inhalt springen'],
      [english, '/', 'Skip to the content'],
    ] as const) {
      const page = renderDocument(site, reader, document);
      assert.ok(page.includes(`<a class="brand" href="${brand}">`), page);
      assert.ok(page.includes(`<a class="skip" href="#main">${skip}</a>`), page);
    }
  });

  it('lead to the settings while people can sign in', () => {
    const site = toSite('Plaudit');
    const hasSettings = (): boolean => renderDocument(site, english, document).includes('href="/settings"');
    assert.equal(hasSettings(), false);
    site.hosts.push('github');
    assert.equal(hasSettings(), true);
    site.hosts.pop();
    assert.equal(hasSettings(), false);
  });

  it('have the search form where the content has none', () => {
    const site = toSite('Plaudit');
    for (const hasSearch of [false, true, false]) {
      const page = renderDocument(site, english, { ...document, hasSearch });
      assert.equal(page.includes('action="/find"'), !hasSearch);
    }
  });

  it('name their own site', () => {
    for (const name of ['Plaudit', 'Applause', 'Plaudit']) {
      assert.ok(renderDocument(toSite(name), english, document).includes(`<nav aria-label="${name}">`));
    }
  });

  it('lead to each language at the address of each page, and mark its own', () => {
    const site = toSite('Plaudit');
    for (const [path, address] of [
      ['/a', '/a?lang='],
      ['/b?private=true', '/b?private=true&amp;lang='],
    ] as const) {
      const page = renderDocument(site, german, { ...document, path });
      const links = [...page.matchAll(/<a href="([^"]*)"( aria-current="true")? lang="(\w+)" hreflang="(\w+)">/g)];
      assert.deepEqual(
        links.map(([, href, current, lang, target]) => [href, current !== undefined, lang, target]),
        locales.map((locale) => [`${address}${locale}`, locale === 'de', locale, locale]),
      );
    }
  });
});
