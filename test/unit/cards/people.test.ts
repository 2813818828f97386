import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadLanguage } from '../../../src/views/languages/language.ts';
import { locales } from '../../../src/views/languages/texts.ts';
import { makeAchievements, makeBoard, makeContributors, makeProgress, makeStreak } from './inputs.ts';
import { readSvg } from './read-svg.ts';
import { draw } from './samples.ts';

const window = { since: '2026-10-31T23:00:00Z', until: '2026-11-30T23:00:00Z', time_zone: 'Europe/Berlin' };

describe('the card of contributors', () => {
  it('names the repository, the number of all contributors and the window', () => {
    const { envelope, ...facts } = makeContributors(3, 12);
    const input = { ...facts, envelope: { ...envelope, meta_data: { ...envelope.meta_data, window } } };
    const { texts } = readSvg(draw('contributors', input, { width: 600 }).svg);
    assert.ok(
      texts.includes('analytical-engines/difference · 15 contributors · Nov 1, 2026 – Nov 30, 2026'),
      texts.join(),
    );
    const without = readSvg(draw('contributors', input, { hide: 'summary' }).svg);
    assert.ok(!without.texts.some((text) => text.includes('15 contributors')));
    const { meta_data: meta } = input.envelope;
    const counting = { ...input, of: 'a/b', envelope: { ...input.envelope, meta_data: { ...meta, complete: false } } };
    for (const locale of locales) {
      const narrow = readSvg(draw('contributors', counting, { locale, width: 240, hide: 'names' }).svg);
      assert.ok(!narrow.texts.some((text) => text.includes('…')), `${locale} ${narrow.texts.join()}`);
    }
  });

  it('keeps the order of the parts of its summary from right to left', () => {
    const { svg } = draw('contributors', makeContributors(3, 12), { locale: 'ar', width: 600 });
    const summary = /\u2067\u2068analytical-engines\/difference\u2069 · \u2068[^<\u2069]*15[^<\u2069]*\u2069\u2069/u;
    assert.match(svg, summary);
  });

  it('names twelve people, and shows the others as avatars', () => {
    const { texts, description } = readSvg(draw('contributors', makeContributors(30)).svg);
    assert.equal(texts.filter((text) => / contributions?$/.test(text)).length, 12);
    assert.equal(description.match(/person-/g)?.length, 30);
    const { svg } = draw('contributors', makeContributors(30));
    assert.equal(svg.match(/<circle class="t"/g)?.length, 30);
  });

  it('shows the logins of people whose names are equal', () => {
    const input = makeContributors(3);
    const data = input.envelope.data.map((person, index) => ({
      ...Object(person),
      display_name: index === 2 ? 'Renée' : 'Alex  Kim',
    }));
    const { texts } = readSvg(draw('contributors', { ...input, envelope: { ...input.envelope, data } }).svg);
    assert.ok(texts.includes('person-0') && texts.includes('person-1') && texts.includes('Renée'), texts.join());
    assert.ok(!texts.includes('Alex Kim'));
  });
});

