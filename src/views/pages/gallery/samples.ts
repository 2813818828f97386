import type { Envelope } from '../../../http/pipeline/envelope.ts';
import type { CardInput } from '../../../http/pipeline/images.ts';
import { counterNames } from '../../../model/counters.ts';
import { toLevel } from '../../../model/level.ts';
import type { WindowMeaning } from '../../../model/windows/window.ts';

/**
 * Drawn avatars of invented people. The authors of this project drew them and put them into the public domain (CC0).
 */
const grounds = ['#f4c7ab', '#b8d8be', '#aecbfa', '#f6d98b', '#d7bde2', '#a9dce3', '#f5b7b1', '#c9d6a3', '#e3c9a8'];
const clothes = ['#2f6f8f', '#8a3b5c', '#3e6b48', '#54468a', '#a3562b', '#2d4a6d', '#7a5c1e', '#4b4f57', '#8c2f2f'];
const skins = ['#f2cfae', '#c98e62', '#8d5a3a', '#e3b088', '#6b4226', '#f6dcc4'];
const hairs = ['#2b211c', '#6b3f22', '#c98a2b', '#1d1d24', '#8a8f98', '#a8452a', '#4a2c1a'];

/** Hair on a head with its middle at 32, 27 and a radius of 13. */
const cuts = [
  'M18 27c0-11 6-16 14-16s14 5 14 16c-2-6-5-9-8-10-5 3-14 3-17 1-2 3-3 6-3 9z',
  'M17 44c-3-22 3-33 15-33s18 11 15 33c-2 1-4 1-5 0 3-9 2-17-1-24-6 4-14 4-19 1-3 7-3 15-1 23-1 1-3 1-4 0z',
  'M19 24c-3-8 4-14 13-14s17 5 13 14c-2-4-5-5-9-5-6 0-10 1-17 5z',
  'M18 28c-5-4-3-9 0-10 0-6 6-9 10-7 4-4 11-2 12 2 6 0 8 6 6 10 1 2 0 4-1 5-1-5-3-8-6-9-6 2-12 2-16 0-3 2-4 5-5 9z',
  'M32 5a5 5 0 0 1 5 6c6 1 9 7 9 15-2-5-4-7-7-8-5 2-10 2-14 0-3 1-5 3-7 8 0-8 3-14 9-15a5 5 0 0 1 5-6z',
];
const glasses =
  '<g fill="none" stroke="#22262b" stroke-width="1.4"><circle cx="27" cy="28" r="4"/><circle cx="37" cy="28" r="4"/><path d="M31 28h2"/></g>';

/** Responses about invented people, from which the gallery draws its cards. */

const counters = {
  commits: 1843,
  issues: 127,
  pull_requests: 412,
  reviews: 389,
  stars: 2310,
  contributed_to: 64,
  issues_closed: 103,
  pull_requests_merged: 377,
  discussions: 18,
  discussions_answered: 5,
};
const experience = Object.values(counters).reduce((sum, count) => sum + count, 0);
const account = {
  name: 'mira-solberg',
  display_name: 'Mira Solberg',
  avatar_url: avatarAddress(0),
  experience,
  level: toLevel(experience),
  contributions: counters,
};

const people: readonly (readonly [name: string, displayName: string, contributions: number])[] = [
  ['mira-solberg', 'Mira Solberg', 1843],
  ['tkoroma', 'Tamba Koroma', 972],
  ['yuki-h', 'Yuki Hayashi', 655],
  ['lena', 'Lena Brandt', 412],
  ['oakes', 'Rowan Oakes', 260],
  ['dana-m', 'Dana Mizrahi', 171],
  ['ivo', 'Ivo Petrov', 96],
  ['sgupta', 'Sana Gupta', 58],
  ['nils', 'Nils Aalto', 31],
  ['amara', 'Amara Nwosu', 24],
  ['jun-park', 'Jun Park', 17],
  ['lucia-f', 'Lucía Ferrer', 9],
];
/** The people of a wall of avatars, of whom the last ones have no names to show. */
const crowd: typeof people = Array.from(
  { length: 36 },
  (_, index) => people[index] ?? ([`person-${index}`, '', 8] as const),
);
const avatars = drawnAvatars(crowd.length);

const languages = [
  { name: 'TypeScript', colour: '#3178c6', files: 4120 },
  { name: 'Rust', colour: '#dea584', files: 2210 },
  { name: 'Go', colour: '#00ADD8', files: 1330 },
  { name: 'CSS', colour: '#663399', files: 760 },
  { name: 'Shell', colour: '#89e051', files: 480 },
  { name: 'Python', colour: '#3572A5', files: 290 },
];

