import { readMoment, startOfDay } from '../../model/windows/moments.ts';
import { unitWith } from '../../model/windows/periods.ts';
import { readWindow, type Window, windowBefore } from '../../model/windows/window.ts';
import type { Board, BoardRule, WindowRule } from './board.ts';

/**
 * Stands for the present when fixed windows are read, because a board may be announced long before its window begins.
 */
const farFuture = new Date('9000-01-01');
/** Enough for weekly seasons of fifty years. */
const maxSeasons = 2600;

/** The window of a board at one moment. */
export interface BoardWindow extends Window {
  /** The beginning of the window of the same length before this one; null where a side is open. */
  beforeSince: Date | null;
  /** The number of the season, from 1; null for a board without seasons. */
  season: number | null;
}

/** Returns the window in which a board counts at a moment. */
export function toBoardWindow(rule: WindowRule, now: Date): BoardWindow {
  const { timeZone } = rule;
  if (rule.kind === 'seasons') {
    const number = seasonAt(rule, now);
    return withBefore(season(rule, number), number);
  }
  const text =
    rule.kind === 'period'
      ? { period: rule.period, time_zone: timeZone }
      : { since: rule.since, until: rule.until, time_zone: timeZone };
  const isRelative = rule.kind === 'period' && /^[a-z]/.test(rule.period);
  const window = readWindow(text, isRelative ? now : farFuture);
  return withBefore(window ?? { since: null, until: null, timeZone, length: null }, null);
}

/** Returns the first moment from which nothing changes any more that a rule takes note of. */
export function decidedAt({ decidedUntil }: Pick<BoardRule, 'decidedUntil'>, { until, timeZone }: Window): Date | null {
  return decidedUntil === null ? until : readMoment('decided_until', decidedUntil, timeZone).end;
}

/** Returns the first moment from which nothing changes any more that a board takes note of in a window that has ended. */
export function settledAt({ rules }: Pick<Board, 'rules'>, window: Window, until: Date): Date {
  const decisions = rules.map((rule) => decidedAt(rule, window)?.getTime() ?? 0);
  return new Date(Math.max(until.getTime(), ...decisions));
}

/** Returns the moment as of which grants count: those of a window that has ended count as of its last instant. */
export function toGrantTime({ until }: Pick<Window, 'until'>, now: Date): Date {
  return until !== null && until <= now ? new Date(until.getTime() - 1) : now;
}

/** Returns the ended windows of a board that are frozen, oldest first; those of relative periods never are. */
export function endedWindows(rule: WindowRule, now: Date): BoardWindow[] {
  if (rule.kind === 'seasons') {
    const present = seasonAt(rule, now);
    return Array.from({ length: present - 1 }, (_, index) => withBefore(season(rule, index + 1), index + 1));
  }
  if (rule.kind === 'period' && /^[a-z]/.test(rule.period)) return [];
  const window = toBoardWindow(rule, now);
  return window.until !== null && window.until <= now ? [window] : [];
}

type Seasons = Extract<WindowRule, { kind: 'seasons' }>;

function season({ unit, from, timeZone }: Seasons, number: number): Window {
  const { at: since, day } = readMoment('from', from, timeZone);
  if (day === undefined) throw new Error('seasons begin with a day');
  const { length } = unitWith(unit, day);
  const until = startOfDay(day.add(length), timeZone);
  return windowBefore({ since, until, timeZone, length }, 1 - number);
}

/** Returns the number of the season that contains a moment; before the first season, 1. */
function seasonAt(rule: Seasons, now: Date): number {
  let [low, high] = [1, maxSeasons];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const { until } = season(rule, middle);
    if (until !== null && until <= now) low = middle + 1;
    else high = middle;
  }
  return low;
}

function withBefore(window: Window, number: number | null): BoardWindow {
  const { since, until, length } = window;
  const isClosed = since !== null && until !== null && length !== null;
  return { ...window, beforeSince: isClosed ? windowBefore(window, 1).since : null, season: number };
}
