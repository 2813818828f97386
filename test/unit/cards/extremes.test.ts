import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textStyles } from '../../../src/views/cards/drawing/canvas.ts';
import { padding } from '../../../src/views/cards/drawing/frame.ts';
import { locales } from '../../../src/views/languages/texts.ts';
import {
  makeAchievements,
  makeBoard,
  makeContributions,
  makeContributors,
  makeLanguages,
  makeSeries,
  makeStreak,
  names,
} from './inputs.ts';
import { readSvg } from './read-svg.ts';
import { draw } from './samples.ts';

/** Cards with very few, very many or very long items. */

/** Returns how many circles have each y coordinate, from the top. */
function rowsOfCircles(svg: string): number[] {
  const rows = new Map<string, number>();
  for (const [, y = ''] of svg.matchAll(/<circle class="t"[^>]* cy="([\d.]+)"/g)) rows.set(y, (rows.get(y) ?? 0) + 1);
  return [...rows.values()];
}

/** Returns the numbers of an attribute of the elements that a pattern describes. */
function listNumbers(svg: string, element: RegExp, attribute: string): number[] {
  return [...svg.matchAll(element)].map(([text]) => Number(new RegExp(` ${attribute}="([\\d.]+)"`).exec(text)?.[1]));
}

describe('lists of people and awards', () => {
  it('name people who would be alone below the twelve', () => {
    for (const [count, named] of [
      [12, 12],
      [13, 13],
      [14, 14],
      [15, 12],
      [30, 12],
    ] as const) {
      const { texts } = readSvg(draw('contributors', makeContributors(count)).svg);
      assert.equal(texts.filter((text) => / contributions?$/.test(text)).length, named, `${count}`);
    }
    const { texts } = readSvg(draw('contributors', makeContributors(14), { width: 240 }).svg);
    assert.equal(texts.filter((text) => /^[\d,]+(?: contributions?)?$/.test(text)).length, 12);
  });

  it('show the others in rows of equal lengths', () => {
    assert.deepEqual(rowsOfCircles(draw('contributors', makeContributors(23)).svg).slice(-2), [6, 5]);
    assert.deepEqual(rowsOfCircles(draw('contributors', makeContributors(11), { hide: 'names' }).svg), [6, 5]);
  });

  it('leave out the word of a number that has no room, instead of cutting it', () => {
    const { texts } = readSvg(draw('contributors', makeContributors(6), { width: 240 }).svg);
    assert.ok(texts.includes('1,000,000,000') && texts.includes('2,400 contributions'), texts.join());
  });

  it('show awards after the thirteenth as medals alone', () => {
    const { texts, description } = readSvg(draw('achievements', makeAchievements(40)).svg);
    assert.equal(texts.filter((text) => /^\w+ 15, 2026$/.test(text)).length, 13);
    assert.equal(description.match(/15, 2026/g)?.length, 40);
  });

  it('keep the lines of a long newest award below the title', () => {
    const { envelope } = makeAchievements(1);
    const data = [{ ...Object(envelope.data[0]), name: names.long }];
    const { svg } = draw('achievements', { envelope: { ...envelope, data }, holders: [2] }, { width: 240 });
    const [title = 0] = listNumbers(svg, /<text class="h"[^>]*>/g, 'y');
    const [first = 0] = listNumbers(svg, /<text class="b"[^>]*>/g, 'y');
    assert.ok(first - textStyles.name.sizePx >= title + 10, `${title} ${first}`);
  });
});

describe('the podium of a board', () => {
  const ranked = (...ranks: readonly number[]) => {
    const { envelope } = makeBoard(ranks.length);
    const data = envelope.data.map((item, index) => ({ ...Object(item), rank: ranks[index] }));
    return { envelope: { ...envelope, data } };
  };
  const listHeights = (...ranks: readonly number[]) =>
    listNumbers(draw('board', ranked(...ranks)).svg, /<rect class="t"[^>]*>/g, 'height');

  it('stands equal ranks on steps of equal heights', () => {
    assert.deepEqual(listHeights(1, 2, 3), [50, 38, 28]);
    assert.deepEqual(listHeights(1, 2, 2), [50, 38, 38]);
    assert.deepEqual(listHeights(1, 1, 3), [50, 50, 28]);
    assert.deepEqual(listHeights(1, 1, 1), [50, 50, 50]);
  });

  it('leaves out the unit of all points where it has no room for one', () => {
    const { texts } = readSvg(draw('board', makeBoard(3), { width: 240 }).svg);
    assert.ok(texts.includes('43.5') && texts.filter((text) => text === '20').length === 2, texts.join());
  });

  it('ends as far above the edge of the card with rows as without', () => {
    const [alone, withRow] = [1, 4].map((count) => draw('board', makeBoard(count)));
    assert.equal(alone?.heightPx, 246);
    assert.equal(withRow?.heightPx, 246 + 16 + 28);
  });
});