describe('the card of achievements', () => {
  it('draws the newest medal largest, and rims of metal for those that few people hold', () => {
    const { svg } = draw('achievements', makeAchievements(5));
    const radii = [...svg.matchAll(/<circle (?:class="r"|fill="none" stroke="(#\w+)") [^>]* r="([\d.]+)"/g)];
    assert.deepEqual(
      radii.map(([, metal]) => metal),
      ['#bf8700', '#7d8894', undefined, '#b4693a', undefined],
    );
    const [newest, ...others] = radii.map(([, , radius]) => Number(radius));
    assert.ok(others.every((radius) => radius < (newest ?? 0)));
    const { texts } = readSvg(svg);
    assert.ok(texts.includes('Held by 2'));
    const plain = draw('achievements', makeAchievements(5), { hide: 'rarity' }).svg;
    assert.doesNotMatch(plain, /Held by|#bf8700/);
    assert.deepEqual(
      draw('achievements', { ...makeAchievements(2), holders: [0, 101] }).svg.includes('Held by'),
      false,
    );
  });

  it('breaks the name of the newest one into two lines on a narrow card', () => {
    const { envelope } = makeAchievements(3);
    const data = envelope.data.slice(2);
    const { texts } = readSvg(draw('achievements', { envelope: { ...envelope, data } }, { width: 300 }).svg);
    assert.ok(texts.includes('Bug squasher of the') && texts.includes('whole wide world'), texts.join());
  });
});

describe('drawing of the way to the next achievement', () => {
  it('puts it below the awards in every language, whole on the narrowest card', () => {
    for (const locale of locales) {
      const { nextAchievement } = loadLanguage(locale).words;
      const { texts, description } = readSvg(draw('achievements', makeProgress(2), { locale, width: 240 }).svg);
      const text = texts.join(' ').replace(/[\u2066-\u2069]/g, '');
      assert.ok(text.includes(nextAchievement) && text.includes('14 / 20'), `${locale}: ${text}`);
      assert.ok(description.includes(nextAchievement), locale);
    }
    const [arc] = /stroke-dasharray="[\d.]+ [\d.]+"/.exec(draw('achievements', makeProgress(2)).svg) ?? [];
    assert.equal(arc, 'stroke-dasharray="87.96 125.66"');
  });

  it('shows it alone before the first award, and leaves it out where the reader wants no words', () => {
    assert.ok(readSvg(draw('achievements', makeProgress(0)).svg).texts.includes('Up next · 14 / 20'));
    for (const query of [{ hide: 'next' }, { hide: 'names' }, { raw: true }])
      assert.doesNotMatch(draw('achievements', makeProgress(2), query).svg.replace(/<desc.*<\/desc>/, ''), /14 \/ 20/);
  });
});

describe('the card of a board', () => {
  it('cuts none of its own words on the narrowest card', () => {
    for (const locale of locales) {
      const { texts } = readSvg(draw('board', makeBoard(3), { locale, width: 240 }).svg);
      const own = texts.filter((text) => /\d/.test(text) && text.includes('…'));
      assert.deepEqual(own, [], locale);
    }
  });
});

describe('the rows of a narrow board', () => {
  it('leave out units and changes before they cut names to a few letters', () => {
    const { envelope } = makeBoard(8);
    const data = envelope.data.map((item) => ({
      ...Object(item),
      person: { ...Object(item).person, display_name: 'Ada Love' },
    }));
    const textsAt = (width: number) => readSvg(draw('board', { envelope: { ...envelope, data } }, { width }).svg).texts;
    // The podium has less room on the narrowest card.
    for (const [width, count] of [
      [240, 5],
      [300, 8],
      [480, 8],
    ] as const) {
      assert.equal(
        textsAt(width).filter((text) => text === 'Ada Love').length,
        count,
        `${width} ${textsAt(width).join()}`,
      );
    }
    assert.ok(textsAt(480).includes('7.25 points'));
    assert.ok(textsAt(300).includes('7.25'));
  });
});

describe('the card of streaks', () => {
  it('draws the share of the longest streak that the current one has reached', () => {
    const { svg } = draw('streak', makeStreak());
    const length = 2 * Math.PI * 35;
    assert.ok(svg.includes(`stroke-dasharray="${Math.round((length * 12 * 100) / 41) / 100} `), svg);
    const { title, description } = readSvg(svg);
    assert.equal(title, 'Ada Lovelace: Current streak, 12 days');
    assert.match(description, /^Current streak: 12 days \(Nov 10 – 21, 2026\)\. Longest streak: 41 days \(/);
    assert.match(readSvg(draw('streak', makeStreak({ unit: 'week' })).svg).description, /12 weeks.*41 weeks/);
    assert.doesNotMatch(draw('streak', makeStreak({ isEmpty: true })).svg, /stroke-dasharray/);
  });

  it('cuts none of its words in any language', () => {
    for (const locale of locales) {
      for (const width of [undefined, 240]) {
        const { texts } = readSvg(draw('streak', makeStreak(), { locale, width }).svg);
        assert.ok(!texts.some((text) => text.includes('…')), `${locale} ${width} ${texts.join(' | ')}`);
      }
    }
  });
});