const awards: readonly (readonly [name: string, repository: string, day: string])[] = [
  ['Release crew', 'harbour', '2026-09-18'],
  ['Hundred issues', 'tidewater', '2026-06-30'],
  ['Reviewer', 'harbour', '2026-04-02'],
  ['First merge', 'harbour', '2026-02-11'],
];

const dayMs = 86_400_000;
const daysOfYear = 365;

/** A year that ends on a day, with quiet weekends and a holiday in summer. */
function calendarUntil(until: Date): NonNullable<CardInput['calendar']> {
  const dayAt = (index: number): Date => new Date(until.getTime() - (daysOfYear - 1 - index) * dayMs);
  const all = Array.from({ length: daysOfYear }, (_, index) => {
    const isOff = [0, 6].includes(dayAt(index).getUTCDay()) || (index > 215 && index < 236);
    return { day: isoDay(dayAt(index)), contributions: isOff ? 0 : (index * 7919) % 13 };
  });
  const days = all.filter(({ contributions }) => contributions > 0);
  return {
    source: 'provider',
    from: isoDay(dayAt(0)),
    until: isoDay(until),
    days,
    total: days.reduce((sum, { contributions }) => sum + contributions, 0),
    includesPrivate: false,
  };
}

function isoDay(time: Date): string {
  return time.toISOString().slice(0, 10);
}

const shareOfMonths = [31, 44, 38, 52, 47, 70, 66, 58, 81, 77, 90, 100];

/** A year of months, the newest first. */
function monthsUntil(today: Date): CardInput {
  const data = shareOfMonths.toReversed().map((share, index) => monthBefore(today, index, share));
  const [newest] = data;
  const { meta_data } = ofAccount(today);
  return {
    envelope: { meta_data: { ...meta_data, count: data.length, ...(newest && { window: newest.window }) }, data },
    images: avatars,
  };
}

/** Returns the account in the month a number of months before a day. @param share of the counters, in thousandths. */
function monthBefore(today: Date, months: number, share: number): typeof account & { window: WindowMeaning } {
  const toStart = (before: number): string =>
    formatStart(new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - before, 1)));
  const contributions = { ...counters };
  for (const name of counterNames) contributions[name] = Math.round((counters[name] * share) / 1000);
  return {
    ...account,
    contributions,
    window: { since: toStart(months), until: toStart(months - 1), time_zone: 'UTC' },
  };
}

/** Makes the sample of each card of the gallery, as of a day. */
const samples = {
  contributions: (today: Date): CardInput => ({ envelope: ofAccount(today), images: avatars }),
  calendar: (today: Date): CardInput => ({ envelope: ofAccount(today), calendar: calendarUntil(today) }),
  streak: (today: Date): CardInput => ({
    envelope: ofAccount(today),
    calendar: calendarUntil(today),
    streaks: {
      unit: 'day',
      daysOff: [],
      current: { length: 18, from: isoDay(new Date(today.getTime() - 17 * dayMs)), until: isoDay(today) },
      longest: {
        length: 43,
        from: isoDay(new Date(today.getTime() - 142 * dayMs)),
        until: isoDay(new Date(today.getTime() - 100 * dayMs)),
      },
    },
  }),
  languages: (today: Date): CardInput => ({
    envelope: ofAccount(today),
    languages: { languages, files: 9460, otherFiles: 270, areAllHidden: false, includesPrivate: false },
  }),
  contributors: (today: Date): CardInput => ofPeople(today, people),
  achievements: (): CardInput => ({
    envelope: {
      meta_data: { count: awards.length, data_type: 5 },
      data: awards.map(([name, repository_name, day]) => ({
        name,
        repository_name,
        icon_url: '',
        awarded_dttm: `${day}T10:00:00Z`,
      })),
    },
    holders: [3, 9, 40, 120],
    next: { name: 'Hundred reviews', icon_url: '', present: 64, wanted: 100 },
  }),
  board: (today: Date): CardInput => ({
    envelope: {
      meta_data: {
        count: ranked,
        data_type: 0,
        board: {
          name: 'Harbour sprint',
          as_of: formatStart(today),
          ranked_dttm: formatStart(today),
          window: { since: null, until: null, time_zone: 'UTC' },
          repositories: { total: 6, complete: 6, incomplete: [] },
        },
      },
      data: people.slice(0, ranked).map(([name, display_name, contributions], index) => ({
        rank: index + 1,
        points: Math.round(contributions / 20),
        change: [0, 1, -1, 2, null, 0][index] ?? 0,
        newcomer: index === 4,
        person: { name, display_name, avatar_url: avatarAddress(index) },
      })),
    },
    images: avatars,
  }),
  community: (today: Date): CardInput => ofPeople(today, people),
  classic: (today: Date): CardInput => ({ envelope: ofAccount(today), images: avatars }),
  compact: (today: Date): CardInput => ({ envelope: ofAccount(today), images: avatars }),
  trend: monthsUntil,
  wall: (today: Date): CardInput => ofPeople(today, crowd),
};
const ranked = 6;
export type GalleryCard = keyof typeof samples;

