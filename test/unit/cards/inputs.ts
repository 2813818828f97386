import type { CalendarInput, CardInput } from '../../../src/http/pipeline/images.ts';
import type { Images } from '../../../src/views/cards/card.ts';

/** Card inputs for tests that look at cards. */

const as_of = '2026-11-21T12:00:00Z';

export function makeContributions(
  account: { name?: string; display_name?: string; value?: number },
  meta: { missing?: string[]; includes_private?: boolean } = {},
): CardInput {
  const { name = 'ada-lovelace', display_name = 'Ada Lovelace', value } = account;
  const counters = {
    commits: value ?? 1843,
    issues: value ?? 127,
    pull_requests: value ?? 412,
    reviews: value ?? 389,
    stars: value ?? 2310,
    contributed_to: value ?? 64,
    issues_closed: value ?? 103,
    pull_requests_merged: value ?? 377,
    discussions: value ?? 18,
    discussions_answered: value ?? 5,
  };
  const experience = Object.values(counters).reduce((sum, count) => sum + count, 0);
  const level = experience === 0 ? 0 : Math.floor(Math.sqrt(experience / 100)) + 1;
  const item = {
    name,
    display_name,
    avatar_url: 'https://images.example/ada',
    experience,
    level,
    contributions: counters,
  };
  return { envelope: { meta_data: { count: 1, data_type: 1, as_of, ...meta }, data: [item] } };
}

/** Returns the same time on the last day of an earlier month. */
function monthsBefore(instant: string, months: number): string {
  const at = new Date(instant);
  at.setUTCMonth(at.getUTCMonth() - months + 1, 0);
  return at.toISOString();
}

/** Returns a series of twelve months, newest first. */
export function makeSeries(): CardInput {
  const { envelope } = makeContributions({});
  const window = { since: '2026-10-31T23:00:00Z', until: '2026-11-30T23:00:00Z', time_zone: 'Europe/Berlin' };
  const months = Array.from({ length: 12 }, (_, index) => ({
    ...Object(envelope.data[0]),
    contributions: { commits: (index * 37) % 90, issues: index === 5 ? 0 : 4, pull_requests: 12, reviews: 7 },
    window: { ...window, since: monthsBefore(window.since, index), until: monthsBefore(window.until, index) },
  }));
  return { envelope: { meta_data: { ...envelope.meta_data, window, source: 'collected' }, data: months } };
}

/** Names that cards must be able to show. */
export const names = {
  long: 'Wolfeschlegelsteinhausenbergerdorff Wmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm',
  cjk: '山田太郎と愉快な仲間たち国際開発共同体東京支部第二開発室',
  korean: '김민준 오픈소스 개발자 커뮤니티 서울 지부',
  arabic: 'محمد عبد الله الخوارزمي (مطوّر برمجيات حرّة)',
  hebrew: 'ישראל ישראלי — מפתח תוכנה!',
  emoji: 'Zoë 👩‍👩‍👧‍👦🏳️‍🌈🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀🚀',
  combining: 'Z̸̧̢̛̙̠͇̖̲͔̀͌̓̽a̷̡̛͓̪̯͊̓͆̎l̶̢̗̪̋̽̏g̶̨̛̭̖̠̃̎̀ő̵̙̳̱͊͛ the name of piled marks',
  hindi: 'अनन्या शर्मा — मुक्त स्रोत समुदाय की सदस्य और योगदानकर्ता',
  hostile: '</text><script>alert(1)</script>&"\'\u202E]]>',
};

const people = [
  'Ada Lovelace',
  names.cjk,
  names.arabic,
  'grace',
  names.long,
  names.emoji,
  'Renée Öztürk',
  names.hebrew,
  names.hindi,
  'x',
];

const achievements = ['Merge hero', 'First steps', 'Bug squasher of the whole wide world', '功績', 'Reviewer'];
const nextAchievement = 'Green thumb of the whole wide garden';
const longRepository = 'a-repository-with-quite-a-long-name';

/** The names in the inputs that people gave, which cards may shorten. */
export const givenNames: readonly string[] = [
  ...people,
  ...Object.values(names),
  ...achievements,
  nextAchievement,
  longRepository,
];

export function makeContributors(count: number, further = 0): CardInput {
  const data = Array.from({ length: count }, (_, index) => ({
    name: `person-${index}`,
    display_name: people[index % people.length] ?? '',
    avatar_url: `https://images.example/${index}`,
    contributions: index === 4 ? 1_000_000_000 : Math.max(1, Math.round(2400 / (index + 1) ** 1.3)),
  }));
  return {
    envelope: { meta_data: { count, data_type: 3, as_of, complete: true }, data },
    further,
    of: 'analytical-engines/difference',
  };
}

