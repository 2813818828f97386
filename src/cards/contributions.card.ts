import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { progressOf } from '../accounts/level.ts';
import { type CounterName, contributionKinds, counterRows, namesOfKinds } from '../contributions/kinds.ts';
import { today } from '../windows/periods.ts';
import type { WindowMeaning } from '../windows/window.ts';
import { avatarClip, drawAvatar } from './avatar.ts';
import { Canvas, textStyles } from './canvas.ts';
import { defineCard, type Images } from './card.ts';
import { type Drawing, frame, padding } from './frame.ts';
import { type Grid, gridOf } from './grid.ts';
import { icons } from './icons.ts';
import { fill, type Language } from './languages/language.ts';
import { px } from './markup.ts';
import type { CardOptions } from './options.ts';
import { oneLine } from './text/fit.ts';
import { measure } from './text/measure.ts';
import { drawTrend, trendHeightPx } from './trend.ts';

const defaultWidthPx = 480;
const avatarSize = 48;
const rowHeight = 46;
const iconRoom = 26;
const gap = 12;

/** The counters that are shown by default, and on request. */
const usual = counterRows.flatMap(({ name, isUsual }) => (isUsual ? [name] : []));
const further = counterRows.flatMap(({ name, isUsual }) => (isUsual ? [] : [name]));

const Item = Type.Object({
  name: Type.String(),
  display_name: Type.String(),
  avatar_url: Type.String(),
  experience: Type.Integer(),
  level: Type.Integer(),
  contributions: Type.Record(Type.String(), Type.Integer()),
});
const compiledItem = Compile(Item);

/** A counter with the text that shows its value. */
interface Counter {
  name: CounterName;
  value: number;
  full: string;
}

interface Content {
  account: Static<typeof Item>;
  missing: readonly string[];
  includesPrivate: boolean;
  countsCollected: boolean;
  asOf: Date | undefined;
  /** The window of the numbers; undefined: lifetime. */
  window: WindowMeaning | undefined;
  /** Contributions in each window of a series, the oldest first; empty without a series. */
  trend: readonly number[];
}

/** The card of counters, the level with the progress to the next one, and the coverage of the numbers. */
export const contributionsCard = defineCard<Content>({
  parts: { hideable: ['avatar', 'level', 'coverage', 'icons', ...usual], showable: [...further, 'trend'] },
  emptySize: (options) => sizeOf(options, shownCounters(options).length, []),
  read: ({ envelope: { data, meta_data }, countsCollected = false }) => {
    const [item] = data;
    return compiledItem.Check(item)
      ? {
          account: item,
          missing: meta_data.missing ?? [],
          includesPrivate: meta_data.includes_private === true,
          countsCollected,
          asOf: meta_data.as_of === undefined ? undefined : new Date(meta_data.as_of),
          window: meta_data.window,
          trend: meta_data.window === undefined ? [] : trendOf(data),
        }
      : undefined;
  },
  images: ({ account }, { hide }) => (hide.has('avatar') ? [] : [account.avatar_url]),
  imageSize: () => 'large',
  draw: (content, options, images) => {
    const { account } = content;
    const counters = shownCounters(options).map((name) => counterOf(content, name, options.language));
    const trend = options.show.has('trend') && content.trend.length > 1 ? content.trend : [];
    const size = sizeOf(options, counters.length, trend);
    const canvas = new Canvas(size.widthPx, options.language);
    let y = drawHeader(canvas, content, options, images);
    if (!options.hide.has('level')) y = drawLevel(canvas, content, options, y);
    drawCounters(canvas, counters, options, y);
    if (trend.length > 0) {
      const above = trendHeightPx + (options.hide.has('coverage') ? 0 : 24) + 12;
      drawTrend(canvas, trend, { y: size.heightPx - above, widthPx: size.widthPx });
    }
    const { words } = options.language;
    if (!options.hide.has('coverage')) {
      const place = { at: padding, y: size.heightPx - 20, maxWidth: size.widthPx - 2 * padding };
      canvas.text('small', place, coverageOf(content, options.language));
    }
    const values = counters.map(({ name, full }) => `${words[name]}: ${full}`).join(', ');
    return finished(options, canvas, size, {
      title: options.title ?? `${account.display_name || account.name} · ${words.publicOnly}`,
      description: [
        ...(options.hide.has('level') ? [] : [levelOf(content, options.language)]),
        ...(values === '' ? [] : [values]),
        ...(trend.length === 0 ? [] : [trend.map((value) => options.language.number(value)).join(', ')]),
        ...(options.hide.has('coverage') ? [] : [coverageOf(content, options.language)]),
      ]
        .map((part) => `${part}.`)
        .join(' '),
      hasAvatar: !options.hide.has('avatar'),
    });
  },
});

