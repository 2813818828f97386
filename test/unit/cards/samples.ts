import type { CardInput } from '../../../src/http/pipeline/images.ts';
import type { Images } from '../../../src/views/cards/card.ts';
import type { Drawing } from '../../../src/views/cards/drawing/frame.ts';
import { findCard } from '../../../src/views/cards/index.ts';
import { type CardOptionsQuery, readCardOptions } from '../../../src/views/cards/options.ts';
import {
  makeAchievements,
  makeBoard,
  makeCalendar,
  makeContributions,
  makeContributors,
  makeLanguages,
  makeProgress,
  makeSeries,
  makeStreak,
  names,
  someImages,
} from './inputs.ts';

/** Cards that tests look at. */

export function draw(
  card: string,
  input: CardInput,
  query: CardOptionsQuery = {},
  images: Images = new Map(),
): Drawing {
  const found = findCard(card);
  const options = readCardOptions(query, found.parts);
  const readable = found.read(input, options);
  if (readable === undefined) throw new Error(`${card} has nothing to draw`);
  return readable.draw(images);
}

/** Cards with golden files, by the names of the files. */
const samples: Record<string, (query: CardOptionsQuery) => Drawing> = {
  contributions: (query) => draw('contributions', makeContributions({}), query),
  'contributions-dark': (query) => draw('contributions', makeContributions({}), { theme: 'dark', ...query }),
  'contributions-wide': (query) =>
    draw('contributions', makeContributions({ display_name: names.long, value: 1_000_000_000 }), {
      show: 'pull_requests_merged,issues_closed,discussions,discussions_answered',
      width: 640,
      columns: 5,
      ...query,
    }),
  'contributions-new': (query) =>
    draw(
      'contributions',
      makeContributions({ display_name: '', value: 0 }, { missing: ['stars', 'experience', 'level'] }),
      query,
    ),
  'contributions-ar': (query) =>
    draw('contributions', makeContributions({ display_name: names.arabic }), { locale: 'ar', ...query }),
  'contributions-narrow': (query) => draw('contributions', makeContributions({}), { width: 240, ...query }),
  'contributions-classic': (query) => draw('contributions', makeContributions({}), { layout: 'classic', ...query }),
  'contributions-compact': (query) => draw('contributions', makeContributions({}), { layout: 'compact', ...query }),
  'contributions-trend': (query) => draw('contributions', makeSeries(), { show: 'trend', ...query }),
  contributors: (query) => draw('contributors', makeContributors(10, 14), query, someImages),
  board: (query) => draw('board', makeBoard(7, 14), query, someImages),
  'board-ar': (query) => draw('board', makeBoard(2), { locale: 'ar', hide: 'changes', ...query }, new Map()),
  'contributors-he': (query) => draw('contributors', makeContributors(4, 3), { locale: 'he', ...query }, new Map()),
  'contributors-many': (query) => draw('contributors', makeContributors(30, 5), query, someImages),
  'contributors-wall': (query) => draw('contributors', makeContributors(30), { hide: 'names', ...query }, someImages),
  calendar: (query) => draw('calendar', makeCalendar(), query),
  'calendar-narrow': (query) => draw('calendar', makeCalendar(), { width: 300, ...query }),
  'calendar-ar': (query) => draw('calendar', makeCalendar(), { locale: 'ar', ...query }),
  'calendar-reported': (query) => draw('calendar', makeCalendar({ source: 'provider' }), query),
  'calendar-reported-private': (query) =>
    draw('calendar', makeCalendar({ source: 'provider', includesPrivate: true }), query),
  'calendar-reported-he': (query) =>
    draw('calendar', makeCalendar({ source: 'provider', includesPrivate: true }), { locale: 'he', ...query }),
  'calendar-unfinished': (query) => draw('calendar', makeCalendar({ isFinal: false }), query),
  'calendar-unfinished-narrow': (query) =>
    draw('calendar', makeCalendar({ includesPrivate: true, isFinal: false }), { width: 300, ...query }),
  'calendar-quarter': (query) => draw('calendar', makeCalendar({ from: '2026-07-01', until: '2026-09-30' }), query),
  'calendar-month-ar': (query) =>
    draw('calendar', makeCalendar({ from: '2026-10-01', until: '2026-10-31' }), { locale: 'ar', ...query }),
  'calendar-month-narrow': (query) =>
    draw('calendar', makeCalendar({ from: '2026-10-15', until: '2026-11-13' }), { width: 240, ...query }),
  'calendar-empty': (query) => draw('calendar', makeCalendar({ source: 'provider', isEmpty: true }), query),
  streak: (query) => draw('streak', makeStreak(), query),
  'streak-weeks-narrow': (query) => draw('streak', makeStreak({ unit: 'week' }), { width: 240, ...query }),
  'streak-empty-ar': (query) => draw('streak', makeStreak({ isEmpty: true }), { locale: 'ar', ...query }),
  languages: (query) => draw('languages', makeLanguages(), query),
  'languages-narrow': (query) => draw('languages', makeLanguages(), { width: 240, ...query }),
  'languages-he': (query) => draw('languages', makeLanguages(), { locale: 'he', theme: 'dark', ...query }),
  achievements: (query) => draw('achievements', makeAchievements(5), query, someImages),
  'achievements-narrow': (query) => draw('achievements', makeAchievements(3), { width: 240, ...query }, someImages),
  'achievements-icons': (query) => draw('achievements', makeAchievements(8), { hide: 'names', ...query }),
  'achievements-raw': (query) => draw('achievements', makeAchievements(9), { raw: true, ...query }, someImages),
  'achievements-next': (query) => draw('achievements', makeProgress(5), query, someImages),
  'achievements-next-ar': (query) => draw('achievements', makeProgress(2), { locale: 'ar', width: 240, ...query }),
  'achievements-next-alone': (query) => draw('achievements', makeProgress(0), { theme: 'dark', ...query }),
  community: (query) => draw('community', makeContributors(30, 12), query),
};
export const sampleNames = Object.keys(samples);

export function drawSample(name: string, query: CardOptionsQuery = {}): Drawing {
  return (samples[name] ?? (() => draw(name, makeContributions({}), query)))(query);
}
