import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { locales } from '../../../src/views/languages/texts.ts';
import { sampled } from '../../depth.ts';
import { makeContributions } from './inputs.ts';
import { readSvg as read } from './read-svg.ts';
import { draw } from './samples.ts';

describe('the card of contributions', () => {
  it('draws a ring, a bar or a single row of the level and the counters', () => {
    const input = makeContributions({});
    const [ring, classic, compact] = ['ring', 'classic', 'compact'].map((layout) =>
      draw('contributions', input, { layout }),
    );
    assert.ok(ring && classic && compact);
    assert.equal(draw('contributions', input).svg, ring.svg);
    // Level 8 begins at 4,900 and level 9 at 6,400; the arc of a ring with a radius of 42.5 is the share of the way.
    const share = (5648 - 4900) / (6400 - 4900);
    assert.ok(ring.svg.includes(`stroke-dasharray="${Math.round(2 * Math.PI * 42.5 * share * 100) / 100} 267.04"`));
    assert.doesNotMatch(ring.svg, /<rect class="a f"/);
    assert.match(classic.svg, /<rect class="a f"/);
    assert.doesNotMatch(classic.svg, /stroke-dasharray/);
    assert.equal(compact.heightPx, 64);
    assert.ok(read(compact.svg).texts.includes('1.8K') && compact.svg.includes('stroke-dasharray'));
    for (const { svg } of [ring, classic, compact]) assert.equal(read(svg).description, read(ring.svg).description);
    const alone = read(draw('contributions', input, { hide: 'avatar' }).svg);
    assert.ok(alone.texts.includes('8') && !alone.texts.includes('AL'));
  });

  it('names the experience that is missing, at level 0 to level 1', () => {
    assert.ok(read(draw('contributions', makeContributions({ value: 0 })).svg).texts.includes('100 XP to level 1'));
    assert.ok(read(draw('contributions', makeContributions({ value: 1 })).svg).texts.includes('90 XP to level 2'));
  });

  it('cuts none of its own words, in every language, at the default width and the least one', () => {
    const account = makeContributions({ name: 'ada', display_name: 'Ada' }, { missing: ['stars'] });
    const all = 'pull_requests_merged,issues_closed,discussions,discussions_answered';
    for (const locale of locales) {
      for (const width of [undefined, 240, 330]) {
        for (const query of [
          {},
          { layout: 'classic' },
          { layout: 'compact' },
          { show: all },
          { show: all, columns: 3 },
        ]) {
          const { texts } = read(draw('contributions', account, { locale, width, ...query }).svg);
          const cut = texts.filter((text) => text.includes('…'));
          assert.deepEqual(cut, [], `${locale} ${width} ${JSON.stringify(query)}`);
        }
      }
    }
  });

  it('cuts no number, in every language and at every width', () => {
    const all = 'pull_requests_merged,issues_closed,discussions,discussions_answered';
    const queries = [{}, { layout: 'compact' }, { show: all }, { show: all, columns: 5 }];
    const cases = [12_345, 123_456, 1_234_567, 12_345_678].flatMap((value) =>
      locales.flatMap((locale) =>
        [undefined, 240, 330, 400].flatMap((width) => queries.map((query) => ({ value, locale, width, query }))),
      ),
    );
    for (const { value, locale, width, query } of sampled(cases, 3)) {
      const account = makeContributions({ name: 'ada', display_name: 'Ada', value });
      const { texts } = read(draw('contributions', account, { locale, width, ...query }).svg);
      const cut = texts.filter((text) => text.includes('…'));
      assert.deepEqual(cut, [], `${value} ${locale} ${width} ${JSON.stringify(query)}`);
    }
  });

  it('draws an unknown number as a dash, not as 0', () => {
    const unknown = makeContributions({ value: 0 }, { missing: ['commits', 'experience', 'level'] });
    const { texts, description } = read(draw('contributions', unknown).svg);
    assert.ok(texts.includes('–') && texts.includes('Level –') && texts.includes('0'));
    assert.match(description, /Commits: –, Pull requests: 0/);
    assert.ok(!texts.some((text) => text.includes('to level')));
  });

  it('shortens a number that does not fit into its cell', () => {
    const { texts } = read(draw('contributions', makeContributions({ value: 1_000_000_000 }), { width: 240 }).svg);
    assert.ok(texts.includes('1B'));
    assert.ok(read(draw('contributions', makeContributions({ value: 999_999 })).svg).texts.includes('999,999'));
  });
});