function finished(
  options: CardOptions,
  canvas: Canvas,
  { widthPx, heightPx }: { widthPx: number; heightPx: number },
  details: { title: string; description: string; hasAvatar: boolean },
): Drawing {
  const body = details.hasAvatar ? `${avatarClip}\n${canvas.body()}` : canvas.body();
  return frame(options, {
    width: widthPx,
    height: heightPx,
    title: details.title,
    description: details.description,
    body,
  });
}

function shownCounters({ hide, show }: CardOptions): CounterName[] {
  return counterRows.flatMap(({ name, isUsual }) => (!hide.has(name) && (isUsual || show.has(name)) ? [name] : []));
}

/** Returns a grid with as many columns as have room, none of them shorter than the first by more than one counter. */
function gridOfCounters(options: CardOptions, counters: number): Grid {
  const place = {
    at: padding,
    maxWidth: (options.widthPx ?? defaultWidthPx) - 2 * padding,
    gap,
    usual: 122,
    least: iconRoom + 44,
  };
  if (options.columns !== undefined) return gridOf({ ...place, columns: options.columns });
  const { columns } = gridOf({ ...place, columns: undefined });
  const rows = Math.ceil(counters / columns);
  return gridOf({ ...place, columns: Math.max(1, Math.ceil(counters / rows)) });
}

function sizeOf(
  options: CardOptions,
  counters: number,
  trend: readonly number[],
): { widthPx: number; heightPx: number } {
  const { hide } = options;
  const rows = gridOfCounters(options, counters).rowsOf(counters);
  const header = headerHeight(options);
  const level = hide.has('level') ? 0 : 48;
  const coverage = (hide.has('coverage') ? 0 : 24) + (trend.length === 0 ? 0 : trendHeightPx);
  return { widthPx: options.widthPx ?? defaultWidthPx, heightPx: header + level + rows * rowHeight + coverage + 12 };
}

function headerHeight({ hide }: CardOptions): number {
  return padding + (hide.has('avatar') ? 40 : avatarSize) + 18;
}

/** @returns the y coordinate at which the next part begins. */
function drawHeader(canvas: Canvas, { account }: Content, options: CardOptions, images: Images): number {
  const { hide, title } = options;
  const name = account.display_name || account.name;
  const hasAvatar = !hide.has('avatar');
  if (hasAvatar) {
    const person = { name, avatarUrl: account.avatar_url };
    drawAvatar(canvas, { at: padding, y: padding, size: avatarSize }, person, images);
  }
  const at = padding + (hasAvatar ? avatarSize + 14 : 0);
  const maxWidth = (options.widthPx ?? defaultWidthPx) - at - padding;
  const top = padding + (hasAvatar ? 4 : 0);
  const heading = title ?? name;
  const isNameEnough = oneLine(heading) === account.name;
  canvas.headline({ at, y: top + (isNameEnough ? 26 : 17), maxWidth }, heading);
  if (!isNameEnough) canvas.text('label', { at, y: top + 36, maxWidth }, account.name);
  return headerHeight(options);
}

