import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { altTextOf, imagePath } from '../../../src/cards/composer/address.ts';
import { composerPage } from '../../../src/cards/composer/page.ts';
import { toHtml, toMarkdown } from '../../../src/cards/composer/snippets.ts';
import { anyText } from './any-text.ts';

function path(wanted: Record<string, string>): string | undefined {
  return imagePath(new Map(Object.entries(wanted)));
}

describe('the composer page', () => {
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
      '/v1/forge/entities/a%2Fb/contributors?format=png&repository=x+y&hide=names,title&scale=2',
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
      altTextOf(
        new Map([
          ['name', 'ada'],
          ['card', 'community'],
          ['repository', 'engine'],
        ]),
      ),
      'Community of ada/engine',
    );
  });

  it('shows any input of the composer page as text', () => {
    const context = {
      providers: ['github'],
      publicUrl: 'https://plaudit.example',
      profileUrl: () => 'https://github.example/x',
    };
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('name', 'card', 'theme', 'title', 'accent_color', 'hide', 'repository', 'provider'),
          anyText,
        ),
        (wanted) => {
          const page = composerPage(new Map(Object.entries(wanted)), context);
          const tags = [...page.matchAll(/<\/?([a-z0-9]+)/gi)].map(([, tag]) => tag?.toLowerCase());
          assert.equal(tags.filter((tag) => tag === 'script').length, 2);
          assert.doesNotMatch(page, /\son\w+=/i);
        },
      ),
      { numRuns: 200 },
    );
    const embedding = {
      imageUrl: 'https://p.example/a?title=(x)"<',
      linkUrl: 'https://l.example/)',
      altText: 'a]"<b',
    };
    assert.equal(toMarkdown(embedding), '[![a\\]"<b](https://p.example/a?title=%28x%29"%3C)](https://l.example/%29)');
    assert.equal(
      toHtml(embedding),
      '<a href="https://l.example/)"><img src="https://p.example/a?title=(x)&quot;&lt;" alt="a]&quot;&lt;b"></a>',
    );
  });

  it('links a public address with a path, and lists hidden parts in one order', () => {
    const page = composerPage(
      new Map([
        ['name', 'ada-lovelace'],
        ['hide', 'level,avatar'],
        ['accent_color', 'ff0000'],
      ]),
      {
        providers: ['github'],
        publicUrl: 'https://plaudit.example/base',
        profileUrl: () => 'https://github.example/x',
      },
    );
    assert.ok(
      page.includes(
        'https://plaudit.example/base/v1/github/entities/ada-lovelace/contributions?format=svg&amp;accent_color=ff0000&amp;hide=level,avatar',
      ),
    );
  });
});
