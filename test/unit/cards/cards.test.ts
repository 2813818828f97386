import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toShade, toSteps } from '../../../src/views/cards/cards/calendar.card.ts';
import { findCard } from '../../../src/views/cards/index.ts';
import { readCardOptions, readCardOptionsLoosely } from '../../../src/views/cards/options.ts';
import { drawState } from '../../../src/views/cards/states/state.ts';
import { fill, loadLanguage } from '../../../src/views/languages/language.ts';
import { locales } from '../../../src/views/languages/texts.ts';
import { isThorough } from '../../depth.ts';
import { anyText } from './any-text.ts';
import { makeAchievements, makeCalendar, makeContributions, makeContributors, names, someImages } from './inputs.ts';
import { readSvg as read } from './read-svg.ts';
import { draw } from './samples.ts';

describe('cards', () => {
  it('draws well-formed cards for any name, and keeps names as text', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom(...locales), fc.nat(2 ** 31), (name, display, locale, value) => {
        const account = makeContributions({ name, display_name: display, value });
        for (const query of [{ locale }, { locale, title: display, width: 240, columns: 6 }]) {
          read(draw('contributions', account, query).svg);
          const people = makeContributors(3);
          const data = people.envelope.data.map((person) => ({
            ...Object(person),
            name,
            display_name: display,
            avatar_url: display,
          }));
          read(draw('contributors', { envelope: { ...people.envelope, data } }, query).svg);
          read(draw('community', people, { locale, title: display }).svg);
          read(draw('calendar', { ...makeCalendar(), envelope: account.envelope }, query).svg);
          const awards = makeAchievements(2);
          const earned = awards.envelope.data.map((award) => ({
            ...Object(award),
            name,
            repository_name: display,
            icon_url: name,
          }));
          const input = { envelope: { ...awards.envelope, data: earned } };
          for (const raw of [true, false]) read(draw('achievements', input, { ...query, raw }).svg);
        }
        const state = { title: display, detail: name, kind: 'problem' } as const;
        read(
          drawState(
            findCard('contributors'),
            state,
            readCardOptionsLoosely({ theme: display, locale: name, width: name }),
          ).svg,
        );
      }),
      { numRuns: isThorough ? 100 : 12 },
    );
  });

  it('describes the values of a card for screen readers in its title and description', () => {
    const { title, description, texts } = read(
      draw('contributions', makeContributions({}, { missing: ['stars'] })).svg,
    );
    assert.match(title, /Ada Lovelace/);
    assert.equal(
      description,
      'Level 8. Commits: 1,843, Pull requests: 412, Reviews: 389, Issues: 127, Stars earned: 2,310, Repositories: 64. ' +
        'Public contributions · still counting · as of Nov 21, 2026.',
    );
    assert.ok(texts.includes('1,843') && texts.includes('Level 8') && texts.includes('752 XP to level 9'));
    const collected = { ...makeContributions({}, { missing: ['commits'] }), countsCollected: true };
    assert.match(
      read(draw('contributions', collected).svg).description,
      / Public contributions · in repositories collected here · as of Nov 21, 2026\.$/,
    );
    const people = read(draw('contributors', makeContributors(2, 12)).svg);
    assert.equal(
      people.description,
      'analytical-engines/difference · 14 contributors. person-0: 2,400, person-1: 975, +12 more. ' +
        'Public contributions · as of Nov 21, 2026.',
    );
    assert.equal(read(draw('community', makeContributors(30, 12)).svg).title, 'community: 42 contributors');
    const leftOut = { ...makeContributors(30, 12), leavesOutBots: true };
    assert.equal(read(draw('community', leftOut).svg).title, 'community: 42 contributors · without bots');
    assert.match(read(draw('contributors', leftOut).svg).description, / · 42 contributors · without bots\./);
    const days = read(draw('calendar', makeCalendar()).svg);
    assert.match(days.description, /^1,981 contributions in the last year\./);
    assert.match(
      read(draw('achievements', makeAchievements(1)).svg).description,
      /^Merge hero \(plaudit, Jan 15, 2026, Held by 2\)$/,
    );
  });

  it('draws achievements without a frame as wide as their icons, without a background', () => {
    const raw = draw('achievements', makeAchievements(9), { raw: true }, someImages);
    assert.deepEqual([raw.widthPx, raw.heightPx], [8 * 56 - 12, 2 * 56 - 12]);
    assert.doesNotMatch(raw.svg, /<rect|<text/);
    assert.match(read(raw.svg).description, /^Merge hero \(plaudit, Jan 15, 2026, Held by 2\), /);
    const two = draw('achievements', makeAchievements(2), { raw: true, columns: 1, width: 240 });
    assert.deepEqual([two.widthPx, two.heightPx], [44, 100]);
  });

  it('draws no more columns than fit, even when the request has more', () => {
    for (const [card, input, style, least] of [
      ['contributors', makeContributors(6), 'l', 100],
      ['achievements', makeAchievements(6), 'b', 112],
      ['contributions', makeContributions({}), 'n', 70],
    ] as const) {
      const { svg } = draw(card, input, {
        width: 300,
        columns: 6,
        ...(card === 'contributors' && { hide: 'summary' }),
      });
      const places = svg.matchAll(new RegExp(`<text class="${style}" x="([\\d.]+)"`, 'g'));
      const starts = [...new Set([...places].map(([, x]) => Number(x)))].toSorted((left, right) => left - right);
      assert.ok(starts.length > 1, card);
      for (const [index, x] of starts.slice(1).entries()) assert.ok(x - (starts[index] ?? 0) >= least, `${card} ${x}`);
    }
  });

  it('splits the year of a narrow calendar into bands, so that its days stay large enough', () => {
    for (const [width, bands] of [
      [1200, 1],
      [600, 1],
      [480, 2],
      [300, 3],
      [240, 3],
    ] as const) {
      const { svg } = draw('calendar', makeCalendar(), { width });
      assert.equal(svg.match(/stroke-width="\.2"/g)?.length, bands);
      assert.equal(svg.match(/M\d+ \d+h/g)?.length, 365);
    }
  });

  it('leaves the year out of the title of a narrow calendar before it cuts the title', () => {
    for (const locale of locales) {
      const { texts } = read(draw('calendar', makeCalendar(), { locale, width: 240 }).svg);
      assert.ok(!texts[0]?.includes('…'), texts[0]);
    }
    const [title] = read(draw('calendar', makeCalendar(), { width: 240 }).svg).texts;
    assert.match(title ?? '', /^[\d,]+ contributions$/);
  });

  it('hides and shows parts on request, and adapts the height of the card', () => {
    const all = makeContributions({});
    const usual = draw('contributions', all);
    const less = draw('contributions', all, { hide: 'level,coverage,avatar,stars,contributed_to,issues' });
    const more = draw('contributions', all, { show: 'discussions,discussions_answered,issues_closed' });
    assert.ok(less.heightPx < usual.heightPx && usual.heightPx < more.heightPx);
    assert.ok(!less.svg.includes('Level') && !less.svg.includes('Stars') && less.svg.includes('Reviews'));
    assert.ok(more.svg.includes('Accepted answers') && !usual.svg.includes('Accepted answers'));
    const wall = draw('contributors', makeContributors(30), { hide: 'names' }, someImages);
    assert.ok(!wall.svg.includes('>grace<') && wall.heightPx < draw('contributors', makeContributors(30)).heightPx);
    assert.ok(!draw('contributors', makeContributors(3), { hide: 'counts' }).svg.includes('>2,400 contributions<'));
    assert.ok(!draw('achievements', makeAchievements(3), { hide: 'names' }).svg.includes('class="b"'));
    assert.equal(draw('contributions', all, { width: 300 }).widthPx, 300);
    assert.doesNotMatch(draw('contributions', all, { border: false }).svg, /\.g\{[^}]*stroke/);
    assert.match(draw('contributions', all, { title: 'Mine' }).svg, />Mine</);
  });

  it('adapts a card to light and dark screens, unless its theme is for one of them', () => {
    const dark = '@media (prefers-color-scheme:dark)';
    assert.ok(draw('contributions', makeContributions({})).svg.includes(dark));
    assert.ok(!draw('contributions', makeContributions({}), { theme: 'nord' }).svg.includes(dark));
    const changed = draw('contributions', makeContributions({}), {
      accent_color: 'ABC',
      background_color: '12345600',
    }).svg;
    assert.ok(changed.includes('.a{fill:#aabbcc}') && changed.includes('.g{fill:#12345600'));
  });

  it('animates a card on request only, and not for viewers who prefer reduced motion', () => {
    assert.doesNotMatch(draw('contributions', makeContributions({})).svg, /animation/);
    const moving = draw('contributions', makeContributions({}), { animation: 'subtle' }).svg;
    assert.match(moving, /@media \(prefers-reduced-motion:no-preference\)\{\n\.f\{animation:/);
  });

  it('lays out a card in a right-to-left language from right to left', () => {
    const [left, right] = [placesOfNumbers('en'), placesOfNumbers('he')];
    assert.equal(left.length, 6);
    for (const [index, x] of left.entries())
      assert.ok(Math.abs(x + (right[index] ?? 0) - 480) < 0.1, `${x} ${right[index]}`);
    assert.match(draw('contributions', makeContributions({ display_name: names.hebrew })).svg, /\u2068[^<]*\u2069/);
    // Left-to-right text keeps its direction, with full stops and ellipses at its end.
    const awards = read(draw('achievements', makeAchievements(2), { locale: 'he', columns: 2 }).svg).texts;
    assert.ok(
      awards.includes('plaudit') && awards.some((text) => /^a-repository[^\u2066-\u2069]*…$/.test(text)),
      awards.join(),
    );
  });

  it('draws the days of one year in a calendar, shaded by quartiles', () => {
    assert.deepEqual(toSteps([0, 1, 2, 3, 4]), [2, 3, 4]);
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map((count) => toShade(count, [2, 3, 4])),
      [0, 1, 1, 2, 3, 4],
    );
    assert.deepEqual(toSteps([]), [1, 1, 1]);
    for (const until of ['2026-11-21', '2024-02-29', '2025-01-01', '2023-12-31']) {
      for (const locale of ['en', 'de', 'ar']) {
        const { svg } = draw('calendar', makeCalendar({ until }), { locale });
        assert.equal(svg.match(/M\d+ \d+h/g)?.length, 365, until);
      }
    }
    assert.match(draw('calendar', makeCalendar({ isEmpty: true })).svg, />0 contributions in the last year</);
  });

  it('draws 53 weeks and the total of the provider in a calendar from the provider', () => {
    for (const until of ['2026-11-21', '2026-11-22', '2024-02-29']) {
      const input = makeCalendar({ source: 'provider', until });
      const { svg } = draw('calendar', input, { locale: 'en' });
      assert.equal(svg.match(/M\d+ \d+h/g)?.length, 365 + new Date(until).getUTCDay(), until);
      assert.ok(input.calendar);
      const drawing = draw('calendar', { ...input, calendar: { ...input.calendar, total: 123_456 } });
      assert.match(drawing.svg, />123,456 contributions in the last year</);
    }
  });

  it('shows the source of the days of a calendar, if some are private, and if some may be missing', () => {
    const collected = 'Public contributions · in repositories collected here';
    assert.ok(listTexts({}).includes(collected));
    assert.ok(listTexts({ isFinal: false }).includes(`${collected} · still counting`));
    const both = 'Public and private contributions';
    assert.ok(listTexts({ includesPrivate: true }).includes(`${both} · in repositories collected here`));
    assert.ok(listTexts({ source: 'provider' }).includes('Public contributions'));
    const withPrivate = listTexts({ source: 'provider', includesPrivate: true });
    assert.ok(withPrivate.includes(both));
    assert.ok(withPrivate.every((text) => !text.includes('collected')));
    for (const locale of locales) {
      const { words } = loadLanguage(locale);
      assert.ok(
        listTexts({ source: 'provider', includesPrivate: true }, locale).includes(words.publicAndPrivate),
        locale,
      );
      const unfinished = `${words.publicOnly} · ${words.inCollected} · ${words.stillCounting}`;
      assert.ok(listTexts({ isFinal: false }, locale).includes(unfinished), locale);
    }
  });

  it('draws a state in the size of the card when a card has no data', () => {
    const emptyResponse = { envelope: { meta_data: { count: 0, data_type: 3 }, data: [] } };
    for (const name of ['contributions', 'calendar', 'contributors', 'achievements']) {
      const card = findCard(name);
      const options = readCardOptions({}, card.parts);
      assert.equal(card.read(emptyResponse, options), undefined, name);
      const state = drawState(card, { title: 'Collecting', detail: 'Soon.', kind: 'collecting' }, options);
      assert.deepEqual({ widthPx: state.widthPx, heightPx: state.heightPx }, card.emptySize(options));
      assert.deepEqual(read(state.svg).texts, ['Collecting', 'Soon.']);
    }
    const same = findCard('contributions').emptySize(readCardOptions({}, findCard('contributions').parts));
    assert.equal(same.heightPx, draw('contributions', makeContributions({})).heightPx);
  });

  it('draws cards as small files', () => {
    assert.ok(
      draw('contributions', makeContributions({ display_name: names.hindi }), { show: 'discussions,issues_closed' }).svg
        .length < 6000,
    );
    const avatar = `data:image/jpeg;base64,${'A'.repeat(1736)}`;
    const images = new Map(Array.from({ length: 30 }, (_, index) => [`https://images.example/${index}`, avatar]));
    assert.ok(draw('contributors', makeContributors(30, 5), {}, images).svg.length < 62_000);
    assert.ok(draw('calendar', makeCalendar()).svg.length < 12_000);
  });
});

/** Returns the horizontal positions of the numbers of a card. */
function placesOfNumbers(locale: string): number[] {
  const { svg } = draw('contributions', makeContributions({}), { locale });
  return [...svg.matchAll(/<text class="n" x="([\d.]+)"/g)].map(([, x]) => Number(x));
}

/** Returns the texts of a calendar, without the marks that isolate directions. */
/** Returns the texts of a calendar, without its age. */
function listTexts(described: Parameters<typeof makeCalendar>[0], locale = 'en'): string[] {
  const { texts } = read(draw('calendar', makeCalendar(described), { locale }).svg);
  const { words, date } = loadLanguage(locale);
  const age = ` · ${fill(words.asOf, { date: date(new Date('2026-11-21')) })}`;
  return texts.map((text) => text.replace(/[\u2066-\u2069]/g, '').replace(age, ''));
}
