import { type Static, Type } from 'typebox';
import { today } from '../../../model/windows/periods.ts';
import {
  readWindow,
  toWindowMeaning,
  type Window,
  type WindowMeaning,
  WindowParameters,
  windowBefore,
} from '../../../model/windows/window.ts';
import { formatDays } from '../../cards/states/coverage.ts';
import { fill, type Language } from '../../languages/language.ts';
import { labelOfPeriod } from '../composer/labels.ts';
import { withQuery } from '../layout/addresses.ts';
import { html, type Markup, trusted } from '../layout/html.ts';
import type { Reader } from '../layout/reader.ts';

/** The parameters of pages whose numbers are of a window: those of the API. */
export const WindowQuery = WindowParameters;

/** The parameter of pages of numbers that also exist with private contributions, where their owner publishes these. */
export const PrivateParameter = Type.Optional(Type.Enum(['true', 'false']));

/** The most people on a page. */
export const mostPeople = 100;

/**
 * The parameters of pages with a list of people of a window. There is no cursor, because it would name the version of the
 * list, which changes with private data as well.
 */
export const PeopleQuery = Type.Object({
  ...WindowQuery.properties,
  people: Type.Optional(
    Type.String({
      pattern: '^([1-9][0-9]?|100)$',
      'x-expected': `an integer from 1 to ${mostPeople}`,
      'x-explanation': { phrase: 'integerBetween', values: { min: '1', max: String(mostPeople) } },
    }),
  ),
});

/** A window as the address of a page names it. */
export interface PageWindow {
  /** Undefined: lifetime. */
  window: Window | undefined;
  /**
   * The previous window of the same length, with whose numbers this one's are compared; undefined where a side is open.
   */
  before: Window | undefined;
  /** True when the page shows private contributions, which its links keep. */
  withPrivate: boolean;
  /** The parameters that are given, for the API and for links. */
  texts: Readonly<Record<string, string>>;
}

/**
 * Reads the window of a page. Forms send fields without a value, which count as absent.
 * @param account the account whose private contributions the page can show; absent: it has public ones alone.
 * @throws AppError `invalid_input` as `readWindow`.
 */
export function readPageWindow(
  query: Static<typeof WindowQuery> & { private?: string | undefined },
  now: Date,
  account?: { publishesPrivate: boolean },
): PageWindow {
  const given = new Map(Object.entries(query));
  const texts = Object.fromEntries(
    Object.keys(WindowQuery.properties).flatMap((name) => {
      const value = given.get(name);
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
  const window = readWindow(texts, now);
  const withPrivate = query.private === 'true' && account?.publishesPrivate === true;
  return { window, before: window && windowToCompare(window, now), texts, withPrivate };
}

/**
 * Returns the previous window. Where the window has not ended, the previous one is cut at the same distance from its
 * beginning.
 */
function windowToCompare(window: Window, now: Date): Window | undefined {
  const { since, until, length } = window;
  if (since === null || until === null || length === null || since > now) return undefined;
  const before = windowBefore(window, 1);
  const shiftMs = since.getTime() - (before.since?.getTime() ?? 0);
  const sameTime = new Date(now.getTime() - shiftMs);
  return until > now && sameTime > (before.since ?? sameTime) ? { ...before, until: sameTime } : before;
}

/** Renders the difference between a number and that of the previous window; nothing where that one is not known. */
export function renderChange(present: number, before: number | undefined, { language, words }: Reader): Markup | false {
  if (before === undefined) return false;
  const difference = present - before;
  const [direction, sign] = difference > 0 ? ['up', '▲'] : difference < 0 ? ['down', '▼'] : ['same', '='];
  const signed = language.signed(difference);
  const past = fill(words.detail.before, { n: language.number(before) });
  return html`<small class="change ${direction}" title="${past}"><span aria-hidden="true">${sign}</span> <bdi>${signed}</bdi><span class="unseen"> (${past})</span></small>`;
}

/** Returns the parameter of addresses of numbers with private contributions. */
export function privateQuery(withPrivate: boolean): Record<string, string> {
  return withPrivate ? { private: 'true' } : {};
}

/** The usual windows with their names; undefined: lifetime. */
function usualWindows({ words: { detail } }: Reader): readonly (readonly [period: string | undefined, name: string])[] {
  return [
    [undefined, detail.lifetime],
    ['last-30d', detail.lastMonth],
    ['this-month', detail.thisMonth],
    ['this-year', detail.thisYear],
  ];
}

/** Formats the days of a window. */
export function daysOfWindow(window: WindowMeaning, language: Pick<Language, 'date' | 'dateRange'>): string {
  const { since, until, time_zone: timeZone } = window;
  if (since === null || until === null) return formatDays(window, language.date);
  // Dates are formatted in UTC.
  const toDay = (ms: number): Date => new Date(today(new Date(ms), timeZone).toString());
  return language.dateRange(toDay(Date.parse(since)), toDay(Date.parse(until) - 1));
}

/** Returns the name of a window. */
export function nameOfWindow({ window, texts: { period } }: PageWindow, reader: Reader): string {
  if (window !== undefined && period === undefined) return daysOfWindow(toWindowMeaning(window), reader.language);
  const [, name] = usualWindows(reader).find(([value]) => value === period) ?? [];
  return name ?? labelOfPeriod(period ?? '', reader);
}

/** Renders links to the same page within the usual windows, and a form for any other one. */
export function windowPicker(path: string, within: PageWindow, reader: Reader): Markup {
  const { texts, withPrivate } = within;
  const { words, to } = reader;
  const { detail } = words;
  const { period, since, until, time_zone: timeZone } = texts;
  const isOther = since !== undefined || until !== undefined;
  const choices = usualWindows(reader);
  const isUsual = choices.some(([value]) => value === period);
  const link = (value: string | undefined, label: string): Markup => {
    const query = {
      ...(value !== undefined && { period: value }),
      ...(timeZone !== undefined && { time_zone: timeZone }),
      ...privateQuery(withPrivate),
    };
    const isCurrent = value === period && !isOther;
    return html`<a href="${to(withQuery(path, query))}"${isCurrent && trusted(' aria-current="true"')}>${label}</a>`;
  };
  return html`<div class="windows"><nav class="picker" aria-label="${detail.window}">${choices.map(([value, label]) => link(value, label))}${!isUsual && link(period, labelOfPeriod(period ?? '', reader))}</nav>
<details${(isOther || timeZone !== undefined) && trusted(' open')}><summary>${detail.otherWindow}</summary>${windowForm(path, within, reader)}</details></div>`;
}

function windowForm(path: string, { texts, withPrivate }: PageWindow, { words, language, to }: Reader): Markup {
  const { detail } = words;
  const isChosen = to(path) !== path;
  const day = (name: 'since' | 'until', label: string): Markup =>
    html`<label>${label} <input type="date" name="${name}" value="${texts[name] ?? ''}"></label>`;
  return html`<form method="get" action="${path}">${day('since', detail.from)}${day('until', detail.until)}
<label>${detail.timeZone} <input name="time_zone" value="${texts['time_zone'] ?? ''}" placeholder="UTC" maxlength="64" autocomplete="off" spellcheck="false" dir="ltr"></label>
${withPrivate && html`<input type="hidden" name="private" value="true">`}${isChosen && html`<input type="hidden" name="lang" value="${language.locale}">`}<button type="submit">${words.show}</button></form>`;
}
