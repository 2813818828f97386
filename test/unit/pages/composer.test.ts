import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { relativePeriods } from '../../../src/model/windows/periods.ts';
import { findCard } from '../../../src/views/cards/index.ts';
import { locales } from '../../../src/views/languages/texts.ts';
import { imagePath, kinds } from '../../../src/views/pages/composer/address.ts';
import { formatAltText, labelOfCard, labelOfPart, labelOfPeriod } from '../../../src/views/pages/composer/labels.ts';
import { composerPage } from '../../../src/views/pages/composer/page.ts';
import { isPublic, snippets } from '../../../src/views/pages/composer/snippets.ts';
import type { Site } from '../../../src/views/pages/layout/layout.ts';
import { toReader } from '../../../src/views/pages/layout/reader.ts';
import { isThorough } from '../../depth.ts';
import { anyText } from '../cards/any-text.ts';

const site: Site = {
  name: 'Plaudit',
  logo: undefined,
  imprintUrl: undefined,
  isIndexed: false,
  publicUrl: () => 'https://plaudit.example',
  providers: ['github'],
  signInHosts: () => [],
  profileUrl: () => 'https://github.example/x',
  findKind: () => 'github',
  stylePath: '/style.css',
  locales: ['en'],
  example: undefined,
};
const reader = toReader({ locale: 'en', isChosen: false });

function path(query: Record<string, string>): string | undefined {
  return imagePath(new Map(Object.entries(query)));
}

