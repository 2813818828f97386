import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isStringOneByteRepresentation } from 'node:v8';
import type { PageProblem } from '../../../src/http/pipeline/send.ts';
import { locales } from '../../../src/views/languages/texts.ts';
import type { Site } from '../../../src/views/pages/layout/layout.ts';
import { toReader } from '../../../src/views/pages/layout/reader.ts';
import { problemPage } from '../../../src/views/pages/problem-page.ts';

const site: Site = {
  name: 'Plaudit',
  logo: undefined,
  imprintUrl: undefined,
  isIndexed: false,
  publicUrl: () => 'https://plaudit.test',
  providers: ['github'],
  signInHosts: () => [],
  profileUrl: (_provider, name) => `https://github.test/${name}`,
  findKind: () => 'github',
  stylePath: '/style.css',
  locales,
  example: undefined,
};

function toPage(problem: Partial<PageProblem>, locale = 'en'): string {
  return problemPage(site, toReader({ locale, isChosen: false }), {
    status: 503,
    message: 'The service is busy.',
    explanations: [],
    ...problem,
  });
}

/** Returns the content of the page of a problem. */
function toMain(problem: Partial<PageProblem>, locale = 'en'): string {
  const page = toPage(problem, locale);
  return /<main id="main">(.*)<\/main>/s.exec(page)?.[1] ?? assert.fail(page);
}

describe('the page of a problem', () => {
  it('offers to load the page again, and says when that can help', () => {
    for (const [retryAfterS, locale, text] of [
      [1, 'en', 'Try again: in 1 second'],
      [30, 'en', 'Try again: in 30 seconds'],
      [119, 'en', 'Try again: in 119 seconds'],
      [121, 'en', 'Try again: in 3 minutes'],
      [3600, 'en', 'Try again: in 60 minutes'],
      [7201, 'en', 'Try again: in 3 hours'],
      [30, 'de', 'Nächster Versuch: in 30 Sekunden'],
      [30, 'ja', '再試行: 30 秒後'],
    ] as const) {
      const main = toMain({ retryAfterS }, locale);
      assert.ok(main.includes(`<p>${text}</p>`), main);
      assert.match(main, /<a class="button" href="">/);
    }
    for (const locale of locales) assert.match(toMain({ retryAfterS: 45 }, locale), /45|٤٥/, locale);
  });

  it('leads to the start page where loading it again does not help', () => {
    const main = toMain({ status: 403, message: 'There is nothing.' });
    assert.match(main, /<a class="button" href="\/">Go to the start page<\/a>/);
    assert.doesNotMatch(main, /href=""/);
  });

  it('is kept in one byte for each character where its own language permits', () => {
    const page = toPage({});
    assert.ok(page.includes('hreflang="zh">&#20013;&#25991;</a>'), page);
    assert.ok(isStringOneByteRepresentation(page));
    assert.ok(!isStringOneByteRepresentation(toPage({}, 'ja')));
  });

  it('makes the path of the documentation in its message a link', () => {
    const main = toMain({ status: 404, message: 'Nothing is served at this address. /docs lists all addresses.' });
    assert.ok(main.includes('Nothing is served at this address. <a href="/docs">/docs</a> lists all addresses.'), main);
    assert.ok(!toMain({ status: 404, message: 'No file a/docs or /docs/b.' }).includes('<a href="/docs">'));
  });

  it('leads from an address below a group of GitLab to the groups that it may mean', () => {
    const gitlab: Site = { ...site, providers: ['gitlab'], findKind: () => 'gitlab' };
    const problem: PageProblem = { status: 404, message: 'There is no such page.', explanations: [] };
    const page = problemPage(gitlab, toReader({ locale: 'en', isChosen: false }), problem, '/gitlab/group:a/b%3Cc');
    assert.ok(page.includes('<a class="button" href="/gitlab/group:a">group/a</a>'), page);
    assert.ok(page.includes('<a class="button" href="/gitlab/group:a:b%3Cc">group/a/b&lt;c</a>'), page);
  });
});
