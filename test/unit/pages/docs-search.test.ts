import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { indexPages, readTerms, synonyms } from '../../../src/views/pages/docs/search.ts';

const search = indexPages([
  {
    path: '/docs/embeds',
    title: 'Embed links',
    isMinor: false,
    sections: [{ id: '', heading: 'Embed links', text: 'Links to an image, as of 2026.' }],
  },
]);

describe('search in the documents', () => {
  it('takes the first distinct words of a query, and cuts long ones', () => {
    assert.deepEqual(readTerms('Time ZONE, time; TRUST_PROXY'), ['time', 'zone', 'trust', 'proxy']);
    assert.deepEqual(readTerms('b c d e f g h j'), ['b', 'c', 'd', 'e', 'f', 'g']);
    assert.deepEqual(readTerms('x'.repeat(200)), ['x'.repeat(32)]);
    assert.deepEqual(readTerms(' \u00a0\t"- '), []);
  });

  it('finds beginnings and misspellings of three letters and more', () => {
    for (const query of ['emb', 'embad', 'Embed, Links', 'links as']) assert.equal(search(query).length, 1, query);
  });

  it('finds words of one or two letters as they are alone', () => {
    for (const query of ['as', 'an image']) assert.equal(search(query).length, 1, query);
    for (const query of ['a', 'e l', 'em', '20', 'ös']) assert.deepEqual(search(query), [], query);
  });

  it('leaves out words without a subject unless there are no others', () => {
    assert.deepEqual(readTerms('How do I add a card to my README?'), ['add', 'card', 'readme']);
    assert.deepEqual(readTerms('how to'), ['how', 'to']);
  });

  it('takes words of other services for those of the documents', () => {
    assert.deepEqual(readTerms('leaderboard Trophies'), ['board', 'achievements']);
    const texts = globSync('docs/*.md').map((file) => readFileSync(file, 'utf8').toLowerCase());
    for (const word of synonyms.values())
      assert.ok(
        texts.some((text) => text.includes(word)),
        word,
      );
  });

  it('finds parts with some of the words after those with all', () => {
    const pages = ['cards in colours', 'cards', 'cards with colours'].map((text, place) => ({
      path: `/docs/${place}`,
      title: 'Page',
      isMinor: false,
      sections: [{ id: '', heading: '', text }],
    }));
    const found = indexPages(pages)('cards colours').map(({ path }) => path);
    assert.deepEqual([found.slice(0, 2).toSorted(), found.slice(2)], [['/docs/0', '/docs/2'], ['/docs/1']]);
    assert.deepEqual(indexPages(pages)('plugh'), []);
  });
});
