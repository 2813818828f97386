import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { indexPages, readTerms } from '../../../src/views/pages/docs/search.ts';

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
    assert.deepEqual(readTerms('a b c d e f g h i j'), ['a', 'b', 'c', 'd', 'e', 'f']);
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
});