describe('boards with long texts', () => {
  it('break their title into two lines, and keep points and changes whole', () => {
    const { envelope } = makeBoard(5);
    const board = {
      ...Object(envelope.meta_data['board']),
      name: 'The great harvest and hackathon of all gardeners here',
    };
    const data = envelope.data.map((item) => ({ ...Object(item), points: 1_234_567.25, change: -1234 }));
    const input = { envelope: { ...envelope, meta_data: { ...envelope.meta_data, board }, data } };
    const { texts } = readSvg(draw('board', input, { width: 380 }).svg);
    assert.ok(texts.includes('The great harvest and hackathon of all'), texts.join(' | '));
    assert.ok(texts.includes('gardeners here') && texts.includes('1.2K'), texts.join(' | '));
    assert.deepEqual(
      texts.filter((text) => /\d.*…/.test(text)),
      [],
    );
  });
});

describe('streaks', () => {
  it('break their dates between the first and the last one', () => {
    const { texts } = readSvg(draw('streak', makeStreak()).svg);
    assert.ok(texts.includes('Dec 20, 2025 –') && texts.includes('Jan 29, 2026'), texts.join(' | '));
  });

  it('name their days off, whole on the narrowest card in every language', () => {
    const { texts, description } = readSvg(draw('streak', makeStreak({ daysOff: [6, 7] })).svg);
    assert.ok(
      texts.some((text) => text.startsWith('Days off: Sat, Sun · ')),
      texts.join(' | '),
    );
    assert.match(description, /Days off: Sat, Sun/);
    const all = makeStreak({ daysOff: [1, 2, 3, 4, 5, 6, 7] });
    for (const locale of locales) {
      const narrow = readSvg(draw('streak', all, { locale, width: 240 }).svg);
      assert.ok(!narrow.texts.some((text) => text.includes('…')), `${locale} ${narrow.texts.join(' | ')}`);
    }
    assert.doesNotMatch(draw('streak', makeStreak({ unit: 'week', daysOff: [6] })).svg, /Days off/);
  });
});

describe('languages', () => {
  const many = makeLanguages(Array.from({ length: 20 }, (_, index) => Math.round(5000 / (index + 1) ** 2)));

  it('fill the bar to its end, however many are small', () => {
    for (const input of [makeLanguages([5000]), many]) {
      const { svg } = draw('languages', input, { hide: 'other' });
      const at = listNumbers(svg, /<rect class="f"[^>]*>/g, 'x').at(-1) ?? 0;
      const width = listNumbers(svg, /<rect class="f"[^>]*>/g, 'width').at(-1) ?? 0;
      assert.ok(Math.abs(at + width - (480 - padding)) < 0.1, `${at + width}`);
    }
  });

  it('have names of one size', () => {
    for (const width of [240, 480]) {
      const named = [
        ...draw('languages', many, { width }).svg.matchAll(/<text class="(\w)"[^>]*>(?:Lua|C\+\+|Game Maker)/g),
      ];
      assert.equal(new Set(named.map(([, style]) => style)).size, 1, `${width}`);
    }
  });
});

describe('numbers of seven digits', () => {
  it('are whole and of one size on the narrowest card', () => {
    const { svg } = draw('contributions', makeContributions({ value: 1_234_567 }), { width: 240 });
    const styles = [...svg.matchAll(/<text class="(\w)"[^>]*>1,234,567</g)].map(([, style]) => style);
    assert.equal(styles.length, 6);
    assert.equal(new Set(styles).size, 1);
  });
});

describe('trends', () => {
  it('have dashes in place of windows that are not known, and say when the host counts', () => {
    const { envelope } = makeSeries();
    const itemWith = (facts: object) => Object.assign({}, envelope.data[0], facts);
    const describedBy = (data: object[], missing: string[]): string => {
      const input = { envelope: { ...envelope, meta_data: { ...envelope.meta_data, missing }, data } };
      return /<desc[^>]*>(.*?)<\/desc>/s.exec(draw('contributions', input, { show: 'trend' }).svg)?.[1] ?? '';
    };
    const empty = itemWith({ contributions: {} });
    const some = itemWith({ contributions: { commits: 5, stars: 9 } });
    assert.match(describedBy([some, empty], []), /: 0, 5\./);
    assert.match(describedBy([some, empty], ['stars']), /: 0, 5\./);
    assert.match(describedBy([some, empty], ['commits']), /: –, 5\./);
    const counted = describedBy([{ ...empty, calendar_total: 54 }, some], ['commits']);
    assert.match(counted, /: –, 54\./);
    assert.match(counted, /calendar/);
  });

  const listBars = (count: number, width = 480) => {
    const { envelope } = makeSeries();
    const data = Array.from({ length: count }, (_, index) => envelope.data[index % 4]);
    const { svg } = draw('contributions', { envelope: { ...envelope, data } }, { show: 'trend', width });
    const bars = /<rect class="(?:a f|t)"[^>]*>/g;
    return { at: listNumbers(svg, bars, 'x'), width: listNumbers(svg, bars, 'width') };
  };

  it('reach from side to side, and keep few bars together', () => {
    for (const count of [12, 36]) {
      const { at, width } = listBars(count);
      assert.equal(at[0], padding);
      assert.ok(Math.abs((at.at(-1) ?? 0) + (width.at(-1) ?? 0) - (480 - padding)) < 0.1);
    }
    const few = listBars(2, 1200);
    assert.deepEqual(
      [few.at, few.width],
      [
        [padding, padding + 72],
        [48, 48],
      ],
    );
    assert.equal(listBars(1).at.length, 0);
  });
});