/** Returns a board of some people, of whom the second and the third have the same rank. */
export function makeBoard(count: number, further = 0): CardInput {
  const data = Array.from({ length: count }, (_, index) => ({
    rank: index === 2 ? 2 : index + 1,
    points: [43.5, 20, 20, 7.25, 5, 4, 3, 1][index % 8],
    change: [0, 2, null, -1][index % 4],
    newcomer: index === 3,
    person: {
      name: `person-${index}`,
      display_name: people[index % people.length] ?? '',
      avatar_url: `https://images.example/${index}`,
    },
  }));
  const repositories = { total: 12, complete: 11, incomplete: [{ state: 'collecting' }] };
  const window = { since: null, until: null, time_zone: 'UTC' };
  const board = { name: 'Release 4 sprint', as_of, ranked_dttm: as_of, window, repositories };
  return { envelope: { meta_data: { count, data_type: 0, as_of, complete: false, board }, data }, further };
}

/**
 * Returns a year with weekends off and a holiday, as days of collected repositories or as 53 weeks from the provider.
 */
export function makeCalendar(
  described: Partial<Pick<CalendarInput, 'source' | 'until' | 'includesPrivate'>> & {
    isEmpty?: boolean;
    isFinal?: boolean;
    /** The first day of a window; absent: the last year. */
    from?: string;
  } = {},
): CardInput {
  const {
    source = 'collected',
    until = '2026-11-21',
    includesPrivate = false,
    isEmpty = false,
    isFinal = true,
    from,
  } = described;
  const last = new Date(until);
  const year = source === 'provider' ? 365 + last.getUTCDay() : 365;
  const count = from === undefined ? year : (last.getTime() - Date.parse(from)) / 86_400_000 + 1;
  const all = Array.from({ length: count }, (_, index) => {
    const time = last.getTime() - (count - 1 - index) * 86_400_000;
    const weekday = new Date(time).getUTCDay();
    const isOff = isEmpty || weekday === 0 || weekday === 6 || (index > 200 && index < 222);
    return { day: new Date(time).toISOString().slice(0, 10), contributions: isOff ? 0 : (index * 7919) % 17 };
  });
  const days = all.filter(({ contributions }) => contributions > 0);
  const total = days.reduce((sum, { contributions }) => sum + contributions, 0);
  const { envelope } = makeContributions({});
  const window = from === undefined ? {} : { window: { since: from, until: null, time_zone: 'UTC' } };
  return {
    envelope: {
      ...envelope,
      meta_data: { ...envelope.meta_data, complete: isFinal, includes_private: includesPrivate, ...window },
    },
    calendar: { source, from: all[0]?.day ?? until, until, days, total, includesPrivate },
  };
}

/** Returns streaks of 12 and of 41 days or weeks, or none. */
export function makeStreak(
  described: { unit?: 'day' | 'week'; daysOff?: readonly number[]; isEmpty?: boolean } = {},
): CardInput {
  const { unit = 'day', daysOff = [], isEmpty = false } = described;
  const noStreak = { length: 0, from: null, until: null };
  return {
    ...makeCalendar(),
    streaks: {
      unit,
      daysOff,
      current: isEmpty ? noStreak : { length: 12, from: '2026-11-10', until: '2026-11-21' },
      longest: isEmpty ? noStreak : { length: 41, from: '2025-12-20', until: '2026-01-29' },
    },
  };
}

/** Returns languages, some of them with long names or without a colour, and 40 further changed files. */
export function makeLanguages(files: readonly number[] = [4120, 2210, 1330, 760, 480, 3]): CardInput {
  const named = [
    { name: 'TypeScript', colour: '#3178c6' },
    { name: 'Game Maker Language', colour: '#71b417' },
    { name: 'C++', colour: '#f34b7d' },
    { name: 'GCC Machine Description' },
    { name: 'Lua', colour: '#000080' },
    { name: 'Shell', colour: '#89e051' },
  ];
  const languages = files.map((count, index) => ({ ...(named[index % named.length] ?? { name: '?' }), files: count }));
  const sum = files.reduce((total, count) => total + count, 0);
  const { envelope } = makeContributions({});
  return {
    envelope,
    languages: { languages, files: sum + 40, otherFiles: 40, areAllHidden: false, includesPrivate: false },
  };
}

export function makeAchievements(count: number): CardInput {
  const data = Array.from({ length: count }, (_, index) => ({
    name: achievements[index % achievements.length],
    repository_name: index % 2 === 0 ? 'plaudit' : longRepository,
    icon_url: `https://images.example/icon-${index}`,
    awarded_dttm: `2026-0${1 + (index % 9)}-15T10:00:00Z`,
  }));
  const holders = data.map((_, index) => [2, 7, 0, 40, 101][index % 5] ?? 0);
  return { envelope: { meta_data: { count, data_type: 5 }, data }, holders };
}

/** Returns awards, and the achievement that comes next. */
export function makeProgress(count: number): CardInput {
  const next = { name: nextAchievement, icon_url: '', present: 14, wanted: 20 };
  return { ...makeAchievements(count), next };
}

/** A square in one colour. */
const dot =
  'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHdpZHRoPSI4IiBoZWlnaHQ9IjgiPjxyZWN0IHdpZHRoPSI4IiBoZWlnaHQ9IjgiIGZpbGw9IiM4YTYzZDIiLz48L3N2Zz4=';
export const someImages: Images = new Map(
  ['0', '3', 'icon-1', 'icon-4'].map((name) => [`https://images.example/${name}`, dot]),
);
