import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { WindowSchema } from '../../../http/pipeline/envelope.ts';
import type { CardInput } from '../../../http/pipeline/images.ts';
import { type CounterName, contributionKinds, counterRows, namesOfKinds } from '../../../model/kinds.ts';
import { type LevelProgress, toLevelProgress } from '../../../model/level.ts';
import type { WindowMeaning } from '../../../model/windows/window.ts';
import { fill, type Language } from '../../languages/language.ts';
import type { CardOptions } from '../options.ts';
import {
  asOfResponse,
  formatCoverage as coverageWithoutWindow,
  formatDays,
  readResumesAt,
} from '../states/coverage.ts';
import type { Trend } from './trend.ts';

const Item = Type.Object({
  name: Type.String(),
  display_name: Type.String(),
  avatar_url: Type.String(),
  experience: Type.Integer(),
  level: Type.Integer(),
  contributions: Type.Record(Type.String(), Type.Integer()),
  window: Type.Optional(WindowSchema),
  calendar_total: Type.Optional(Type.Integer()),
});
const compiledItem = Compile(Item);

/** The numbers of an account, as the card of contributions shows them. */
export interface Content {
  account: Static<typeof Item>;
  missing: readonly string[];
  includesPrivate: boolean;
  countsCollected: boolean;
  /** True when more of the missing numbers is expected. */
  isCollecting: boolean;
  asOf: Date | undefined;
  /** The time at which collecting the rest goes on. */
  resumesAt: Date | undefined;
  /** The window of the numbers; undefined: lifetime. */
  window: WindowMeaning | undefined;
  /** Undefined without a series of windows. */
  trend: Trend | undefined;
}

/** A counter with the text that shows its value. */
export interface Counter {
  name: CounterName;
  value: number;
  full: string;
}

/** The counters that are shown by default, and on request. */
export const usual = counterRows.flatMap(({ name, isUsual }) => (isUsual ? [name] : []));
export const further = counterRows.flatMap(({ name, isUsual }) => (isUsual ? [] : [name]));

/** Reads a response of endpoint 2; undefined when it has no account. */
export function readContent({ envelope, countsCollected = false }: CardInput): Content | undefined {
  const { data, meta_data } = envelope;
  const [item] = data;
  if (!compiledItem.Check(item)) return undefined;
  return {
    account: item,
    missing: meta_data.missing ?? [],
    includesPrivate: meta_data.includes_private === true,
    countsCollected,
    isCollecting: meta_data.missing !== undefined && meta_data.progress?.reason !== 'refused',
    asOf: asOfResponse(envelope),
    resumesAt: readResumesAt(envelope),
    window: meta_data.window,
    trend: meta_data.window === undefined ? undefined : toTrend(data, meta_data.missing ?? []),
  };
}

const contributing = namesOfKinds(contributionKinds);

/**
 * Returns the trend of a series of windows, the newest first; undefined for a single one. Sums of the host's calendar and
 * collected ones never stand side by side.
 */
function toTrend(items: readonly unknown[], missing: readonly string[]): Trend | undefined {
  const known = items.filter((item) => compiledItem.Check(item)).toReversed();
  const [oldest, newest] = [known.at(0)?.window, known.at(-1)?.window];
  if (known.length < 2 || oldest === undefined || newest === undefined) return undefined;
  const isOfHost = known.some((item) => item.calendar_total !== undefined);
  const isIncomplete = contributing.some((name) => missing.includes(name));
  const values = known.map(({ contributions, calendar_total: total = null }) => {
    if (isOfHost) return total;
    const sum = contributing.reduce((all, name) => all + (contributions[name] ?? 0), 0);
    return sum === 0 && isIncomplete ? null : sum;
  });
  return { values, isOfHost, oldest, newest };
}

export function shownCounters({ hide, show }: CardOptions): CounterName[] {
  return counterRows.flatMap(({ name, isUsual }) => (!hide.has(name) && (isUsual || show.has(name)) ? [name] : []));
}

/** Formats a counter; a dash stands for a value that is not known. */
export function toCounter(content: Content, name: CounterName, language: Language): Counter {
  const value = content.account.contributions[name] ?? 0;
  if (isUnknown(content, name, value)) return { name, value, full: '–' };
  return { name, value, full: language.number(value) };
}

function isUnknown({ missing }: Content, name: string, value: number): boolean {
  return value === 0 && missing.includes(name);
}

/** The level in texts. */
export interface LevelTexts {
  /** The number of the level; a dash where it is not known. */
  number: string;
  level: string;
  /** The experience that is missing to the next level; where the level is not known, that it is being collected. */
  way: string;
  share: LevelProgress['share'];
}

/** Longer numbers have no room on narrow cards. */
const shortenedFrom = 1_000_000;

export function formatLevel(content: Content, { words, number, compactNumber }: Language): LevelTexts {
  const { level, experience } = content.account;
  // Where the host reports no totals, the level is final once everything of the account is collected, and the card says so.
  const isOfCollected = content.countsCollected && !content.isCollecting && content.window === undefined;
  if (content.missing.includes('level') && !isOfCollected) {
    const way = content.isCollecting ? words.collecting : '';
    return { number: '–', level: fill(words.level, { n: '–' }), way, share: 0 };
  }
  const { share, left, next } = toLevelProgress(experience);
  return {
    number: number(level),
    level: fill(words.level, { n: number(level) }),
    way: fill(words.toNext, { n: left < shortenedFrom ? number(left) : compactNumber(left), level: number(next) }),
    share,
  };
}

/** Returns the window and the coverage of the numbers, in parts that stand side by side. */
export function formatContentCoverage(content: Content, language: Language): string[] {
  const { missing, includesPrivate, countsCollected, asOf, resumesAt, window } = content;
  const isIncomplete = missing.length > 0 && !countsCollected;
  const coverage = {
    includesPrivate,
    isCollected: missing.length > 0 && countsCollected,
    isIncomplete,
    resumesAt,
    asOf,
  };
  return [
    ...(window === undefined ? [] : [formatDays(window, language.date)]),
    ...coverageWithoutWindow(coverage, language),
  ];
}