describe('composing of cards', () => {
  it('names every kind and part of cards and every period in every language', () => {
    for (const locale of locales) {
      const inLanguage = toReader({ locale, isChosen: true });
      for (const { card } of kinds) {
        assert.notEqual(labelOfCard(card, inLanguage), card, `${locale} ${card}`);
        const { hideable, showable } = findCard(card).parts;
        for (const part of [...hideable, ...showable]) {
          const label = labelOfPart(part, inLanguage);
          assert.ok(label !== part && !label.includes('_'), `${locale} ${part}`);
        }
        const page = composerPage(site, inLanguage, new Map([['card', card]]));
        assert.ok(page.includes(`<input type="hidden" name="lang" value="${locale}">`), locale);
        assert.doesNotMatch(page, /undefined|\{\w+\}/, `${locale} ${card}`);
      }
      for (const period of relativePeriods) assert.notEqual(labelOfPeriod(period, inLanguage), period);
    }
  });

  it('offers private numbers, with an explanation, on the cards of accounts that can have them', () => {
    const withPrivate = kinds.filter(({ fields }) => fields.includes('private')).map(({ card }) => card);
    assert.deepEqual(withPrivate, ['contributions', 'calendar', 'streak', 'languages']);
    for (const { card } of kinds) {
      const address = path({ name: 'ada', card, board: 'b', private: 'true' }) ?? '';
      const page = composerPage(site, reader, new Map([['card', card]]));
      assert.equal(/[?&]private=true\b/.test(address), withPrivate.includes(card), card);
      assert.equal(page.includes('Where the owner publishes private numbers'), withPrivate.includes(card), card);
    }
    assert.doesNotMatch(path({ name: 'ada', private: 'false' }) ?? '', /private/);
  });

  it('composes boards by the names in their addresses', () => {
    assert.equal(path({ name: 'ada', card: 'board' }), undefined);
    assert.equal(
      path({ name: 'ada', card: 'board', board: 'sprint/1', limit: '5' }),
      '/v1/github/entities/ada/boards/sprint%2F1?format=svg&limit=5',
    );
  });

  it('shows an example of the chosen card in the chosen layout until an account is named', () => {
    for (const [query, example] of [
      [{}, 'contributions'],
      [{ layout: 'ring' }, 'contributions'],
      [{ layout: 'compact' }, 'compact'],
      [{ card: 'contributions', layout: 'classic', theme: 'nord' }, 'classic'],
      [{ card: 'achievements', layout: 'compact' }, 'achievements'],
      [{ period: 'this-month', limit: '12', show: 'trend' }, 'trend'],
    ] as const) {
      const page = composerPage(site, reader, new Map(Object.entries(query)));
      assert.match(page, new RegExp(`<img src="/gallery/${example}\\.svg\\?`), JSON.stringify(query));
      const named = composerPage(site, reader, new Map(Object.entries({ ...query, name: 'ada' })));
      assert.ok(!named.includes('/gallery/'), JSON.stringify(query));
    }
  });

  it('keeps the languages to leave out apart from the parts', () => {
    const hide = 'title,c++,html';
    assert.equal(
      path({ name: 'ada', card: 'languages', hide }),
      '/v1/github/entities/ada/contributions?format=svg&card=languages&hide=title,c%2B%2B,html',
    );
    assert.equal(
      path({ name: 'ada', card: 'calendar', hide }),
      '/v1/github/entities/ada/contributions?format=svg&card=calendar&hide=title',
    );
    const page = composerPage(site, reader, new Map(Object.entries({ card: 'languages', hide })));
    assert.match(page, /name="hide" value="c\+\+, html"/);
    assert.doesNotMatch(page, /value="title" checked/);
    assert.doesNotMatch(composerPage(site, reader, new Map([['card', 'calendar']])), /name="hide"/);
  });

  it('builds the address of a card from the form, without default values', () => {
    assert.equal(path({}), undefined);
    assert.equal(path({ name: 'ada' }), '/v1/github/entities/ada/contributions?format=svg');
    assert.equal(
      path({ name: 'ada', card: 'calendar', theme: 'auto', locale: 'en', border: 'true', scale: '2' }),
      '/v1/github/entities/ada/contributions?format=svg&card=calendar',
    );
    assert.equal(
      path({
        provider: 'forge',
        name: 'a/b',
        card: 'contributors',
        repository: 'x y',
        format: 'png',
        scale: '2',
        hide: 'names,title',
      }),
      '/v1/forge/entities/a:b/contributors?format=png&repository=x+y&hide=names,title&scale=2',
    );
    assert.equal(
      path({ name: 'ada', card: 'community', repository: 'x/y' }),
      '/v1/github/entities/ada/repositories/x%2Fy/badges/community?format=svg',
    );
    assert.equal(
      path({
        name: 'ada',
        card: 'achievements',
        raw: 'true',
        bots: 'true',
        columns: '3',
        hide: 'names,level',
        show: 'x',
      }),
      '/v1/github/entities/ada/achievements?format=svg&columns=3&raw=true&hide=names',
    );
    assert.equal(
      path({ name: 'ada', card: 'contributors', raw: 'false', bots: 'true', limit: '5' }),
      '/v1/github/entities/ada/contributors?format=svg&limit=5&bots=true',
    );
    assert.equal(
      formatAltText(
        new Map([
          ['name', 'ada'],
          ['card', 'community'],
          ['repository', 'engine'],
          ['locale', 'de'],
        ]),
      ),
      'Community-Abzeichen: ada/engine',
    );
  });

  it('shows any input of the composer page as text', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('name', 'card', 'theme', 'title', 'accent_color', 'hide', 'repository', 'provider'),
          anyText,
        ),
        (query) => {
          const page = composerPage(site, reader, new Map(Object.entries(query)));
          const tags = [...page.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, tag]) => tag?.toLowerCase());
          assert.equal(tags.filter((tag) => tag === 'script').length, 2);
          assert.doesNotMatch(page, /\son\w+=/i);
        },
      ),
      { numRuns: isThorough ? 200 : 50 },
    );
    const embedding = {
      imageUrl: 'https://p.example/a?title=(x)"<',
      linkUrl: 'https://l.example/)',
      altText: 'a]"<b',
    };
    const written = Object.fromEntries(snippets.map(({ id, write }) => [id, write(embedding)]));
    assert.deepEqual(written, {
      markdown: '[![a\\]"<b](https://p.example/a?title=%28x%29%22%3C)](https://l.example/%29)',
      html: '<a href="https://l.example/)"><img src="https://p.example/a?title=(x)&quot;&lt;" alt="a]&quot;&lt;b"></a>',
      picture:
        '<a href="https://l.example/)"><picture><source media="(prefers-color-scheme: dark)" srcset="https://p.example/a?title=(x)&quot;&lt;&amp;theme=dark"><img src="https://p.example/a?title=(x)&quot;&lt;&amp;theme=light" alt="a]&quot;&lt;b"></picture></a>',
      asciidoc: 'image:https://p.example/a?title=%28x%29%22%3C["a\\]\\"<b",link="https://l.example/%29"]',
      rst: '.. image:: https://p.example/a?title=%28x%29%22%3C\n   :alt: a]"<b\n   :target: https://l.example/%29',
    });
  });

  it('previews a PNG that follows the page by an address for light and one for dark pages', () => {
    const addresses = (query: Record<string, string>): string[] => {
      const page = composerPage(site, reader, new Map(Object.entries({ name: 'ada', ...query })));
      const previews = /<div class="previews"[^>]*>(.*?)<h2>/s.exec(page)?.[1] ?? '';
      return [...previews.matchAll(/src="([^"]*)"/g)].map(([, address = '']) => address.replaceAll('&amp;', '&'));
    };
    const png = '/v1/github/entities/ada/contributions?format=png';
    const svg = '/v1/github/entities/ada/contributions?format=svg';
    assert.deepEqual(addresses({ format: 'png' }), [`${png}&theme=light`, `${png}&theme=dark`]);
    assert.deepEqual(addresses({ format: 'png', theme: 'nord' }), [`${png}&theme=nord`, `${png}&theme=nord`]);
    assert.deepEqual(addresses({ layout: 'compact' }), [`${svg}&layout=compact`, `${svg}&layout=compact`]);
    assert.deepEqual(addresses({ card: 'achievements', layout: 'compact' }).length, 2);
    assert.equal(path({ name: 'ada', card: 'achievements', layout: 'compact' })?.includes('layout'), false);
  });

  it('warns where others cannot load the card', () => {
    for (const url of [
      'https://plaudit.example',
      'https://1.1.1.1',
      'http://[2606:4700::1]:8080',
      'https://localhost.example',
    ]) {
      assert.ok(isPublic(url), url);
    }
    for (const url of [
      'http://127.0.0.1:8080',
      'http://localhost:8080',
      'http://plaudit',
      'https://plaudit.internal',
      'http://192.168.1.4',
      'http://[::1]',
      'http://[::ffff:10.0.0.1]',
      'https://box.local',
    ]) {
      assert.ok(!isPublic(url), url);
    }
    const query = new Map([['name', 'ada']]);
    assert.doesNotMatch(composerPage(site, reader, query), /PUBLIC_URL/);
    assert.match(composerPage({ ...site, publicUrl: () => 'http://127.0.0.1:8080' }, reader, query), /PUBLIC_URL/);
  });

  it('links a public address with a path, and lists hidden parts in one order', () => {
    const page = composerPage(
      { ...site, publicUrl: () => 'https://plaudit.example/base' },
      reader,
      new Map([
        ['name', 'ada-lovelace'],
        ['hide', 'level,avatar'],
        ['accent_color', 'ff0000'],
      ]),
    );
    assert.ok(
      page.includes(
        'https://plaudit.example/base/v1/github/entities/ada-lovelace/contributions?format=svg&amp;accent_color=ff0000&amp;hide=level,avatar',
      ),
    );
  });
});