/** The cards of the gallery, in an order in which two fit beside each other, or one wide one. */
export const galleryCards: readonly GalleryCard[] = [
  'contributions',
  'achievements',
  'classic',
  'trend',
  'calendar',
  'streak',
  'languages',
  'contributors',
  'wall',
  'board',
  'compact',
  'community',
];

/** Cards of the gallery that are another card with parameters. */
const variants: Partial<Readonly<Record<GalleryCard, CardWithParameters>>> = {
  classic: { card: 'contributions', parameters: { layout: 'classic' } },
  compact: { card: 'contributions', parameters: { layout: 'compact' } },
  trend: { card: 'contributions', parameters: { period: 'this-month', limit: '12', show: 'trend' } },
  wall: { card: 'contributors', parameters: { limit: String(crowd.length) } },
};

/** A card, and the parameters of its address. */
interface CardWithParameters {
  card: string;
  parameters: Readonly<Record<string, string>>;
}

/** Returns the card that a card of the gallery is, and the parameters with which it is drawn. */
export function findParameters(card: GalleryCard): CardWithParameters {
  return variants[card] ?? { card, parameters: {} };
}

/** Returns the card of the gallery that is nearest to a card with parameters; undefined where it has no sample. */
export function findGalleryCard(card: string, parameters: ReadonlyMap<string, string>): GalleryCard | undefined {
  const alike = galleryCards.filter((name) => {
    const sample = findParameters(name);
    return (
      sample.card === card && Object.entries(sample.parameters).every(([key, value]) => parameters.get(key) === value)
    );
  });
  // A sample with parameters is nearer than the card without any.
  return alike.find((name) => name in variants) ?? alike[0];
}

/** Returns the response that a card of the gallery shows, as of a day. */
export function createSample(card: GalleryCard, today: Date): CardInput {
  return samples[card](today);
}

function ofAccount(today: Date): Envelope {
  return { meta_data: { count: 1, data_type: 1, as_of: formatStart(today), complete: true }, data: [account] };
}

function ofPeople(today: Date, shown: typeof people): CardInput {
  const data = shown.map(([name, display_name, contributions], index) => ({
    name,
    display_name,
    avatar_url: avatarAddress(index),
    contributions,
  }));
  const meta_data = { count: data.length, data_type: 3, as_of: formatStart(today), complete: true } as const;
  return { envelope: { meta_data, data }, of: 'harbour', images: avatars };
}

function formatStart(day: Date): string {
  return `${isoDay(day)}T00:00:00Z`;
}

/** Returns the address of a drawn avatar, which leads nowhere. */
function avatarAddress(index: number): string {
  return `avatar:${index}`;
}

/** Returns a drawn avatar as SVG, another one for each index up to some thousands. */
export function drawAvatar(index: number): string {
  const of = (choices: readonly string[], step: number): string => choices[(index * step + 1) % choices.length] ?? '';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><rect width="64" height="64" fill="${of(grounds, 4)}"/><path fill="${of(clothes, 5)}" d="M10 64c0-14 9-20 22-20s22 6 22 20z"/><path fill="${of(skins, 1)}" d="M27 36h10v9a5 5 0 0 1-10 0z"/><circle cx="32" cy="27" r="13" fill="${of(skins, 1)}"/><path fill="${of(hairs, 3)}" d="${of(cuts, 2)}"/><g fill="#22262b"><circle cx="27.5" cy="28" r="1.4"/><circle cx="36.5" cy="28" r="1.4"/></g><path d="M28 33.5q4 3 8 0" fill="none" stroke="#22262b" stroke-width="1.4" stroke-linecap="round"/>${index % 4 === 2 ? glasses : ''}</svg>`;
}

/** Returns drawn avatars as data URLs, by their addresses. */
function drawnAvatars(count: number): ReadonlyMap<string, string> {
  return new Map(
    Array.from({ length: count }, (_, index) => [
      avatarAddress(index),
      `data:image/svg+xml;base64,${Buffer.from(drawAvatar(index)).toString('base64')}`,
    ]),
  );
}