/** Draws the level with a progress bar. */
function drawLevel(canvas: Canvas, content: Content, options: CardOptions, y: number): number {
  const { language } = options;
  const { experience } = content.account;
  const width = (options.widthPx ?? defaultWidthPx) - 2 * padding;
  const { share, left, next } = progressOf(experience);
  const used = canvas.text('name', { at: padding, y: y + 11, maxWidth: width * 0.6 }, levelOf(content, language));
  const way = fill(language.words.toNext, { n: language.number(left), level: language.number(next) });
  if (!isUnknown(content, 'level', experience)) {
    canvas.text('label', { at: padding + width, y: y + 11, maxWidth: width - used - gap, anchor: 'end' }, way);
  }
  canvas.rect({ at: padding, y: y + 20, width, height: 6, radius: 3 }, 'class="t"');
  if (share > 0)
    canvas.rect({ at: padding, y: y + 20, width: Math.max(6, width * share), height: 6, radius: 3 }, 'class="a f"');
  return y + 48;
}

function drawCounters(canvas: Canvas, counters: readonly Counter[], options: CardOptions, y: number): void {
  const grid = gridOfCounters(options, counters.length);
  const hasIcons = !options.hide.has('icons');
  for (const [index, { name, value, full }] of counters.entries()) {
    const { at, row } = grid.placeOf(index);
    const top = y + row * rowHeight;
    const textAt = at + (hasIcons ? iconRoom : 0);
    const maxWidth = grid.itemWidth - (hasIcons ? iconRoom : 0);
    if (hasIcons) {
      canvas.add(
        `<g class="k" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" transform="translate(${px(canvas.left(at, 16))} ${px(top)})">${icons[name]}</g>`,
      );
    }
    canvas.text(
      'number',
      { at: textAt, y: top + 14, maxWidth },
      measure(full, textStyles.number.sizePx, 'bold') <= maxWidth ? full : options.language.compactNumber(value),
    );
    canvas.text('label', { at: textAt, y: top + 31, maxWidth }, options.language.words[name]);
  }
}

/** Formats a counter; a dash stands for a value that is not known. */
function counterOf(content: Content, name: CounterName, language: Language): Counter {
  const value = content.account.contributions[name] ?? 0;
  if (isUnknown(content, name, value)) return { name, value, full: '–' };
  return { name, value, full: language.number(value) };
}

function isUnknown({ missing }: Content, name: string, value: number): boolean {
  return value === 0 && missing.includes(name);
}

function levelOf(content: Content, { words, number }: Language): string {
  const { level, experience } = content.account;
  return fill(words.level, { n: isUnknown(content, 'level', experience) ? '–' : number(level) });
}

function coverageOf(content: Content, { words, date }: Language): string {
  const { missing, includesPrivate, countsCollected, asOf, window } = content;
  const incomplete = countsCollected ? words.inCollected : words.stillCounting;
  return [
    ...(window === undefined ? [] : [daysOf(window, date)]),
    includesPrivate ? words.publicAndPrivate : words.publicOnly,
    ...(missing.length > 0 ? [incomplete] : []),
    ...(asOf === undefined ? [] : [fill(words.asOf, { date: date(asOf) })]),
  ].join(' · ');
}

/** Formats the first and the last day of a window; an open side is left out. */
function daysOf({ since, until, time_zone: timeZone }: WindowMeaning, date: Language['date']): string {
  // Dates are formatted in UTC.
  const dayOf = (ms: number): string => date(new Date(today(new Date(ms), timeZone).toString()));
  const first = since === null ? '' : dayOf(Date.parse(since));
  const last = until === null ? '' : dayOf(Date.parse(until) - 1);
  return first === last ? first : `${first} – ${last}`.trim();
}

const contributing = namesOfKinds(contributionKinds);

/** Returns the contributions of each window of a series, the oldest first. */
function trendOf(items: readonly unknown[]): number[] {
  const known = items.filter((item) => compiledItem.Check(item));
  return known
    .map(({ contributions }) => contributing.reduce((sum, name) => sum + (contributions[name] ?? 0), 0))
    .toReversed();
}
